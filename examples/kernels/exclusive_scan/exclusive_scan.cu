// SPDX-License-Identifier: Apache-2.0 OR MIT
// Exclusive prefix sums per block after Blelloch: sums go up a tree in shared memory, then prefixes come down the same tree.
// Every thread owns two values.

constexpr int threads = 128;
constexpr int count = 2 * threads;

extern "C" __global__ void __launch_bounds__(threads) exclusive_scan(const int* in, int* out) {
    __shared__ int tree[count];
    const int t = threadIdx.x;
    const int base = blockIdx.x * count;
    tree[2 * t] = in[base + 2 * t];
    tree[2 * t + 1] = in[base + 2 * t + 1];
    int step = 1;
#pragma unroll 1
    for (int active = threads; active > 0; active /= 2) {
        __syncthreads();
        if (t < active) tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
        step *= 2;
    }
    if (t == 0) tree[count - 1] = 0;
#pragma unroll 1
    for (int active = 1; active <= threads; active *= 2) {
        step /= 2;
        __syncthreads();
        if (t < active) {
            const int left = step * (2 * t + 1) - 1;
            const int right = step * (2 * t + 2) - 1;
            const int sum = tree[left];
            tree[left] = tree[right];
            tree[right] += sum;
        }
    }
    __syncthreads();
    out[base + 2 * t] = tree[2 * t];
    out[base + 2 * t + 1] = tree[2 * t + 1];
}
