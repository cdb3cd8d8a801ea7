// SPDX-License-Identifier: Apache-2.0 OR MIT
// A filter whose coefficients and limits the host gives in constant memory (cudaMemcpyToSymbol). It counts the results that
// are cut off at the limits, and the sum of each block, in variables that the host reads (cudaMemcpyFromSymbol).

constexpr int threads = 64;
constexpr int blocks = 4;
constexpr int taps = 9;

namespace filter {
struct Limits {
    const float* low;
    float high;
};
__constant__ float coefficients[taps];
__constant__ Limits limits;
__device__ unsigned cut;
__device__ float sums[blocks];
}  // namespace filter

extern "C" __global__ void __launch_bounds__(threads) symbol_filter(const float* in, float* out) {
    __shared__ float tile[threads];
    const int t = threadIdx.x, at = blockIdx.x * threads + t;
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i <= taps; ++i) {
        sum += filter::coefficients[i] * in[at + i];
    }
    const float kept = fminf(fmaxf(sum, *filter::limits.low), filter::limits.high);
    if (kept != sum) {
        atomicAdd(&filter::cut, 1u);
    }
    out[at] = tile[t] = kept;
    __syncthreads();
    if (t == 0) {
        float all = 0;
#pragma unroll 1
        for (int i = 0; i < threads; ++i) {
            all += tile[i];
        }
        filter::sums[blockIdx.x] = all;
    }
}
