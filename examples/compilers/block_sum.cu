// SPDX-License-Identifier: Apache-2.0 OR MIT
// sums[b] is the sum of the elements of x that block b reads, one for each thread; 128 threads per block.
extern "C" __global__ void __launch_bounds__(128) block_sum(const float* x, float* sums, int n) {
    __shared__ float part[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    part[t] = i < n ? x[i] : 0.0f;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
