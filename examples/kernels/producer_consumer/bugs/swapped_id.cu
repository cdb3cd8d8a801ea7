// SPDX-License-Identifier: Apache-2.0 OR MIT
// producer_consumer.cu with a fault. Planted: the consumers signal "empty" at barrier 1 instead of 2.

constexpr int threads = 128;
constexpr int half = threads / 2;
constexpr int steps = 5;

extern "C" __global__ void __launch_bounds__(threads) producer_consumer(const int* in, int* out) {
    __shared__ int tile[half];
    __shared__ int sums[half];
    const int t = threadIdx.x;
    if (t < half) {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            const int value = in[(blockIdx.x * steps + step) * half + t];
            if (step > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
            tile[t] = value * value;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
    } else {
        const int place = t - half;
        int sum = 0;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += tile[half - 1 - place];
            if (step + 1 < steps) asm volatile("bar.arrive 1, 128;" ::: "memory");
        }
        sums[place] = sum;
        asm volatile("bar.sync 3, 64;" ::: "memory");
        out[blockIdx.x * half + place] = sums[place] - sums[(place + 32) % half];
    }
}
