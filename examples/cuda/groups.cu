// SPDX-License-Identifier: Apache-2.0 OR MIT
// Pairs of warps compute separate sums: each pair has its own barrier, whose id depends on the pair, so id and count are in
// registers. All warps of the block meet only at the end.

constexpr int threads = 128;
constexpr int group = 64;

__device__ __forceinline__ void meet(int id, int count) { asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory"); }

extern "C" __global__ void __launch_bounds__(threads) groups(const int* in, int* out) {
    __shared__ int part[threads];
    const int t = threadIdx.x;
    const int pair = t / group;
    const int place = t % group;
    part[t] = in[blockIdx.x * threads + t];
#pragma unroll 1
    for (int stride = group / 2; stride > 0; stride /= 2) {
        meet(1 + pair, group);
        if (place < stride) part[t] += part[t + stride];
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = part[0] + part[group];
}
