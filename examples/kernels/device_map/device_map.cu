// SPDX-License-Identifier: Apache-2.0 OR MIT
// Each block makes the tensor map of its own matrix: it changes address and height in a copy of the host's map, publishes the map to
// global memory, and another warp loads a box by it. The matrices have different heights, and the rows beyond them are 0.
#include <cstdint>

constexpr int threads = 64;
constexpr int columns = 16;
constexpr int most_rows = 8;

struct alignas(64) Map {
    uint32_t words[32];
};

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

extern "C" __global__ void __launch_bounds__(threads)
    device_map(const __grid_constant__ Map pattern, Map* maps, const float* data, const int* first_row, float* sums) {
    __shared__ alignas(1024) float box[most_rows][columns];
    __shared__ alignas(128) Map map;
    __shared__ uint64_t full;
    const int t = threadIdx.x, b = blockIdx.x;
    Map* const published = maps + b;
    if (t < 32) {
        map.words[t] = pattern.words[t];
        __syncwarp();
        if (t == 0) {
            const int first = first_row[b], rows = first_row[b + 1] - first;
            asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(shared(&map)),
                         "l"(data + first * columns) : "memory");
            asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(shared(&map)), "r"(rows) : "memory");
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full)) : "memory");
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncwarp();
        asm volatile(
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(published),
            "r"(shared(&map)) : "memory");
    }
    __syncthreads();
    if (t == 32) {
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(published) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(most_rows * columns * 4) : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(
                shared(box)), "l"(published), "r"(0), "r"(shared(&full)) : "memory");
    }
    if (t >= columns) return;
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
        "@!done bra WAIT; }" ::"r"(shared(&full)) : "memory");
    float sum = 0;
    for (int row = 0; row < most_rows; ++row) sum += box[row][t];
    sums[b * columns + t] = sum;
}
