// SPDX-License-Identifier: Apache-2.0 OR MIT
// cuda::barrier: producers fill a tile and arrive without waiting, consumers wait with their tokens; a warp without further work
// drops out. The compiler translates cuda::barrier to mbarrier instructions with tokens.
#include <cuda/barrier>

constexpr int threads = 96;
constexpr int half = 32;
constexpr int steps = 4;
using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void __launch_bounds__(threads) cuda_barrier(const int* in, int* out) {
    __shared__ int tile[half];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full, empty, done;
    const int t = threadIdx.x;
    if (t == 0) {
        init(&full, 2 * half);
        init(&empty, 2 * half);
        init(&done, threads);
    }
    __syncthreads();
    if (t / half == 0) {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            tile[t] = in[step * half + t];
            auto token = full.arrive();
            empty.wait(empty.arrive());
            (void)token;
        }
        done.arrive_and_drop();
    } else if (t / half == 1) {
        int sum = 0;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            full.arrive_and_wait();
            sum += tile[half - 1 - (t - half)];
            empty.arrive_and_wait();
        }
        done.arrive_and_wait();
        out[t - half] = sum;
        done.arrive_and_wait();
    } else {
        done.arrive_and_wait();
        done.arrive_and_wait();
        out[t - half] = t;
    }
}
