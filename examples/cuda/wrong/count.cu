// SPDX-License-Identifier: Apache-2.0 OR MIT
// A wrong count: warps 2 and 3 wait with a count of 96 threads, although all 128 arrive. `bcu check count.ptx` reports it.

extern "C" __global__ void __launch_bounds__(128) mirror(const int* in, int* out) {
    __shared__ int tile[64];
    const int t = threadIdx.x;
    if (t < 64) {
        tile[t] = in[t];
        asm volatile("bar.arrive 1, 128;" ::: "memory");  // Full: 64 threads arrive, 64 wait.
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        out[t - 64] = tile[127 - t];
    }
}
