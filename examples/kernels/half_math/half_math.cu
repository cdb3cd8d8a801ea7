// SPDX-License-Identifier: Apache-2.0 OR MIT
// Half precision, two values per register: arithmetic, comparison, minimum and maximum, and conversion to and from single
// precision and integers.

#include <cuda_fp16.h>

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    half_math(const __half2* a, const __half2* b, __half2* out, float2* wide, int* whole) {
    const int t = threadIdx.x;
    const __half2 x = a[t];
    const __half2 y = b[t];
    const int n = threads;
    out[t] = __hadd2(x, y);
    out[n + t] = __hsub2(x, y);
    out[2 * n + t] = __hmul2(x, y);
    out[3 * n + t] = __hfma2(x, y, __half2half2(__low2half(x)));
    out[4 * n + t] = __hmax2(x, y);
    out[5 * n + t] = __hmin2(x, __hneg2(y));
    out[6 * n + t] = __habs2(__hsub2(x, y));
    out[7 * n + t] = __hgt2(x, y);
    out[8 * n + t] = __lowhigh2highlow(x);
    out[9 * n + t] = __floats2half2_rn(__low2float(x) / 3.0f, __high2float(y) / 7.0f);
    wide[t] = __half22float2(__hmul2(x, __float2half2_rn(0.125f)));
    whole[t] = __half2int_rz(__hmul(__low2half(x), __float2half(1.5f))) * 4096 + __half2int_rn(__high2half(y)) +
               (__hbeq2(x, y) ? 100000000 : 0) + (__hlt(__low2half(x), __high2half(y)) ? 200000000 : 0);
}
