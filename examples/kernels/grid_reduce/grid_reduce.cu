// SPDX-License-Identifier: Apache-2.0 OR MIT
// All blocks add into one word of global memory. The threads read the input with the stride of the grid, each warp reduces by
// shuffles, and one lane per warp uses atomics. All values are integers, so the order of the additions does not matter.

constexpr int threads = 128;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads)
    grid_reduce(const int* in, int n, unsigned* sum, int* largest, double* squares) {
    unsigned total = 0;
    int most = -2147483647 - 1;
    double square = 0.0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int value = in[i];
        total += value;
        most = max(most, value);
        square += static_cast<double>(value) * value;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        total += __shfl_xor_sync(warp_mask, total, distance);
        most = max(most, __shfl_xor_sync(warp_mask, most, distance));
        square += __shfl_xor_sync(warp_mask, square, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sum, total);
        atomicMax(largest, most);
        atomicAdd(squares, square);
    }
}
