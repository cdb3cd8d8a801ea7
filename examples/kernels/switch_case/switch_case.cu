// SPDX-License-Identifier: Apache-2.0 OR MIT
// A small interpreter: every thread runs the same list of operations on its own number. Then each thread begins at another entry
// of the list, so that the lanes diverge. The compiler translates the switch to comparisons; an interpreter of four operations
// has a branch table, by inline assembly.

constexpr int threads = 64;

__device__ __noinline__ int step(int operation, int argument, int value) {
    switch (operation) {
        case 0: return value + argument;
        case 1: return value - argument;
        case 2: return value * argument;
        case 3: return value ^ argument;
        case 4: return (value << 3) | (argument & 7);
        case 5: return value & ~argument;
        case 6: return value % (argument + 1000);
        case 7: return max(value, argument);
        case 8: return -value;
        default: return argument;
    }
}

__device__ __forceinline__ int jump(int operation, int argument, int value) {
    asm("{\n\t"
        "cases: .branchtargets sum, difference, product, other;\n\t"
        "brx.idx %1, cases;\n\t"
        "sum: add.s32 %0, %0, %2; bra done;\n\t"
        "difference: sub.s32 %0, %0, %2; bra done;\n\t"
        "product: mul.lo.s32 %0, %0, %2; bra done;\n\t"
        "other: xor.b32 %0, %0, %2;\n\t"
        "done:\n\t"
        "}"
        : "+r"(value)
        : "r"(operation & 3), "r"(argument));
    return value;
}

extern "C" __global__ void __launch_bounds__(threads)
    switch_case(const int2* list, int length, int* together, int* apart, int* jumps) {
    const int t = threadIdx.x;
    int value = t;
#pragma unroll 1
    for (int i = 0; i < length; ++i) value = step(list[i].x, list[i].y, value);
    together[t] = value;
    value = 3 * t;
#pragma unroll 1
    for (int i = 0; i < length; ++i) value = step(list[(i + t) % length].x, list[(i + t) % length].y, value);
    apart[t] = value;
    value = 5 * t;
#pragma unroll 1
    for (int i = 0; i < length; ++i) value = jump(list[(i + t) % length].x, list[i].y, value);
    jumps[t] = value;
}
