// SPDX-License-Identifier: Apache-2.0 OR MIT
// Threads exit at different places: some have no work, some are done at once, and the rest executes a number of steps that
// differs from lane to lane (the Collatz sequence). No thread waits for the exited threads.

constexpr int threads = 128;

extern "C" __global__ void __launch_bounds__(threads) early_exit(const unsigned* in, unsigned* out, int n) {
    const int at = blockIdx.x * threads + threadIdx.x;
    if (at >= n) return;
    unsigned long long value = in[at];
    if (value < 2) {
        out[at] = 0;
        return;
    }
    if (value % 8 == 5) {
        out[at] = 0xffffffffu;
        return;
    }
    unsigned steps = 0;
#pragma unroll 1
    while (value != 1) {
        if (value % 2 == 1) {
            value = 3 * value + 1;
        } else {
            value /= 2;
        }
        ++steps;
        if (steps == 60) {
            out[at] = 1000 + static_cast<unsigned>(value % 1000);
            return;
        }
    }
    out[at] = steps;
}
