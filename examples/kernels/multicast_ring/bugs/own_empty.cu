// SPDX-License-Identifier: Apache-2.0 OR MIT
// multicast_ring.cu with a fault. Planted: each block signals "empty" at its own mbarrier.
#include <cstdint>

constexpr int threads = 96;
constexpr int blocks = 2;
constexpr int stages = 2;
constexpr int rounds = 6;
constexpr int words = 64;

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ inline void make(uint64_t* bar, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count) : "memory");
}

__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

__device__ inline void wait(uint64_t* bar, int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra WAIT; }" ::"r"(shared(bar)), "r"(parity) : "memory");
}

extern "C" __global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(threads) multicast_ring(const int* in, int* out) {
    __shared__ alignas(128) int tile[stages][words];
    __shared__ uint64_t full[stages], empty[stages];
    const int t = threadIdx.x;
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t == 0) {
        for (int s = 0; s < stages; ++s) {
            make(&full[s], 1);
            // Arrivals: one lane of each of the two consumer warps of each block.
            make(&empty[s], 2 * blocks);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    if (t < 32) {
        // The other lanes exit: no barrier waits for exited lanes.
        if (t != 0) return;
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            const int s = round % stages, phase = round / stages & 1;
            const uint32_t bytes = words * sizeof(int);
            // The first block waits until all blocks have read the stage. Other blocks wait until the previous copy to the stage is complete.
            if (rank == 0) wait(&empty[s], phase ^ 1);
            if (rank != 0 && round >= stages) wait(&full[s], phase ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full[s])), "r"(bytes) : "memory");
            if (rank == 0) {
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                        shared(tile[s])),
                    "l"(in + (blockIdx.x / blocks * rounds + round) * words), "r"(bytes), "r"(shared(&full[s])),
                    "h"(static_cast<uint16_t>((1 << blocks) - 1)) : "memory");
            }
        }
    } else {
        const int own = t - 32;
        int sum = 0;
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            const int s = round % stages, phase = round / stages & 1;
            wait(&full[s], phase);
            sum += tile[s][own] * (round + 1) * (rank + 1);
            __syncwarp();
            if (own % 32 == 0) {
                asm volatile(
                    "{ .reg .b32 there;\n"
                    "mov.u32 there, %0;\n"
                    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" ::"r"(shared(&empty[s])) : "memory");
            }
        }
        out[blockIdx.x * words + own] = sum;
    }
    // No block exits while other blocks still send to it.
    cluster_sync();
}
