// SPDX-License-Identifier: Apache-2.0 OR MIT
// C = A B' by warp specialisation: one lane of the last warp fills a ring of stages by tensor copies with a swizzle of 128 bytes, and a
// warpgroup multiplies each full stage with wgmma. Each block has a tile of 64 x 32 elements of C.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int tile_m = 64, tile_n = 32, tile_k = 64;
constexpr int stages = 3;
constexpr int consumers = 128;
constexpr int threads = consumers + 32;

struct alignas(64) TensorMap { char bytes[128]; };

struct alignas(1024) Stage {
    __half a[tile_m * tile_k];
    __half b[tile_n * tile_k];
};

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ inline void make(uint64_t* bar, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count) : "memory");
}

__device__ inline void wait(uint64_t* bar, int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra WAIT; }" ::"r"(shared(bar)), "r"(parity) : "memory");
}

__device__ inline void copy(void* to, const TensorMap* map, int k, int row, uint64_t* bar) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared(to)),
        "l"(map), "r"(k), "r"(row), "r"(shared(bar)) : "memory");
}

// Rows of 128 bytes with a swizzle of 128 bytes: 1024 bytes between groups of 8 rows.
__device__ inline uint64_t descriptor(const void* at) {
    return uint64_t((shared(at) & 0x3ffff) >> 4) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

__device__ inline void multiply(float (&d)[16], uint64_t a, uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),
          "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(threads) gemm_wgmma(
    const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int n, int k) {
    __shared__ Stage ring[stages];
    __shared__ uint64_t full[stages], empty[stages];
    const int t = threadIdx.x, rounds = k / tile_k;
    if (t == 0) {
        for (int s = 0; s < stages; ++s) {
            make(&full[s], 1);
            // One lane of each of the four consumer warps.
            make(&empty[s], 4);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t >= consumers) {
        if (t != consumers) return;
#pragma unroll 1
        for (int round = 0; round < rounds; ++round) {
            const int s = round % stages, phase = round / stages & 1;
            wait(&empty[s], phase ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full[s])),
                         "r"(static_cast<uint32_t>(sizeof(Stage))) : "memory");
            copy(ring[s].a, &a, round * tile_k, blockIdx.y * tile_m, &full[s]);
            copy(ring[s].b, &b, round * tile_k, blockIdx.x * tile_n, &full[s]);
        }
        return;
    }
    float d[16] = {};
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        const int s = round % stages, phase = round / stages & 1;
        wait(&full[s], phase);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int step = 0; step < tile_k / 16; ++step) {
            multiply(d, descriptor(ring[s].a + 16 * step), descriptor(ring[s].b + 16 * step));
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (t % 32 == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&empty[s])) : "memory");
    }
    const int row = blockIdx.y * tile_m + t / 32 * 16 + t % 32 / 4, column = blockIdx.x * tile_n + t % 4 * 2;
    for (int i = 0; i < 16; ++i) c[(row + i / 2 % 2 * 8) * n + column + i / 4 * 8 + i % 2] = d[i];
}
