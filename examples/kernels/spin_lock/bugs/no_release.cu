// SPDX-License-Identifier: Apache-2.0 OR MIT
// spin_lock.cu with a fault. Planted: the lock is never released.

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
            done = true;
        }
    }
}
