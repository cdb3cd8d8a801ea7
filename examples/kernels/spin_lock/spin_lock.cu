// SPDX-License-Identifier: Apache-2.0 OR MIT
// A lock of one word: compare-and-swap takes it, fences keep the accesses inside, and an exchange releases it. Every thread releases
// the lock within its own loop iteration, so that lanes of one warp cannot wait for each other for ever.

constexpr int threads = 32;

extern "C" __global__ void __launch_bounds__(threads) spin_lock(int* lock, volatile int* sum, volatile unsigned* product) {
    const int at = blockIdx.x * threads + threadIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *sum = *sum + at;
            *product = *product * (2u * at + 1u);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
