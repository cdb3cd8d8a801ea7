// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two grids of which the second may begin while the first still runs: what it needs of the first it reads only behind its wait, and
// what it does not need it prepares before.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads) first(const int* in, int* between, int n) {
    const int i = blockIdx.x * threads + threadIdx.x;
    // Which ends nothing: only the wait of the second grid says that this one has ended.
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (i < n) between[i] = in[i] * in[i];
}

extern "C" __global__ void __launch_bounds__(threads) second(const int* weights, const int* between, int* out, int n) {
    __shared__ int table[8];
    const int i = blockIdx.x * threads + threadIdx.x;
    if (threadIdx.x < 8) table[threadIdx.x] = weights[threadIdx.x] + 1;
    __syncthreads();
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (i < n) out[i] = between[n - 1 - i] * table[i & 7];
}
