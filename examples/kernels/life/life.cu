// SPDX-License-Identifier: Apache-2.0 OR MIT
// Conway's game of life on a torus, one generation per launch: four launches swap the two boards, and another kernel of the same
// program counts the cells in the end.

constexpr int edge = 16;

extern "C" __global__ void __launch_bounds__(edge* edge)
    life_step(const unsigned char* in, unsigned char* out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            if (dx == 0 && dy == 0) continue;
            neighbours += in[(y + dy + height) % height * width + (x + dx + width) % width];
        }
    }
    out[y * width + x] = neighbours == 3 || (neighbours == 2 && in[y * width + x]);
}

extern "C" __global__ void life_count(const unsigned char* board, int cells, int* alive) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int ones = __syncthreads_count(i < cells && board[i] != 0);
    if (threadIdx.x == 0) atomicAdd(alive, ones);
}
