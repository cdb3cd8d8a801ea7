// SPDX-License-Identifier: Apache-2.0 OR MIT
// The 16-bit format with the exponent of single precision: arithmetic on pairs, and conversion, which rounds to nearest even.

#include <cuda_bf16.h>

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    bf16_math(const __nv_bfloat162* a, const __nv_bfloat162* b, __nv_bfloat162* out, float2* wide) {
    const int t = threadIdx.x;
    const __nv_bfloat162 x = a[t];
    const __nv_bfloat162 y = b[t];
    const int n = threads;
    out[t] = __hadd2(x, y);
    out[n + t] = __hsub2(x, y);
    out[2 * n + t] = __hmul2(x, y);
    out[3 * n + t] = __hfma2(x, y, __float2bfloat162_rn(1.0f));
    out[4 * n + t] = __hmax2(x, y);
    out[5 * n + t] = __hmin2(x, __hneg2(y));
    const float2 real = __bfloat1622float2(x);
    out[6 * n + t] = __floats2bfloat162_rn(real.x / 3.0f, real.y * 1.001f);
    wide[t] = make_float2(real.x + 0.5f, __bfloat162float(__high2bfloat16(y)) * 0.25f);
}
