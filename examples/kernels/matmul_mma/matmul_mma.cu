// SPDX-License-Identifier: Apache-2.0 OR MIT
// Matrix product on the tensor cores by inline assembly: factors in half precision, sums in single precision. The block loads
// both factors into shared memory; each of the four warps takes its fragments with ldmatrix and computes 16 rows by 8 columns.

#include <cuda_fp16.h>

constexpr int threads = 128;
constexpr int rows = 32;
constexpr int columns = 16;
constexpr int inner = 32;

__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void __launch_bounds__(threads) matmul_mma(const __half* a, const __half* b, float* c) {
    __shared__ __align__(16) __half left[rows * inner];
    __shared__ __align__(16) __half right[inner * columns];
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int row = t / 32 / 2 * 16;
    const int column = t / 32 % 2 * 8;
    // 16 bytes per thread: 1024 halves of the left factor, 512 of the right one.
    reinterpret_cast<uint4*>(left)[t] = reinterpret_cast<const uint4*>(a)[t];
    if (t < 64) reinterpret_cast<uint4*>(right)[t] = reinterpret_cast<const uint4*>(b)[t];
    __syncthreads();
    float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
    for (int k = 0; k < inner; k += 16) {
        unsigned a0, a1, a2, a3, b0, b1;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3)
                     : "r"(shared_address(&left[(row + lane % 16) * inner + k + lane / 16 * 8])));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                     : "=r"(b0), "=r"(b1)
                     : "r"(shared_address(&right[(k + lane % 16) * columns + column])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
    float* place = c + (row + lane / 4) * columns + column + lane % 4 * 2;
    place[0] = d0;
    place[1] = d1;
    place[8 * columns] = d2;
    place[8 * columns + 1] = d3;
}
