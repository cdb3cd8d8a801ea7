// SPDX-License-Identifier: Apache-2.0 OR MIT
// Producer and consumer warps with two named barriers around one tile in shared memory: barrier 1 signals that the tile is full,
// barrier 2 that it is empty. Warps 0 and 1 fill the tile and arrive without waiting; warps 2 and 3 wait for it and sum it up.

constexpr int threads = 128;
constexpr int half = threads / 2;
constexpr int steps = 4;

extern "C" __global__ void __launch_bounds__(threads) pipeline(const int* in, int* out) {
    __shared__ int tile[half];
    const int t = threadIdx.x;
    if (t / 32 < 2) {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            const int value = in[(blockIdx.x * steps + step) * half + t];
            if (step > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
            tile[t] = value;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
    } else {
        int sum = 0;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += tile[t - half];
            if (step + 1 < steps) asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
        out[blockIdx.x * half + t - half] = sum;
    }
}
