// SPDX-License-Identifier: Apache-2.0 OR MIT
// bar_red.cu with a fault. Planted: at barriers 1 and 2 the upper warp of each half requests "all", the lower warp a count.

constexpr int threads = 128;

__device__ __forceinline__ int count_half(int id, int value) {
    int result;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, %2, 64, p; }"
                 : "=r"(result) : "r"(value), "r"(id) : "memory");
    return result;
}

__device__ __forceinline__ int all_half(int id, int value) {
    int result;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.and.pred q, %2, 64, p; selp.s32 %0, 1, 0, q; }"
                 : "=r"(result) : "r"(value), "r"(id) : "memory");
    return result;
}

__device__ __forceinline__ int none_half(int id, int value) {
    int result;
    // The predicate is negated: the result is whether any thread has zero.
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, %2, 64, !p; selp.s32 %0, 0, 1, q; }"
                 : "=r"(result) : "r"(value), "r"(id) : "memory");
    return result;
}

extern "C" __global__ void __launch_bounds__(threads) bar_red(const int* in, int* out) {
    const int t = threadIdx.x;
    const int value = in[blockIdx.x * threads + t];
    const int half = 1 + t / 64;
    int* place = out + (blockIdx.x * threads + t) * 6;
    place[0] = __syncthreads_count(value % 3 == 0);
    place[1] = __syncthreads_and(value < 1000) != 0;
    place[2] = __syncthreads_or(value == 77) != 0;
    if (t / 32 % 2 == 0) {
        place[3] = count_half(half, value % 5 == 0);
        place[4] = all_half(half, value < 192);
    } else {
        place[3] = all_half(half, value % 5 == 0);
        place[4] = count_half(half, value < 192);
    }
    place[5] = none_half(half, value >= 64);
}
