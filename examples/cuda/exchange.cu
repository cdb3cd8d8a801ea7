// SPDX-License-Identifier: Apache-2.0 OR MIT
// Every thread passes its value to the thread at the opposite position of the block, twice, through one shared array.
// The second barrier of each round keeps a fast warp from overwriting a value that a slow warp has not read yet.

constexpr int threads = 128;

extern "C" __global__ void __launch_bounds__(threads) exchange(const float* in, float* out) {
    __shared__ float box[threads];
    const int t = threadIdx.x;
    float value = in[blockIdx.x * threads + t];
    for (int round = 0; round < 2; ++round) {
        box[t] = value;
        __syncthreads();
        value += box[threads - 1 - t];
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = value;
}
