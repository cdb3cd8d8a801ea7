// SPDX-License-Identifier: Apache-2.0 OR MIT
// Words of which only some bytes or bits are written: padding of structures, the unwritten half of a word, bits above a narrow number.
// Every result masks the unwritten bits away, so it is known.

constexpr int threads = 64;

// One byte, three bytes of padding, a word, a half word, two bytes of padding.
struct Record {
    unsigned char kind;
    unsigned value;
    unsigned short low;
};

struct Words {
    unsigned word[3];
};

extern "C" __global__ void __launch_bounds__(threads) packed_fields(const Words record, unsigned* words, unsigned* out) {
    __shared__ unsigned halves[threads];
    const int t = threadIdx.x;
    // The record is read as words: its padding has no value.
    const unsigned kind = record.word[0] & 0xff;
    const unsigned low = (record.word[2] << 16) >> 16;

    // Only the lower half of each word is written.
    reinterpret_cast<unsigned short*>(halves)[2 * t] = static_cast<unsigned short>(t * 257 + low);
    __syncthreads();
    const unsigned other = halves[t ^ 1];
    const unsigned packed = __byte_perm(halves[t], other, 0x5410);
    const unsigned field = __brev(other << 16) & 0xffff;

    // A record in global memory, whose padding stays unwritten; the words are then read and masked.
    reinterpret_cast<Record*>(words)[t] = Record{static_cast<unsigned char>(t), packed, static_cast<unsigned short>(field)};
    __syncthreads();
    const volatile unsigned* mine = words + 3 * t;
    const unsigned first = mine[0], third = mine[2];
    const unsigned joined = (first & 0xff) | (third << 8 & 0xffff00) | kind << 24;
    out[3 * t] = packed;
    out[3 * t + 1] = joined;
    out[3 * t + 2] = (first + 5 & 0xff) * 2;
}
