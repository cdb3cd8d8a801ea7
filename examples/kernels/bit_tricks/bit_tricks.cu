// SPDX-License-Identifier: Apache-2.0 OR MIT
// Instructions on bits: population count, leading zeros, reversal, bit-field extract and insert, byte permute, funnel shifts,
// sums of absolute differences, and products of packed bytes.

constexpr int threads = 64;

__device__ __forceinline__ unsigned take(unsigned value, unsigned at, unsigned bits) {
    unsigned result;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(value), "r"(at), "r"(bits));
    return result;
}

__device__ __forceinline__ int take_signed(int value, unsigned at, unsigned bits) {
    int result;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(value), "r"(at), "r"(bits));
    return result;
}

__device__ __forceinline__ unsigned put(unsigned field, unsigned into, unsigned at, unsigned bits) {
    unsigned result;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(field), "r"(into), "r"(at), "r"(bits));
    return result;
}

__device__ __forceinline__ unsigned majority(unsigned a, unsigned b, unsigned c) {
    unsigned result;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
    return result;
}

// If bit 3 of a byte's selector is 1, the sign bit of the selected byte fills the result byte.
__device__ __forceinline__ unsigned permute(unsigned a, unsigned b, unsigned selector) {
    unsigned result;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector));
    return result;
}

extern "C" __global__ void __launch_bounds__(threads) bit_tricks(const unsigned* a, const unsigned* b, unsigned* out) {
    const int t = threadIdx.x;
    const unsigned x = a[t];
    const unsigned y = b[t];
    const unsigned long long wide = static_cast<unsigned long long>(x) << 32 | y;
    unsigned* place = out + t;
    const int n = threads;
    place[0] = __popc(x) * 256 + __popcll(wide);
    place[n] = __clz(static_cast<int>(x >> (y % 32))) * 256 + __clzll(static_cast<long long>(wide >> (y % 64)));
    place[2 * n] = __brev(x);
    place[3 * n] = static_cast<unsigned>(__brevll(wide) >> 20);
    place[4 * n] = __ffs(static_cast<int>(x & y)) * 256 + __ffsll(static_cast<long long>(wide & (wide << 7)));
    place[5 * n] = take(x, y % 32, (y >> 8) % 32);
    place[6 * n] = static_cast<unsigned>(take_signed(static_cast<int>(x), y % 32, (y >> 8) % 32));
    place[7 * n] = put(x, y, (y >> 3) % 32, (x >> 5) % 32);
    place[8 * n] = __byte_perm(x, y, (x >> 16) & 0x7777);
    place[9 * n] = __funnelshift_l(x, y, x);
    place[10 * n] = __funnelshift_rc(x, y, (x >> 7) % 64);
    place[11 * n] = __usad(x, y, 1000u);
    place[12 * n] = static_cast<unsigned>(__dp4a(static_cast<int>(x), static_cast<int>(y), 1 - t));
    place[13 * n] = majority(x, y, __brev(y));
    place[14 * n] = static_cast<unsigned>(__mulhi(static_cast<int>(x), static_cast<int>(y))) ^ __umulhi(x, y);
    place[15 * n] = __umul24(x, y) + static_cast<unsigned>(abs(static_cast<int>(x) >> 3));
    // Arithmetic on 16-bit and 8-bit types.
    const short low = static_cast<short>(x);
    const signed char byte = static_cast<signed char>(y >> 8);
    place[16 * n] = static_cast<unsigned>(static_cast<int>(static_cast<short>(low * 3 + byte)));
    place[17 * n] = permute(x, y, y >> 5);
}
