// SPDX-License-Identifier: Apache-2.0 OR MIT
// indirect_call.cu with a fault. Planted: the second warp reads the entry after the end of the table.

constexpr int threads = 64;

using Operation = int (*)(int, int);

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int sub(int a, int b) { return a - b; }
__device__ __noinline__ int mul(int a, int b) { return a * b; }
__device__ __noinline__ int power(int a, int b) {
    int result = 1;
    for (int i = 0; i < b % 5; ++i) result *= a;
    return result;
}

__device__ Operation table[4] = {add, sub, mul, power};

extern "C" __global__ void __launch_bounds__(threads) indirect_call(const int* which, int* out) {
    const int t = threadIdx.x;
    const int value = table[which[t]](t, 3 + t % 7);
    // All lanes of a warp call the same function.
    out[t] = table[t / 32 * 3 + 1](value, 2);
}
