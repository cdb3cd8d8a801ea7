// SPDX-License-Identifier: Apache-2.0 OR MIT
// dependent_grids.cu with a fault. Planted: the second grid does not wait for the first.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads) first(const int* in, int* between, int n) {
    const int i = blockIdx.x * threads + threadIdx.x;
    // This grid may still run after this instruction: only the wait of the second grid guarantees that this grid has ended.
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (i < n) between[i] = in[i] * in[i];
}

extern "C" __global__ void __launch_bounds__(threads) second(const int* weights, const int* between, int* out, int n) {
    __shared__ int table[8];
    const int i = blockIdx.x * threads + threadIdx.x;
    if (threadIdx.x < 8) table[threadIdx.x] = weights[threadIdx.x] + 1;
    __syncthreads();
    if (i < n) out[i] = between[n - 1 - i] * table[i & 7];
}
