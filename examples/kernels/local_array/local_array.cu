// SPDX-License-Identifier: Apache-2.0 OR MIT
// Each thread has an array that it indexes with computed values, so the array is in local memory. Every thread sorts its
// sixteen numbers by insertion and returns the original position of the smallest one.

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
        from[place] = static_cast<unsigned char>(i);
    }
#pragma unroll 1
    for (int i = 0; i < count; ++i) sorted[t * count + i] = value[i];
    smallest[t] = from[0] * 100 + from[count - 1];
}
