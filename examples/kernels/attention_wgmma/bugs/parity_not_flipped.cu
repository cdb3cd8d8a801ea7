// SPDX-License-Identifier: Apache-2.0 OR MIT
// Attention, O = softmax(Q K' / 8) V, block by block of 64 keys with an online softmax: one warpgroup has 64 queries of one head. S = Q K' has
// both factors in shared memory; O += P V has P in registers, and V with the head's elements contiguous. The blocks of keys and values
// come through two stages.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int queries = 64, keys = 64, depth = 64;
constexpr int stages = 2;
constexpr int threads = 128;

struct alignas(64) TensorMap { char bytes[128]; };

struct alignas(1024) Tile { __half rows[64 * depth]; };

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ inline void make(uint64_t* bar, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared(bar)), "r"(count) : "memory");
}

__device__ inline void expect(uint64_t* bar, int tiles) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(bar)),
                 "r"(static_cast<uint32_t>(tiles * sizeof(Tile))) : "memory");
}

__device__ inline void wait(uint64_t* bar, int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra WAIT; }" ::"r"(shared(bar)), "r"(parity) : "memory");
}

__device__ inline void copy(Tile& to, const TensorMap* map, int row, int head, uint64_t* bar) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, %2, %3}], [%4];" ::"r"(
            shared(to.rows)),
        "l"(map), "r"(row), "r"(head), "r"(shared(bar)) : "memory");
}

// Rows of 128 bytes with a swizzle of 128 bytes: 1024 bytes between groups of 8 rows.
__device__ inline uint64_t descriptor(const __half* at) {
    return uint64_t((shared(at) & 0x3ffff) >> 4) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

#define ACCUMULATOR(d)                                                                                                          \
    "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]),      \
        "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]),    \
        "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),    \
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
#define REGISTERS                                                                                                               \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, " \
    "%26, %27, %28, %29, %30, %31}, "

// S = Q K' for the first step along the depth, S += Q K' for the others.
__device__ inline void scores(float (&s)[32], uint64_t q, uint64_t k, int adds) {
    asm volatile("{ .reg .pred adds;\nsetp.ne.b32 adds, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " REGISTERS "%32, %33, adds, 1, 1, 0, 0; }"
                 : ACCUMULATOR(s) : "l"(q), "l"(k), "r"(adds));
}

// O += P V for 16 keys: P in registers, V by columns.
__device__ inline void values(float (&o)[32], const uint32_t (&p)[4], uint64_t v) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " REGISTERS "{%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : ACCUMULATOR(o) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

__device__ inline void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ inline void complete() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ inline float exp2_approx(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ inline uint32_t pair(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&both);
}

// The four lanes that have a row of S.
__device__ inline float row_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}

__device__ inline float row_sum(float x) {
    x += __shfl_xor_sync(0xffffffff, x, 1);
    return x + __shfl_xor_sync(0xffffffff, x, 2);
}

extern "C" __global__ void __launch_bounds__(threads) attention_wgmma(
    const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k, const __grid_constant__ TensorMap v, float* out,
    int count) {
    __shared__ Tile tile_q, tile_k[stages], tile_v[stages];
    __shared__ uint64_t full_q, full[stages];
    const int t = threadIdx.x, head = blockIdx.x, blocks = count / keys;
    if (t == 0) {
        make(&full_q, 1);
        for (int s = 0; s < stages; ++s) make(&full[s], 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    const auto load = [&](int block) {
        const int s = block % stages;
        expect(&full[s], 2);
        copy(tile_k[s], &k, block * keys, head, &full[s]);
        copy(tile_v[s], &v, block * keys, head, &full[s]);
    };
    if (t == 0) {
        expect(&full_q, 1);
        copy(tile_q, &q, 0, head, &full_q);
        load(0);
    }
    float o[32] = {}, highest[2] = {-INFINITY, -INFINITY}, sums[2] = {0, 0};
    // Exponents to the base 2, and the square root of the depth.
    const float scale = 1.44269504f / 8;
    wait(&full_q, 0);
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
        const int s = block % stages;
        if (t == 0 && block + 1 < blocks) load(block + 1);
        wait(&full[s], 0);
        float p[32];
        fence();
        for (int step = 0; step < depth / 16; ++step) {
            scores(p, descriptor(tile_q.rows + 16 * step), descriptor(tile_k[s].rows + 16 * step), step);
        }
        complete();
        // Registers with bit 1 have the lower row of the lane.
        for (int half = 0; half < 2; ++half) {
            float top = highest[half];
            for (int i = 0; i < 32; ++i) if (i / 2 % 2 == half) top = fmaxf(top, p[i]);
            top = row_max(top);
            const float factor = exp2_approx((highest[half] - top) * scale);
            highest[half] = top;
            float sum = 0;
            for (int i = 0; i < 32; ++i) {
                if (i / 2 % 2 != half) continue;
                p[i] = exp2_approx((p[i] - top) * scale);
                sum += p[i];
                o[i] *= factor;
            }
            sums[half] = sums[half] * factor + row_sum(sum);
        }
        uint32_t packed[4][4];
        for (int i = 0; i < 16; ++i) packed[i / 4][i % 4] = pair(p[2 * i], p[2 * i + 1]);
        fence();
        for (int step = 0; step < keys / 16; ++step) values(o, packed[step], descriptor(tile_v[s].rows + 16 * step * depth));
        complete();
        // All warps have read the stage before the next copy to it.
        __syncthreads();
    }
    const int row = head * queries + t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int i = 0; i < 32; ++i) out[(row + i / 2 % 2 * 8) * depth + column + i / 4 * 8 + i % 2] = o[i] / sums[i / 2 % 2];
}
