// SPDX-License-Identifier: Apache-2.0 OR MIT
// Wrong on purpose: the consumer does not arrive at `empty` in the last slot of the ring, so the producer waits for ever.
#include <cuda/barrier>

constexpr int SLOTS = 2;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void __launch_bounds__(64) ring(const int* in, int* out) {
    __shared__ int tile[SLOTS][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier full[SLOTS];
    __shared__ Barrier empty[SLOTS];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int slot = 0; slot < SLOTS; slot++) {
            init(&full[slot], 64);
            init(&empty[slot], 64);
        }
    }
    __syncthreads();
    for (int step = 0; step < 6; step++) {
        const int slot = step % SLOTS;
        if (threadIdx.x < 32) {
            if (step >= SLOTS)
                empty[slot].arrive_and_wait();
            tile[slot][lane] = in[32 * step + lane];
            (void)full[slot].arrive();
        } else {
            full[slot].arrive_and_wait();
            out[32 * step + lane] = tile[slot][lane];
            if (slot != SLOTS - 1)
                (void)empty[slot].arrive();
        }
    }
}
