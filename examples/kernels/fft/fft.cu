// SPDX-License-Identifier: Apache-2.0 OR MIT
// Fourier transform of 128 complex numbers in shared memory: the input is stored at bit-reversed indices, and seven rounds of
// butterflies follow, with a barrier after each. The roots of unity are an input; one thread per butterfly.

constexpr int threads = 64;
constexpr int count = 2 * threads;

extern "C" __global__ void __launch_bounds__(threads) fft(const float2* in, const float2* roots, float2* out) {
    __shared__ float2 box[count];
    const int t = threadIdx.x;
    box[__brev(t) >> 25] = in[t];
    box[__brev(t + threads) >> 25] = in[t + threads];
#pragma unroll 1
    for (int half = 1; half < count; half *= 2) {
        __syncthreads();
        const int low = (t & ~(half - 1)) * 2 + (t & (half - 1));
        const float2 root = roots[(t & (half - 1)) * (threads / half)];
        const float2 a = box[low];
        const float2 b = box[low + half];
        const float2 turned = make_float2(b.x * root.x - b.y * root.y, b.x * root.y + b.y * root.x);
        box[low] = make_float2(a.x + turned.x, a.y + turned.y);
        box[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
    }
    __syncthreads();
    out[t] = box[t];
    out[t + threads] = box[t + threads];
}
