// SPDX-License-Identifier: Apache-2.0 OR MIT
// The matrix product of whole warps by the wmma functions of CUDA: each of the four warps computes a 16 by 16 tile and takes
// its fragments from global memory. One factor is stored by rows, the other one by columns.

#include <mma.h>

constexpr int threads = 128;
constexpr int edge = 32;

using namespace nvcuda;

extern "C" __global__ void __launch_bounds__(threads) matmul_wmma(const __half* a, const __half* b, const float* add, float* c) {
    const int row = threadIdx.x / 32 / 2 * 16;
    const int column = threadIdx.x / 32 % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(sum, add + row * edge + column, edge, wmma::mem_row_major);
    for (int k = 0; k < edge; k += 16) {
        wmma::load_matrix_sync(left, a + row * edge + k, edge);
        wmma::load_matrix_sync(right, b + column * edge + k, edge);
        wmma::mma_sync(sum, left, right, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 0.5f;
    wmma::store_matrix_sync(c + row * edge + column, sum, edge, wmma::mem_row_major);
}
