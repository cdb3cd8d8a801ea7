// SPDX-License-Identifier: Apache-2.0 OR MIT
// grid_reduce.cu with a fault. Planted: the loop reads one value beyond the end of the input.

constexpr int threads = 128;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads)
    grid_reduce(const int* in, int n, unsigned* sum, int* largest, double* squares) {
    unsigned total = 0;
    int most = -2147483647 - 1;
    double square = 0.0;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) {
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
