// SPDX-License-Identifier: Apache-2.0 OR MIT
// Each warp reduces its values without shared memory: a sum by shuffles down, a maximum by a butterfly, and a minimum and a
// bitwise or by the reduction instruction for integers.

constexpr int threads = 128;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads)
    warp_reduce(const float* real, const int* whole, float* sum, float* largest, int* smallest, unsigned* bits) {
    const int at = blockIdx.x * threads + threadIdx.x;
    const int warp = at / 32;
    float total = real[at];
    for (int distance = 16; distance > 0; distance /= 2) total += __shfl_down_sync(warp_mask, total, distance);
    float most = real[at];
    for (int distance = 16; distance > 0; distance /= 2) most = fmaxf(most, __shfl_xor_sync(warp_mask, most, distance));
    const int least = __reduce_min_sync(warp_mask, whole[at]);
    const unsigned any = __reduce_or_sync(warp_mask, static_cast<unsigned>(whole[at]));
    // Only lane 0 has the complete sum; every lane has the same maximum, and the last lane writes it.
    if (threadIdx.x % 32 == 0) {
        sum[warp] = total;
        smallest[warp] = least;
        bits[warp] = any;
    }
    if (threadIdx.x % 32 == 31) largest[warp] = most;
}
