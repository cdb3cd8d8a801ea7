// SPDX-License-Identifier: Apache-2.0 OR MIT
// Inclusive prefix sums per block: each warp scans by shuffles, the first warp scans the sums of the warps, and every thread
// adds the sum of all earlier warps.

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr unsigned warp_mask = 0xffffffffu;

__device__ __forceinline__ unsigned scan_warp(unsigned value, int lane) {
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned before = __shfl_up_sync(warp_mask, value, distance);
        if (lane >= distance) value += before;
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(threads) inclusive_scan(const unsigned* in, unsigned* out) {
    __shared__ unsigned ends[warps];
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int warp = t / 32;
    const int at = blockIdx.x * threads + t;
    unsigned value = scan_warp(in[at], lane);
    if (lane == 31) ends[warp] = value;
    __syncthreads();
    if (warp == 0) {
        const unsigned sums = scan_warp(lane < warps ? ends[lane] : 0, lane);
        if (lane < warps) ends[lane] = sums;
    }
    __syncthreads();
    if (warp > 0) value += ends[warp - 1];
    out[at] = value;
}
