// SPDX-License-Identifier: Apache-2.0 OR MIT
// Structures as parameters of the kernel: pointers, numbers of several sizes and an array, each at its offset in the C layout.

constexpr int threads = 64;

struct Task {
    const float* in;
    float* out;
    int count;
    short offset;
    unsigned char step;
    double factor;
    float weights[4];
};

struct Pair {
    unsigned char low;
    unsigned long long high;
};

extern "C" __global__ void __launch_bounds__(threads) struct_param(const Task task, short bias, const Pair pair) {
    const int t = blockIdx.x * threads + threadIdx.x;
    if (t >= task.count) return;
    const float value = task.in[(t * task.step + task.offset) % task.count];
    // The index into the array differs from thread to thread.
    const float weighted = value * task.weights[t % 4] + static_cast<float>(bias);
    task.out[t] = static_cast<float>(weighted * task.factor) + static_cast<float>(pair.high % 1000 + pair.low);
}
