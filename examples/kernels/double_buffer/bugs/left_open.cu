// SPDX-License-Identifier: Apache-2.0 OR MIT
// double_buffer.cu with a fault. Planted: the consumers signal "empty" also after the last two steps, when no producer waits any
// more.

constexpr int threads = 128;
constexpr int half = threads / 2;
constexpr int steps = 6;

__device__ __forceinline__ void wait(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }
__device__ __forceinline__ void tell(int id) { asm volatile("bar.arrive %0, 128;" ::"r"(id) : "memory"); }

extern "C" __global__ void __launch_bounds__(threads) double_buffer(const int* in, int* out) {
    __shared__ int buffer[2][half];
    const int t = threadIdx.x;
    constexpr int full = 1;
    constexpr int empty = 3;
    if (t < half) {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            wait(empty + step % 2);
            buffer[step % 2][t] = in[step * half + t];
            tell(full + step % 2);
        }
    } else {
        const int place = t - half;
        int sum = 0;
        tell(empty);
        tell(empty + 1);
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            wait(full + step % 2);
            sum = 3 * sum + buffer[step % 2][(place + step) % half];
            tell(empty + step % 2);
        }
        out[place] = sum;
    }
}
