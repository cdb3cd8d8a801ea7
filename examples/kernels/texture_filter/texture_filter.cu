// SPDX-License-Identifier: Apache-2.0 OR MIT
// Textures: interpolated between four texels with coordinates from 0 to 1 that wrap, the nearest of four bytes as numbers from 0 to 1, a
// line of signed words by index, and a cube with a border. Threads read at places inside and outside.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
texture_filter(cudaTextureObject_t plane, cudaTextureObject_t colours, cudaTextureObject_t line, cudaTextureObject_t cube,
               const float2* at, float* smooth, float4* nearest, int* indexed, float* inside) {
    const int t = threadIdx.x;
    const float2 p = at[t];
    smooth[t] = tex2D<float>(plane, p.x, p.y);
    nearest[t] = tex2D<float4>(colours, p.x * 6, p.y * 5);
    indexed[t] = tex1Dfetch<int>(line, t - 8);
    inside[t] = tex3D<float>(cube, p.x * 4, p.y * 3, (t % 5) * 0.5f);
}
