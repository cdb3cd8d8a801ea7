// SPDX-License-Identifier: Apache-2.0 OR MIT
// local_array.cu with a fault. Planted: the original positions are moved with the numbers and read, but they are never
// written.

constexpr int threads = 64;
constexpr int count = 16;

extern "C" __global__ void __launch_bounds__(threads) local_array(const short* in, short* sorted, int* smallest) {
    const int t = threadIdx.x;
    short value[count];
    unsigned char from[count];
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
        const short next = in[t * count + i];
        int place = i;
        while (place > 0 && value[place - 1] > next) {
            value[place] = value[place - 1];
            from[place] = from[place - 1];
            --place;
        }
        value[place] = next;
    }
#pragma unroll 1
    for (int i = 0; i < count; ++i) sorted[t * count + i] = value[i];
    smallest[t] = from[0] * 100 + from[count - 1];
}
