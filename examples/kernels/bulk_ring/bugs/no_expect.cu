// SPDX-License-Identifier: Apache-2.0 OR MIT
// bulk_ring.cu with a fault. Planted: the producer arrives without expecting bytes.
#include <cstdint>

constexpr int threads = 96;
constexpr int stages = 4;
constexpr int rounds = 12;
constexpr int words = 64;

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ inline void make(uint64_t* bar, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count) : "memory");
}

__device__ inline void arrive(uint64_t* bar) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared(bar)) : "memory");
}

__device__ inline void wait(uint64_t* bar, int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra WAIT; }" ::"r"(shared(bar)), "r"(parity) : "memory");
}

extern "C" __global__ void __launch_bounds__(threads) bulk_ring(const int* in, int* out) {
    __shared__ alignas(128) int tile[stages][words];
    __shared__ uint64_t full[stages], empty[stages];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < stages; ++s) {
#if __CUDA_ARCH__ >= 900
            make(&full[s], 1);
#else
            make(&full[s], 32);
#endif
            make(&empty[s], 64);
        }
#if __CUDA_ARCH__ >= 900
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __syncthreads();
    if (t < 32) {
#if __CUDA_ARCH__ >= 900
        if (t != 0) return;
#endif
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            const int s = round % stages, phase = round / stages & 1;
            wait(&empty[s], phase ^ 1);
#if __CUDA_ARCH__ >= 900
            const uint32_t bytes = words * sizeof(int);
            arrive(&full[s]);
            asm volatile(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(tile[s])),
                "l"(in + round * words), "r"(bytes), "r"(shared(&full[s])) : "memory");
#else
            for (int i = t; i < words; i += 32) tile[s][i] = in[round * words + i];
            arrive(&full[s]);
#endif
        }
        return;
    }
    int sum = 0;
    const int own = t - 32;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        const int s = round % stages, phase = round / stages & 1;
        wait(&full[s], phase);
        sum += tile[s][own] * (round + 1);
        arrive(&empty[s]);
    }
    out[own] = sum;
}
