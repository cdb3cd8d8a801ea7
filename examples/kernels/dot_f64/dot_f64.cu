// SPDX-License-Identifier: Apache-2.0 OR MIT
// Dot product in double precision: the partial sums of the threads are reduced by shuffles and then through shared memory.
// One pair of vectors holds integers, whose products add up exactly; the other pair needs rounding.

constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr unsigned warp_mask = 0xffffffffu;

__device__ __forceinline__ double reduce(double value, double* part) {
    for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(warp_mask, value, distance);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    double sum = 0.0;
    for (int warp = 0; warp < warps; ++warp) sum += part[warp];
    __syncthreads();
    return sum;
}

extern "C" __global__ void __launch_bounds__(threads)
    dot_f64(const double* a, const double* b, const double* c, int n, double* exact, double* rounded) {
    __shared__ double part[warps];
    double whole = 0.0;
    double real = 0.0;
#pragma unroll 1
    for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
        whole = fma(a[i], b[i], whole);
        real += c[i] * sqrt(b[i] + 1.0) / 3.0;
    }
    whole = reduce(whole, part);
    real = reduce(real, part);
    if (threadIdx.x == 0) {
        exact[blockIdx.x] = whole;
        rounded[blockIdx.x] = real;
    }
}
