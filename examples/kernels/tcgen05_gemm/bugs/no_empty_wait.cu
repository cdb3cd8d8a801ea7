// SPDX-License-Identifier: Apache-2.0 OR MIT
// tcgen05_gemm.cu with a fault. Planted: the threads do not wait until the products have read a stage.
#include <cstdint>

constexpr int threads = 128;
constexpr int rows = 128;    // of A and C in a block
constexpr int columns = 32;  // of B^T and C in a block
constexpr int depth = 64;    // elements along K in a stage
constexpr int steps = 4;     // stages along K
constexpr int stages = 2;
constexpr int chunks = depth * 2 / 16;

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ inline void wait(uint64_t* bar, int parity) {
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra WAIT; }" ::"r"(shared(bar)), "r"(parity) : "memory");
}

__device__ inline void commit(uint64_t* bar) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(bar)) : "memory");
}

// A matrix in shared memory with rows of 128 bytes: eight rows have 1024 bytes, version 1, swizzle of 128 bytes.
__device__ inline uint64_t descriptor(const void* p) {
    return (shared(p) & 0x3ffff) >> 4 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 46 | uint64_t{2} << 61;
}

__device__ inline void multiply(uint32_t sum, uint64_t a, uint64_t b, int adds) {
    // D is f32, A and B are f16 along K; N / 8 and M / 16.
    const uint32_t shape = 1 << 4 | columns / 8 << 17 | rows / 16 << 24;
    asm volatile(
        "{ .reg .pred adds;\n"
        "setp.ne.b32 adds, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, adds; }" ::"r"(sum), "l"(a), "l"(b), "r"(shape), "r"(adds)
        : "memory");
}

extern "C" __global__ void __launch_bounds__(threads) tcgen05_gemm(const uint4* a, const uint4* b, float* c) {
    __shared__ alignas(1024) uint4 tile_a[stages][rows * chunks];
    __shared__ alignas(1024) uint4 tile_b[stages][columns * chunks];
    __shared__ uint64_t empty[stages], done;
    __shared__ uint32_t address;
    const int t = threadIdx.x;

    if (t < 32) {
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(&address)), "r"(columns) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
    }
    if (t == 0) {
        for (int i = 0; i < stages; ++i) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&empty[i])) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&done)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    const uint32_t sum = address;

    const int row = blockIdx.y * rows, column = blockIdx.x * columns;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % stages;
        for (int i = t; i < rows * chunks; i += threads) {
            const int r = i / chunks, k = i % chunks;
            tile_a[stage][r * chunks + (k ^ r % 8)] = a[((row + r) * steps + step) * chunks + k];
        }
        for (int i = t; i < columns * chunks; i += threads) {
            const int r = i / chunks, k = i % chunks;
            tile_b[stage][r * chunks + (k ^ r % 8)] = b[((column + r) * steps + step) * chunks + k];
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            for (int k = 0; k < depth / 16; ++k)
                multiply(sum, descriptor(&tile_a[stage][2 * k]), descriptor(&tile_b[stage][2 * k]), step + k);
            commit(step + 1 < steps ? &empty[stage] : &done);
        }
        __syncwarp();
    }

    wait(&done, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    // A warp reaches the lanes of its quarter, which are its rows.
    for (int part = 0; part < columns; part += 16) {
        uint32_t v[16];
        asm volatile(
            "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];"
            : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7]), "=r"(v[8]),
              "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]), "=r"(v[14]), "=r"(v[15])
            : "r"(sum + (t / 32 * 32 << 16) + part));
        asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
        for (int i = 0; i < 16; ++i) c[(row + t) * (columns * 2) + column + part + i] = __uint_as_float(v[i]);
    }
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (t < 32) {
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(sum), "r"(columns));
    }
}
