// SPDX-License-Identifier: Apache-2.0 OR MIT
// The last block to finish adds up the sums of all blocks. Each block has a fence between its sum and its ticket, so the block
// that draws the last ticket reads all sums. The counter is back at zero for the next launch.

constexpr int threads = 128;

extern "C" __global__ void __launch_bounds__(threads)
    last_block(const int* in, int n, volatile int* partial, unsigned* counter, int* out) {
    __shared__ int part[threads];
    __shared__ bool last;
    const int t = threadIdx.x;
    int sum = 0;
    for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads) sum += in[i];
    part[t] = sum;
    __syncthreads();
#pragma unroll 1
    for (int stride = threads / 2; stride > 0; stride /= 2) {
        if (t < stride) part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = part[0];
        __threadfence();
        last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        __threadfence();
        int total = 0;
        for (int block = 0; block < gridDim.x; ++block) total += partial[block];
        *out += total;
    }
}
