// SPDX-License-Identifier: Apache-2.0 OR MIT
// 64-bit integers: products (low and high half), signed and unsigned quotients and remainders, shifts, and widening products.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    int64_math(const unsigned long long* a, const unsigned long long* b, unsigned long long* out) {
    const int t = threadIdx.x;
    const unsigned long long x = a[t];
    const unsigned long long y = b[t];
    const long long sx = static_cast<long long>(x);
    const long long sy = static_cast<long long>(y);
    unsigned long long* place = out + t;
    const int n = threads;
    place[0] = x * y + 7;
    place[n] = __umul64hi(x, y);
    place[2 * n] = static_cast<unsigned long long>(__mul64hi(sx, sy));
    place[3 * n] = x / y;
    place[4 * n] = x % y;
    place[5 * n] = static_cast<unsigned long long>(sx / sy);
    place[6 * n] = static_cast<unsigned long long>(sx % sy);
    place[7 * n] = (x << (y % 64)) ^ (y >> (x % 64));
    place[8 * n] = static_cast<unsigned long long>(sx >> (y % 64));
    place[9 * n] = static_cast<unsigned long long>(max(sx, sy)) - static_cast<unsigned long long>(min(sx, sy));
    place[10 * n] = static_cast<unsigned long long>(static_cast<unsigned>(x)) * static_cast<unsigned>(y);
    place[11 * n] = static_cast<unsigned long long>(static_cast<long long>(static_cast<int>(x)) * static_cast<int>(y));
    // 32-bit quotients, and a quotient by a constant, which the compiler computes as a product.
    const unsigned short divisor = static_cast<unsigned short>(y) | 1;
    place[12 * n] = static_cast<unsigned>(x >> 32) / divisor + x / 1000003;
    place[13 * n] = static_cast<unsigned long long>(static_cast<long long>(static_cast<int>(x >> 32) % divisor));
    place[14 * n] = x > y ? x - y : ~y;
}
