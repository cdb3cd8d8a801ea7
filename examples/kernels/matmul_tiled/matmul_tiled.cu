// SPDX-License-Identifier: Apache-2.0 OR MIT
// Matrix product in single precision: each block computes a tile of the result and iterates over tiles of the factors, which
// its threads load together into shared memory.

constexpr int edge = 16;

extern "C" __global__ void __launch_bounds__(edge* edge)
    matmul_tiled(const float* a, const float* b, float* c, int columns, int inner) {
    __shared__ float left[edge][edge];
    __shared__ float right[edge][edge];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const int row = blockIdx.y * edge + y;
    const int column = blockIdx.x * edge + x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < inner; k += edge) {
        left[y][x] = a[row * inner + k + x];
        right[y][x] = b[(k + y) * columns + column];
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < edge; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    c[row * columns + column] = sum;
}
