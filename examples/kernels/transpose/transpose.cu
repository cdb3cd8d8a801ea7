// SPDX-License-Identifier: Apache-2.0 OR MIT
// Transposes a matrix by square tiles in shared memory. The rows of the tile are one element longer than needed, so that
// reading a column accesses every bank once. The last tiles are only partly filled.

constexpr int edge = 32;
constexpr int rows_per_step = 8;

extern "C" __global__ void __launch_bounds__(edge* rows_per_step)
    transpose(const float* in, float* out, int width, int height) {
    __shared__ float tile[edge][edge + 1];
    int x = blockIdx.x * edge + threadIdx.x;
    int y = blockIdx.y * edge + threadIdx.y;
    for (int row = 0; row < edge; row += rows_per_step) {
        if (x < width && y + row < height) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * edge + threadIdx.x;
    y = blockIdx.x * edge + threadIdx.y;
    for (int row = 0; row < edge; row += rows_per_step) {
        if (x < height && y + row < width) out[(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
    }
}
