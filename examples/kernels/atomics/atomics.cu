// SPDX-License-Identifier: Apache-2.0 OR MIT
// Every atomic operation once, in global and in shared memory, with 32 and 64 bits. The kernel keeps only results that do not
// depend on the order of the threads.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    atomics(const unsigned* in, unsigned* words, unsigned long long* longs, float* real, unsigned* shared_out) {
    __shared__ unsigned box[4];
    __shared__ unsigned long long wide;
    const int t = threadIdx.x;
    if (t < 4) box[t] = 0;
    if (t == 0) wide = ~0ull;
    __syncthreads();
    const unsigned x = in[blockIdx.x * threads + t];
    atomicAdd(&words[0], x);
    atomicSub(&words[1], x);
    atomicMin(&words[2], x);
    atomicMax(&words[3], x);
    atomicAnd(&words[4], x | 0xffff0000u);
    atomicOr(&words[5], x & 0x00ff00ffu);
    atomicXor(&words[6], x);
    // Counts up to 9 and wraps to 0, and counts down with the same wrap.
    atomicInc(&words[7], 9u);
    atomicDec(&words[8], 9u);
    atomicMax(reinterpret_cast<int*>(&words[9]), static_cast<int>(x));
    atomicMin(reinterpret_cast<int*>(&words[10]), static_cast<int>(x));
    // All threads exchange the same value, and the compare-and-swap of only one thread succeeds.
    if (atomicExch(&words[11], 7u) == 0u) atomicAdd(&words[12], 1u);
    if (atomicCAS(&words[13], 0u, 5u) == 0u) atomicAdd(&words[14], 1u);
    atomicAdd(&longs[0], static_cast<unsigned long long>(x) << 8);
    atomicMax(&longs[1], static_cast<unsigned long long>(x) * x);
    atomicXor(&longs[2], static_cast<unsigned long long>(x) << 31);
    // A product of odd numbers: each thread retries its compare-and-swap until no other thread has changed the word in between.
    unsigned long long seen = *static_cast<volatile unsigned long long*>(&longs[3]);
    unsigned long long before;
    do {
        before = seen;
        seen = atomicCAS(&longs[3], before, before * (2ull * x + 1ull));
    } while (seen != before);
    atomicAdd(real, static_cast<float>(x % 256));
    atomicAdd(&box[0], x % 1000);
    atomicMax(&box[1], x);
    atomicOr(&box[2], 1u << (x % 32));
    atomicXor(&box[3], x * 3);
    atomicMin(&wide, static_cast<unsigned long long>(x) << 20);
    __syncthreads();
    if (t < 4) shared_out[blockIdx.x * 6 + t] = box[t];
    if (t == 0) {
        shared_out[blockIdx.x * 6 + 4] = static_cast<unsigned>(wide);
        shared_out[blockIdx.x * 6 + 5] = static_cast<unsigned>(wide >> 32);
    }
}
