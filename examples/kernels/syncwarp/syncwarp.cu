// SPDX-License-Identifier: Apache-2.0 OR MIT
// Lanes exchange through shared memory with nothing but __syncwarp: rotations of the whole warp, then of its two halves, which
// take different branches and give their lanes as masks.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads) syncwarp(const int* in, int* out) {
    __shared__ int box[threads];
    const int t = threadIdx.x;
    const int lane = t % 32;
    int* mine = box + t / 32 * 32;
    int value = in[blockIdx.x * threads + t];
#pragma unroll 1
    for (int distance = 1; distance < 32; distance *= 2) {
        mine[lane] = value;
        __syncwarp();
        value += 3 * mine[(lane + distance) % 32];
        __syncwarp();
    }
    if (lane < 16) {
        mine[lane] = value;
        __syncwarp(0x0000ffffu);
        value = mine[15 - lane] + 1;
    } else {
        mine[lane] = value - lane;
        __syncwarp(0xffff0000u);
        value = mine[16 + (lane + 5) % 16] * 2;
    }
    out[blockIdx.x * threads + t] = value;
}
