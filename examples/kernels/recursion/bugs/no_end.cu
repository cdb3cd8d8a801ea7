// SPDX-License-Identifier: Apache-2.0 OR MIT
// recursion.cu with a fault. Planted: the recursion does not end at two but continues below zero.

constexpr int threads = 64;
constexpr int nodes = 31;

__device__ __noinline__ int fibonacci(int n) {
    if (n == 1000) return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ __noinline__ int tree_sum(const int* tree, int node) {
    if (node >= nodes) return 0;
    const int left = tree_sum(tree, 2 * node + 1);
    const int right = tree_sum(tree, 2 * node + 2);
    return tree[node] + left + right;
}

extern "C" __global__ void __launch_bounds__(threads) recursion(const int* tree, int* numbers, int* sums) {
    const int t = threadIdx.x;
    numbers[t] = fibonacci(t % 10);
    sums[t] = tree_sum(tree, t % nodes);
}
