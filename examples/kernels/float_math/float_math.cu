// SPDX-License-Identifier: Apache-2.0 OR MIT
// Single-precision operations whose result the standard fully defines: the nearest number, or the number in the given direction
// of rounding. Conversions to integers saturate; comparisons have defined results for not-a-number.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads) float_math(const float* a, const float* b, float* real, int* whole) {
    const int t = threadIdx.x;
    const float x = a[t];
    const float y = b[t];
    const int n = threads;
    float* r = real + t;
    int* w = whole + t;
    r[0] = __fadd_rn(x, y);
    r[n] = __fmul_rn(x, y);
    r[2 * n] = __fdiv_rn(x, y);
    r[3 * n] = __fsqrt_rn(fabsf(x));
    r[4 * n] = __fmaf_rn(x, y, -__fmul_rn(x, y));
    r[5 * n] = __fadd_rz(x, y);
    r[6 * n] = __fadd_rd(x, y);
    r[7 * n] = __fadd_ru(x, y);
    r[8 * n] = fminf(x, y) + 0.0f;
    r[9 * n] = fmaxf(x, y) + 0.0f;
    r[10 * n] = copysignf(x, y);
    r[11 * n] = floorf(x);
    r[12 * n] = ceilf(x);
    r[13 * n] = truncf(x);
    r[14 * n] = rintf(x);
    r[15 * n] = __saturatef(x);
    r[16 * n] = static_cast<float>(static_cast<double>(x) * static_cast<double>(y) + 1.0);
    r[17 * n] = static_cast<float>(__float_as_int(x));
    w[0] = __float2int_rn(x);
    w[n] = __float2int_rz(x * 1000.0f);
    w[2 * n] = __float2int_ru(y);
    w[3 * n] = __float2int_rd(y);
    w[4 * n] = static_cast<int>(__float2uint_rz(x));
    w[5 * n] = (x < y) + 2 * (x == y) + 4 * (x != y) + 8 * !(x >= y) + 16 * (isnan(x) ? 1 : 0) + 32 * (isinf(y) ? 1 : 0);
    w[6 * n] = __float_as_int(x) ^ __float_as_int(y);
}
