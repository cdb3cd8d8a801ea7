// SPDX-License-Identifier: Apache-2.0 OR MIT
// A pipeline of warps with three roles: the first loads, the two in the middle compute, the last one stores. Between two roles
// is a ring of two buffers, each with a barrier for full and one for empty: eight named barriers, with 96 threads each.

constexpr int threads = 128;
constexpr int steps = 6;
constexpr int width = 64;

__device__ __forceinline__ void wait(int id) { asm volatile("bar.sync %0, 96;" ::"r"(id) : "memory"); }
__device__ __forceinline__ void tell(int id) { asm volatile("bar.arrive %0, 96;" ::"r"(id) : "memory"); }

extern "C" __global__ void __launch_bounds__(threads) three_roles(const int* in, int* out) {
    __shared__ int loaded[2][width];
    __shared__ int made[2][width];
    constexpr int loaded_full = 1, loaded_empty = 3, computed_full = 5, computed_empty = 7;
    const int t = threadIdx.x;
    const int lane = t % 32;
    if (t < 32) {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            const int slot = step % 2;
            if (step >= 2) wait(loaded_empty + slot);
            loaded[slot][lane] = in[step * width + lane];
            loaded[slot][lane + 32] = in[step * width + lane + 32];
            tell(loaded_full + slot);
        }
    } else if (t < 96) {
        const int place = t - 32;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            const int slot = step % 2;
            wait(loaded_full + slot);
            const int value = loaded[slot][place] * 5 - loaded[slot][width - 1 - place];
            if (step + 2 < steps) tell(loaded_empty + slot);
            if (step >= 2) wait(computed_empty + slot);
            made[slot][place] = value;
            tell(computed_full + slot);
        }
    } else {
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            const int slot = step % 2;
            wait(computed_full + slot);
            const int low = made[slot][lane];
            const int high = made[slot][lane + 32];
            if (step + 2 < steps) tell(computed_empty + slot);
            out[step * width + lane] = low;
            out[step * width + lane + 32] = high + low;
        }
    }
}
