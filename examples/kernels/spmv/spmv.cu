// SPDX-License-Identifier: Apache-2.0 OR MIT
// A sparse matrix (by rows, compressed) times a vector, a warp per row: rows differ in length, some are empty, and the warps of
// a block exit at different times.

constexpr int threads = 128;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads)
    spmv(const int* starts, const unsigned short* columns, const float* values, const float* x, float* y, int rows) {
    const int row = (blockIdx.x * threads + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = starts[row] + lane; i < starts[row + 1]; i += 32) sum += values[i] * x[columns[i]];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(warp_mask, sum, distance);
    if (lane == 0) y[row] = sum;
}
