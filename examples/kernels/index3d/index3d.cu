// SPDX-License-Identifier: Apache-2.0 OR MIT
// Blocks and grids of three dimensions: every thread writes its indices, and its lane and warp numbers from special registers.

extern "C" __global__ void index3d(unsigned* out, unsigned char* lanes) {
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    const unsigned width = gridDim.x * blockDim.x;
    const unsigned height = gridDim.y * blockDim.y;
    const unsigned at = (z * height + y) * width + x;
    unsigned lane, below;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    out[at] = z * 10000 + y * 100 + x;
    lanes[at] = static_cast<unsigned char>(lane + (__popc(below) == lane ? 100 : 0));
}
