// SPDX-License-Identifier: Apache-2.0 OR MIT
// cuda_pipeline.cu with a fault. Planted: the consumers do not wait for the copies.
#include <cooperative_groups.h>
#include <cuda/pipeline>

constexpr int threads = 64;
constexpr int stages = 2;
constexpr int rounds = 6;

extern "C" __global__ void __launch_bounds__(threads) cuda_pipeline(const int4* in, int* out) {
    __shared__ alignas(16) int4 tile[stages][threads];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int t = threadIdx.x;
    int sum = 0;
    for (int round = 0; round < stages; ++round) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[round % stages][t], in + round * threads + t, cuda::aligned_size_t<16>(sizeof(int4)), pipe);
        pipe.producer_commit();
    }
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        const int4 other = tile[round % stages][t ^ 63];
        sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
        pipe.consumer_release();
        if (round + stages < rounds) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[round % stages][t], in + (round + stages) * threads + t, cuda::aligned_size_t<16>(sizeof(int4)), pipe);
            pipe.producer_commit();
        }
    }
    out[t] = sum;
}
