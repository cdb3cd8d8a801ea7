// SPDX-License-Identifier: Apache-2.0 OR MIT
// Eight warps in a ring pass a value on, for three rounds: each pair of neighbours has a separate named barrier, at which one
// warp arrives and the next warp waits. The ids depend on the warp, and only the last barrier is for the whole block.

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int rounds = 3;

__device__ __forceinline__ void wait(int id) { asm volatile("barrier.sync %0, 64;" ::"r"(id) : "memory"); }
__device__ __forceinline__ void tell(int id) { asm volatile("barrier.arrive %0, 64;" ::"r"(id) : "memory"); }

extern "C" __global__ void __launch_bounds__(threads) relay(const int* in, int* out) {
    __shared__ int baton[32];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    const int mine = 1 + warp;
    const int next = 1 + (warp + 1) % warps;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        if (round > 0 || warp > 0) wait(mine);
        const int value = round == 0 && warp == 0 ? in[lane] : baton[lane];
        baton[lane] = value * 3 + warp;
        if (round + 1 < rounds || warp + 1 < warps) tell(next);
    }
    __syncthreads();
    out[threadIdx.x] = baton[(lane + warp) % 32];
}
