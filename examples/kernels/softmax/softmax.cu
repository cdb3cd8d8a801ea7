// SPDX-License-Identifier: Apache-2.0 OR MIT
// Softmax of rows, a warp per row: the largest value is subtracted first, then exponentials and their sum. The functions are the
// approximate ones of the hardware, so the reference result has a tolerance.

constexpr int threads = 128;
constexpr int columns = 100;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads) softmax(const float* in, float* out, float* entropy, float* norm) {
    const int lane = threadIdx.x % 32;
    const int row = blockIdx.x * (threads / 32) + threadIdx.x / 32;
    float largest = -3.402823466e38f;
    for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, in[row * columns + i]);
    for (int distance = 16; distance > 0; distance /= 2) largest = fmaxf(largest, __shfl_xor_sync(warp_mask, largest, distance));
    float sum = 0.0f;
    for (int i = lane; i < columns; i += 32) sum += __expf(in[row * columns + i] - largest);
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(warp_mask, sum, distance);
    const float scale = 1.0f / sum;
    float bits = 0.0f;
    float squares = 0.0f;
    for (int i = lane; i < columns; i += 32) {
        const float share = expf(in[row * columns + i] - largest) * scale;
        out[row * columns + i] = share;
        bits -= share * __log2f(share);
        squares += share * share;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        bits += __shfl_xor_sync(warp_mask, bits, distance);
        squares += __shfl_xor_sync(warp_mask, squares, distance);
    }
    if (lane == 0) {
        entropy[row] = bits;
        norm[row] = rsqrtf(squares);
    }
}
