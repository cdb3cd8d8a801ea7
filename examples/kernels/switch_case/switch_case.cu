// SPDX-License-Identifier: Apache-2.0 OR MIT
// A small machine: every thread runs the same list of operations on its own number, and the cases of the switch become a table
// of jumps. In the second half each thread begins at another place of the list, so that the lanes go different ways.

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

extern "C" __global__ void __launch_bounds__(threads) switch_case(const int2* list, int length, int* together, int* apart) {
    const int t = threadIdx.x;
    int value = t;
#pragma unroll 1
    for (int i = 0; i < length; ++i) value = step(list[i].x, list[i].y, value);
    together[t] = value;
    value = 3 * t;
#pragma unroll 1
    for (int i = 0; i < length; ++i) value = step(list[(i + t) % length].x, list[(i + t) % length].y, value);
    apart[t] = value;
}
