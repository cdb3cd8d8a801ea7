// SPDX-License-Identifier: Apache-2.0 OR MIT
// Asynchronous copies to shared memory, in the style of sm_80: a ring of three stages, a group of copies per stage, and a wait
// until at most one group is in flight. Each thread copies 16 bytes of values and 4 bytes of scale per stage.

constexpr int threads = 64;
constexpr int stages = 3;
constexpr int tiles = 6;

__device__ __forceinline__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void __launch_bounds__(threads) cp_async(const float4* values, const float* scales, float4* out) {
    __shared__ float4 value[stages][threads];
    __shared__ float scale[stages][threads];
    const int t = threadIdx.x;
    auto fetch = [&](int tile) {
        if (tile < tiles) {
            const int stage = tile % stages;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&value[stage][t])),
                         "l"(values + tile * threads + t)
                         : "memory");
            // The last eight threads copy nothing and get zero.
            const int bytes = t < threads - 8 ? 4 : 0;
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(&scale[stage][t])),
                         "l"(scales + tile * threads + t), "r"(bytes)
                         : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    fetch(1);
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 1
    for (int tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        fetch(tile + 2);
        const float4 v = value[tile % stages][threads - 1 - t];
        const float s = scale[tile % stages][t];
        sum.x += v.x * s;
        sum.y += v.y * s;
        sum.z += v.z * s;
        sum.w += v.w;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = sum;
}
