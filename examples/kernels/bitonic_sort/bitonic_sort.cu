// SPDX-License-Identifier: Apache-2.0 OR MIT
// Bitonic sorting network per block: each thread compares one pair per step, and all threads meet at a barrier after every step.

constexpr int threads = 128;
constexpr int count = 2 * threads;

extern "C" __global__ void __launch_bounds__(threads) bitonic_sort(const int* in, int* out) {
    __shared__ int keys[count];
    const int t = threadIdx.x;
    const int base = blockIdx.x * count;
    keys[t] = in[base + t];
    keys[t + threads] = in[base + t + threads];
#pragma unroll 1
    for (int size = 2; size <= count; size *= 2) {
#pragma unroll 1
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int low = 2 * t - (t & (stride - 1));
            const int high = low + stride;
            const bool rising = (low & size) == 0;
            const int a = keys[low];
            const int b = keys[high];
            if ((a > b) == rising) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    }
    __syncthreads();
    out[base + t] = keys[t];
    out[base + t + threads] = keys[t + threads];
}
