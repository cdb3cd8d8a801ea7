// SPDX-License-Identifier: Apache-2.0 OR MIT
// im2col_convolution.cu with a fault. Planted: the filter begins two rows before the image, outside of the corners of the tensor map.
#include <cstdint>

constexpr int width = 7, height = 6, images = 2;
constexpr int channels = 8, filters = 4;
constexpr int pixels = 32;
constexpr int threads = pixels * filters;

struct alignas(64) Map {
    char bytes[128];
};

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void __launch_bounds__(threads)
    im2col_convolution(const __grid_constant__ Map in, const float* weights, float* out) {
    __shared__ alignas(128) float column[9][pixels][channels];
    __shared__ uint64_t full;
    const int t = threadIdx.x, first = blockIdx.x * pixels;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(9 * pixels * channels * 4) : "memory");
        const int w = first % width - 1, h = first / width % height - 2, n = first / (width * height);
#pragma unroll 1
        for (int i = 0; i < 9; ++i) {
            const uint16_t right = i % 3, down = i / 3;
            asm volatile(
                "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(
                    shared(column[i])), "l"(&in), "r"(0), "r"(w), "r"(h), "r"(n), "r"(shared(&full)), "h"(right), "h"(down) : "memory");
        }
    }
    __syncthreads();
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
        "@!done bra WAIT; }" ::"r"(shared(&full)) : "memory");
    const int pixel = t / filters, filter = t % filters;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < 9; ++i) {
        for (int c = 0; c < channels; ++c) sum += column[i][pixel][c] * weights[(i * channels + c) * filters + filter];
    }
    if (first + pixel < width * height * images) out[(first + pixel) * filters + filter] = sum;
}
