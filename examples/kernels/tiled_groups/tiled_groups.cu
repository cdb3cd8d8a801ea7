// SPDX-License-Identifier: Apache-2.0 OR MIT
// Cooperative groups: the block is divided into tiles of 8 and of 32 threads, which reduce, vote and exchange separately; then
// the whole block meets.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr int threads = 128;

extern "C" __global__ void __launch_bounds__(threads) tiled_groups(const int* in, int* sums, unsigned* votes, int* mixed) {
    __shared__ int firsts[threads / 8];
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const auto warp = cg::tiled_partition<32>(block);
    const int at = block.group_index().x * threads + block.thread_rank();
    const int value = in[at];
    int sum = value;
    for (int distance = tile.size() / 2; distance > 0; distance /= 2) sum += tile.shfl_down(sum, distance);
    if (tile.thread_rank() == 0) {
        sums[at / 8] = sum;
        firsts[tile.meta_group_rank()] = sum;
    }
    const unsigned odd = tile.ballot(value % 2 != 0);
    const bool full = warp.all(value >= 0);
    const bool large = tile.any(value > 900);
    if (tile.thread_rank() == 0) votes[at / 8] = odd * 4 + full * 2 + large;
    block.sync();
    // The sum of the next tile of the block, and the value of the neighbour within the tile.
    const int next = firsts[(tile.meta_group_rank() + 1) % tile.meta_group_size()];
    mixed[at] = next + tile.shfl_xor(value, 1) * 1000 + tile.shfl(value, 3);
}
