// SPDX-License-Identifier: Apache-2.0 OR MIT
// Tiles of 64 threads, of two warps each (`cg::tiled_partition<64>`): they meet, exchange through shared memory, and reduce. Their barriers
// are in shared memory that is reserved for cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

extern "C" __global__ void __launch_bounds__(128) warp_pairs(const int* in, int* reversed, int* sums, int* largest) {
    __shared__ int values[128];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<64>(block);
    const int at = static_cast<int>(threadIdx.x);
    const int first = static_cast<int>(tile.meta_group_rank()) * 64;
    const int global = static_cast<int>(blockIdx.x) * 128;
    values[at] = in[global + at];
    tile.sync();
    const int value = values[first + 63 - static_cast<int>(tile.thread_rank())];
    reversed[global + at] = value;
    const int sum = cg::reduce(tile, value, cg::plus<int>());
    const int greatest = cg::reduce(tile, value, cg::greater<int>());
    if (tile.thread_rank() == 0) {
        sums[(global + first) / 64] = sum;
        largest[(global + first) / 64] = greatest;
    }
}
