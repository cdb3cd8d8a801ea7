// SPDX-License-Identifier: Apache-2.0 OR MIT
// A matrix is transposed by tiles that tensor copies bring into shared memory and take from there. Both tiles have the swizzle of 128
// bytes, so that neither the rows nor the columns of a warp meet in a bank; the threads exchange the chunks of 16 bytes by hand.
#include <cstdint>

constexpr int threads = 128;
constexpr int side = 32;

// The place of a tensor map, which the host makes.
struct alignas(64) Map {
    char bytes[128];
};

__device__ inline uint32_t shared(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

// The index of an element in a tile at a multiple of 1024 bytes.
__device__ inline int place(int row, int column) { return row * side + ((column / 4 ^ row % 8) * 4 + column % 4); }

extern "C" __global__ void __launch_bounds__(threads)
    swizzle_transpose(const __grid_constant__ Map in, const __grid_constant__ Map out) {
    __shared__ alignas(1024) float tile[2][side * side];
    __shared__ uint64_t full;
    const int t = threadIdx.x, x = blockIdx.x * side, y = blockIdx.y * side;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(side * side * 4) : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                shared(tile[0])), "l"(&in), "r"(x), "r"(y), "r"(shared(&full)) : "memory");
    }
    __syncthreads();
    asm volatile(
        "{ .reg .pred done;\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
        "@!done bra WAIT; }" ::"r"(shared(&full)) : "memory");
#pragma unroll 1
    for (int i = t; i < side * side; i += threads) {
        const int row = i / side, column = i % side;
        tile[1][place(column, row)] = tile[0][place(row, column)];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out), "r"(y), "r"(x),
                     "r"(shared(tile[1])) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}
