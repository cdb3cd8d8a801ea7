// SPDX-License-Identifier: Apache-2.0 OR MIT
// Lanes find other lanes with the same value, one lane adds for its whole group, and the lanes that are active together reserve
// elements with one atomic. The masks of active lanes may differ from run to run; the written values do not.

constexpr int threads = 64;
constexpr unsigned warp_mask = 0xffffffffu;

extern "C" __global__ void __launch_bounds__(threads)
    match(const int* keys, unsigned* same, int* alike, int* total, int* taken, int* by_key) {
    const int at = blockIdx.x * threads + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int key = keys[at];
    const unsigned peers = __match_any_sync(warp_mask, key);
    same[at] = peers;
    // One lane per group adds for all lanes of the group.
    if (lane == __ffs(peers) - 1) atomicAdd(&by_key[key], __popc(peers));
    int uniform;
    const unsigned every = __match_all_sync(warp_mask, static_cast<long long>(key) >> 3, &uniform);
    alike[at] = uniform ? (every == warp_mask ? 1 : -1) : 0;
    if (key % 3 == 0) {
        // The active lanes reserve elements of `taken` together; the hardware decides which lanes are active together.
        const unsigned here = __activemask();
        const int leader = __ffs(here) - 1;
        int base = 0;
        if (lane == leader) base = atomicAdd(total, __popc(here));
        base = __shfl_sync(here, base, leader);
        taken[base + __popc(here & ((1u << lane) - 1))] = 1;
    }
}
