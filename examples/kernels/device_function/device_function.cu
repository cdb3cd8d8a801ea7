// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions that the compiler may not inline: one returns a structure, one writes through a pointer to its caller's variable,
// and one is called by some of the threads only.

constexpr int threads = 64;

struct Parts {
    int quotient;
    int rest;
    float share;
};

__device__ __noinline__ Parts divide(int a, int b) {
    Parts parts;
    parts.quotient = a / b;
    parts.rest = a % b;
    parts.share = static_cast<float>(parts.rest) * 0.25f;
    return parts;
}

__device__ __noinline__ void add_digits(int value, int* sum) {
    while (value > 0) {
        *sum += value % 10;
        value /= 10;
    }
}

__device__ __noinline__ long long cube(int value) { return static_cast<long long>(value) * value * value; }

extern "C" __global__ void __launch_bounds__(threads) device_function(const int* in, int* out, float* share, long long* cubes) {
    const int at = blockIdx.x * threads + threadIdx.x;
    const Parts parts = divide(in[at], 7 + threadIdx.x % 3);
    int sum = parts.quotient;
    add_digits(in[at], &sum);
    out[at] = sum * 16 + parts.rest;
    share[at] = parts.share;
    cubes[at] = threadIdx.x % 4 == 1 ? cube(in[at]) : -1;
}
