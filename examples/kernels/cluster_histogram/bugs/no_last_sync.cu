// SPDX-License-Identifier: Apache-2.0 OR MIT
// cluster_histogram.cu with a fault. Planted: no cluster barrier after the counting.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int threads = 64;
constexpr int blocks = 4;
constexpr int bins = 32;
constexpr int each = bins / blocks;

extern "C" __global__ void __cluster_dims__(blocks, 1, 1) __launch_bounds__(threads)
    cluster_histogram(const int* in, int* out, int n) {
    __shared__ int own[each];
    const cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x;
    if (t < each) own[t] = 0;
    cluster.sync();
    for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads) {
        const int bin = in[i] & (bins - 1);
        int* theirs = cluster.map_shared_rank(own, bin / each);
        atomicAdd(theirs + bin % each, 1);
    }
    __syncthreads();
    if (t < each) atomicAdd(&out[cluster.block_rank() * each + t], own[t]);
}
