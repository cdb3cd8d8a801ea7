// SPDX-License-Identifier: Apache-2.0 OR MIT
// Stable radix sort of 16-bit keys in one block, four bits per pass. By ballots each lane finds the lanes of its warp with the
// same digit; the first warp scans the counts per digit and warp, and every thread moves its key to its new position.

constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr int digits = 16;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads)
    radix_sort(const unsigned* in, unsigned* keys_out, unsigned* from_out) {
    __shared__ unsigned keys[threads];
    __shared__ unsigned from[threads];
    __shared__ unsigned counts[digits * warps];
    const int t = threadIdx.x;
    const int lane = t % 32;
    const int warp = t / 32;
    unsigned key = in[t];
    unsigned place = t;
#pragma unroll 1
    for (int shift = 0; shift < 16; shift += 4) {
        if (t < digits * warps) counts[t] = 0;
        __syncthreads();
        const unsigned digit = (key >> shift) % digits;
        unsigned peers = warp_mask;
        for (int bit = 0; bit < 4; ++bit) {
            const bool set = (digit >> bit) & 1;
            const unsigned with = __ballot_sync(warp_mask, set);
            peers &= set ? with : ~with;
        }
        const int rank = __popc(peers & ((1u << lane) - 1));
        if (rank == 0) counts[digit * warps + warp] = __popc(peers);
        __syncthreads();
        if (warp == 0) {
            // The scan replaces each of 64 counts, two per lane, by the position of the first key that it counts.
            const unsigned first = counts[2 * lane];
            const unsigned second = counts[2 * lane + 1];
            unsigned sum = first + second;
            for (int distance = 1; distance < 32; distance *= 2) {
                const unsigned before = __shfl_up_sync(warp_mask, sum, distance);
                if (lane >= distance) sum += before;
            }
            counts[2 * lane] = sum - first - second;
            counts[2 * lane + 1] = sum - second;
        }
        __syncthreads();
        const int to = counts[digit * warps + warp] + rank;
        keys[to] = key;
        from[to] = place;
        __syncthreads();
        key = keys[t];
        place = from[t];
    }
    keys_out[t] = key;
    from_out[t] = place;
}
