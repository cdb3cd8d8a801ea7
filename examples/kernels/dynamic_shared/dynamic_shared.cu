// SPDX-License-Identifier: Apache-2.0 OR MIT
// Shared memory whose size is a launch parameter: it contains an array of doubles, followed by an array of integers. The block
// reverses both arrays and counts the threads before the first mark.

extern __shared__ double pool[];

extern "C" __global__ void __launch_bounds__(128) dynamic_shared(const int* in, int marker, double* real, int* whole) {
    const int n = blockDim.x;
    const int t = threadIdx.x;
    double* left = pool;
    int* right = reinterpret_cast<int*>(pool + n);
    __shared__ int first;
    if (t == 0) first = n;
    left[t] = in[blockIdx.x * n + t] * 0.5;
    right[t] = in[blockIdx.x * n + t];
    __syncthreads();
    if (right[t] == marker) atomicMin(&first, t);
    __syncthreads();
    real[blockIdx.x * n + t] = left[n - 1 - t];
    whole[blockIdx.x * n + t] = right[n - 1 - t] + (t < first ? 100000 : 0);
}
