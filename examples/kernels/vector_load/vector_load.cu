// SPDX-License-Identifier: Apache-2.0 OR MIT
// Vector loads and stores, and loads and stores with cache operators.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    vector_load(const float4* a, float4* b, const ulonglong2* wide, ulonglong2* swapped, const uchar4* bytes, ushort2* shorts) {
    const int t = threadIdx.x;
    const float4 x = __ldg(a + t);
    const float4 y = __ldcg(a + threads - 1 - t);
    float4 z = b[t];
    z.x += 2.0f * x.x - y.w;
    z.y += 2.0f * x.y - y.z;
    z.z += 2.0f * x.z - y.y;
    z.w += 2.0f * x.w - y.x;
    __stcs(b + t, z);
    const ulonglong2 pair = __ldlu(wide + t);
    __stwt(swapped + t, make_ulonglong2(pair.y, pair.x + t));
    const uchar4 four = __ldca(bytes + t);
    shorts[t] = make_ushort2(four.x * 256 + four.w, four.y + four.z);
}
