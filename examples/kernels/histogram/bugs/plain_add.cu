// SPDX-License-Identifier: Apache-2.0 OR MIT
// histogram.cu with a fault. Planted: the bins in shared memory are counted without atomics.

constexpr int threads = 128;
constexpr int bins = 64;

extern "C" __global__ void __launch_bounds__(threads) histogram(const unsigned char* in, int n, unsigned* out) {
    __shared__ unsigned counts[bins];
    const int t = threadIdx.x;
    if (t < bins) counts[t] = 0;
    __syncthreads();
#pragma unroll 1
    for (int i = blockIdx.x * threads + t; i < n; i += gridDim.x * threads) counts[in[i] % bins] += 1;
    __syncthreads();
    if (t < bins && counts[t] > 0) atomicAdd(&out[t], counts[t]);
}
