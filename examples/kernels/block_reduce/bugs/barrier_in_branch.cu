// SPDX-License-Identifier: Apache-2.0 OR MIT
// block_reduce.cu with a fault. Planted: the barrier is inside the branch that only the adding threads take.

constexpr int threads = 256;

extern "C" __global__ void __launch_bounds__(threads) block_reduce(const int* in, int* out) {
    __shared__ int part[threads];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * threads + t];
    __syncthreads();
#pragma unroll 1
    for (int stride = threads / 2; stride > 0; stride /= 2) {
        if (t < stride) {
            part[t] += part[t + stride];
            __syncthreads();
        }
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
