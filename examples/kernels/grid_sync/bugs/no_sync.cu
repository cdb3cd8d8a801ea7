// SPDX-License-Identifier: Apache-2.0 OR MIT
// A stencil of several steps in one cooperative launch: all blocks of the grid wait for each other after each step (`grid.sync()`). Then
// each block adds up its part, and the first one adds up the sums of all blocks.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(64) grid_sync(int* values, int* next, int* sums, int* total, int n, int steps) {
    __shared__ int of_warp[2];
    cg::grid_group grid = cg::this_grid();
    const int at = static_cast<int>(grid.thread_rank());
    const int stride = static_cast<int>(grid.num_threads());
    for (int step = 0; step < steps; step++) {
        for (int i = at; i < n; i += stride) {
            const int left = values[i == 0 ? n - 1 : i - 1];
            const int right = values[i == n - 1 ? 0 : i + 1];
            next[i] = left + 2 * values[i] + 3 * right;
        }
        // Planted: no grid.sync().
        int* const swapped = values;
        values = next;
        next = swapped;
    }
    int sum = 0;
    for (int i = at; i < n; i += stride) sum += values[i];
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = of_warp[0] + of_warp[1];
    // Between arrival and wait a thread may do work that no other block uses.
    auto token = grid.barrier_arrive();
    int all = 0;
    grid.barrier_wait(std::move(token));
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int block = 0; block < static_cast<int>(gridDim.x); block++) all += sums[block];
        *total = all;
    }
}
