// SPDX-License-Identifier: Apache-2.0 OR MIT
// Prefix sums over the whole grid in one launch: a block draws its number from a counter, so that every block for which it waits
// has already begun. The block publishes its sum, then reads the words of earlier blocks until it finds one with a complete prefix.

constexpr int threads = 64;
constexpr unsigned warp_mask = 0xffffffffu;
// The two upper bits of a block's word: 0, no value yet; `own`, the sum of the block; `whole`, the prefix sum up to the block's end.
constexpr unsigned own = 1u << 30;
constexpr unsigned whole = 2u << 30;
constexpr unsigned value_bits = own - 1;

__device__ __forceinline__ void tell(unsigned* word, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

__device__ __forceinline__ unsigned look(const unsigned* word) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
}

extern "C" __global__ void __launch_bounds__(threads)
    lookback_scan(const unsigned* in, unsigned* out, unsigned* ticket, unsigned* words) {
    __shared__ unsigned number;
    __shared__ unsigned half;
    __shared__ unsigned before;
    const int t = threadIdx.x;
    const int lane = t % 32;
    if (t == 0) number = atomicAdd(ticket, 1u);
    __syncthreads();
    const unsigned block = number;
    unsigned sum = in[block * threads + t];
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned left = __shfl_up_sync(warp_mask, sum, distance);
        if (lane >= distance) sum += left;
    }
    if (t == 31) half = sum;
    __syncthreads();
    if (t >= 32) sum += half;
    if (t == threads - 1) {
        tell(&words[block], (block == 0 ? whole : own) | sum);
        unsigned prefix = 0;
        for (int at = static_cast<int>(block) - 1; at >= 0;) {
            const unsigned word = look(&words[at]);
            if (word == 0) continue;
            prefix += word & value_bits;
            if (word & whole) break;
            --at;
        }
        if (block > 0) tell(&words[block], whole | (prefix + sum));
        before = prefix;
    }
    __syncthreads();
    out[block * threads + t] = before + sum;
}
