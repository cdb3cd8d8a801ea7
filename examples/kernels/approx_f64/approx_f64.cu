// SPDX-License-Identifier: Apache-2.0 OR MIT
// Double precision from approximations of 32 bits: the reciprocal and the reciprocal square root with their upper words only, refined by
// Newton steps, and the reciprocal square root of the library.

constexpr int threads = 64;

__device__ double reciprocal_start(double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

__device__ double root_start(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

extern "C" __global__ void __launch_bounds__(threads) approx_f64(const double* in, double* out, unsigned* low) {
    const int t = threadIdx.x;
    const double x = in[t];
    const double start = reciprocal_start(x), root = root_start(x);
    low[t] = __double2loint(start) | __double2loint(root);
    double y = start;
    for (int step = 0; step < 2; step++) y = fma(y, fma(-x, y, 1.0), y);
    double r = root;
    for (int step = 0; step < 2; step++) r = fma(0.5 * r, fma(-x * r, r, 1.0), r);
    out[t] = y;
    out[threads + t] = r;
    out[2 * threads + t] = rsqrt(x);
}
