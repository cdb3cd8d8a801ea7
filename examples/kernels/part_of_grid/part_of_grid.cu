// SPDX-License-Identifier: Apache-2.0 OR MIT
// A grid of 100 000 blocks as in production, of which only the last blocks run: the result depends on the size of the whole grid.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    part_of_grid(const unsigned* in, unsigned* out, unsigned long long n, unsigned first) {
    __shared__ unsigned tile[threads];
    const unsigned t = threadIdx.x;
    const unsigned long long at = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + t;
    // `in` and `out` begin at block `first`, as if the blocks before it had memory of their own.
    const unsigned long long here = at - static_cast<unsigned long long>(first) * threads;
    tile[t] = at < n ? in[here] : 0;
    __syncthreads();
    if (at < n) {
        out[here] = tile[threads - 1 - t] + gridDim.x + blockIdx.x;
    }
}
