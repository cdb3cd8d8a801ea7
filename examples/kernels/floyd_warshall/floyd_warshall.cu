// SPDX-License-Identifier: Apache-2.0 OR MIT
// Shortest ways between all pairs of 16 places: in each round every pair tries one more place in between. One thread per pair,
// two barriers per round.

constexpr int places = 16;

extern "C" __global__ void __launch_bounds__(places* places) floyd_warshall(const unsigned short* in, unsigned short* out) {
    __shared__ unsigned short way[places][places];
    const int from = threadIdx.y;
    const int to = threadIdx.x;
    way[from][to] = in[from * places + to];
#pragma unroll 1
    for (int over = 0; over < places; ++over) {
        __syncthreads();
        const int length = way[from][over] + way[over][to];
        __syncthreads();
        if (length < way[from][to]) way[from][to] = static_cast<unsigned short>(length);
    }
    out[from * places + to] = way[from][to];
}
