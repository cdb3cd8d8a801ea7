// SPDX-License-Identifier: Apache-2.0 OR MIT
// Two steps of a nine-point stencil on a periodic square, each step one launch. The tile in shared memory has a halo of one
// value; the threads load the halo in a second round.

constexpr int edge = 16;
constexpr int rim = edge + 2;

extern "C" __global__ void __launch_bounds__(edge* edge) stencil2d(const float* in, float* out, int size) {
    __shared__ float tile[rim * rim];
    const int t = threadIdx.y * edge + threadIdx.x;
    for (int i = t; i < rim * rim; i += edge * edge) {
        const int x = blockIdx.x * edge + i % rim - 1;
        const int y = blockIdx.y * edge + i / rim - 1;
        tile[i] = in[(y + size) % size * size + (x + size) % size];
    }
    __syncthreads();
    const float* here = &tile[(threadIdx.y + 1) * rim + threadIdx.x + 1];
    const float sides = here[-1] + here[1] + here[-rim] + here[rim];
    const float corners = here[-rim - 1] + here[-rim + 1] + here[rim - 1] + here[rim + 1];
    const int place = (blockIdx.y * edge + threadIdx.y) * size + blockIdx.x * edge + threadIdx.x;
    out[place] = 4.0f * here[0] - 2.0f * sides + corners;
}
