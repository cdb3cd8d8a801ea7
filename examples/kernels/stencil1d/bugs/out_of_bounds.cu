// SPDX-License-Identifier: Apache-2.0 OR MIT
// stencil1d.cu with a fault. Planted: the array in shared memory has space for one halo only.

constexpr int threads = 128;
constexpr int radius = 3;

extern "C" __global__ void __launch_bounds__(threads) stencil1d(const float* in, float* out, int n) {
    __shared__ float part[threads + radius];
    const int t = threadIdx.x;
    const int at = blockIdx.x * threads + t;
    part[t + radius] = at < n ? in[at] : 0.0f;
    if (t < radius) {
        part[t] = at >= radius ? in[at - radius] : 0.0f;
        part[t + radius + threads] = at + threads < n ? in[at + threads] : 0.0f;
    }
    __syncthreads();
    if (at >= n) return;
    float sum = 0.0f;
    for (int i = 0; i <= 2 * radius; ++i) sum += part[t + i];
    out[at] = sum;
}
