// SPDX-License-Identifier: Apache-2.0 OR MIT
// cluster_reduce.cu with a fault. Planted: no cluster barrier at the end.
#include <cstdint>

constexpr int threads = 64;
constexpr int blocks = 4;
constexpr int rounds = 3;

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ inline uint32_t of_rank(uint32_t address, int rank) {
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ inline void wait(uint64_t* bar, int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra WAIT; }" ::"r"(shared(bar)), "r"(parity) : "memory");
}

extern "C" __global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(threads) cluster_reduce(const int* in, int* out) {
    __shared__ int tree[threads];
    __shared__ int sums[2][blocks];
    __shared__ uint64_t full[2], empty[2];
    const int t = threadIdx.x;
    int rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t == 0 && rank == 0) {
        for (int s = 0; s < 2; ++s) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full[s])) : "memory");
        }
    }
    if (t == 0) {
        for (int s = 0; s < 2; ++s) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&empty[s])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    // After this barrier the mbarriers of all blocks are initialised.
    cluster_sync();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        const int s = round & 1, phase = round >> 1 & 1;
        tree[t] = in[(round * gridDim.x + blockIdx.x) * threads + t];
        __syncthreads();
        for (int half = threads / 2; half > 0; half /= 2) {
            if (t < half) tree[t] += tree[t + half];
            __syncthreads();
        }
        if (t < 32) {
            if (t == 0 && rank == 0) {
                const uint32_t bytes = blocks * sizeof(int);
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full[s])), "r"(bytes) : "memory");
            }
            wait(&empty[s], phase ^ 1);
            if (t == 0) {
                asm volatile(
                    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                        of_rank(shared(&sums[s][rank]), 0)),
                    "r"(tree[0]), "r"(of_rank(shared(&full[s]), 0)) : "memory");
            }
            if (rank == 0) {
                wait(&full[s], phase);
                if (t == 0) {
                    int sum = 0;
                    for (int i = 0; i < blocks; ++i) sum += sums[s][i];
                    out[round * (gridDim.x / blocks) + blockIdx.x / blocks] = sum;
                }
                // Signals to each block that it may send its next sum to the array that has been read.
                if (t < blocks) {
                    __syncwarp((1 << blocks) - 1);
                    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(of_rank(shared(&empty[s]), t)) : "memory");
                }
            }
        }
        __syncthreads();
    }
}
