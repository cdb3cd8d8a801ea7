// SPDX-License-Identifier: Apache-2.0 OR MIT
// Linked structures that the host has built, and an array of pointers to them: one thread reverses each list, then all threads
// follow the reversed lists. The second kernel reads rows of different lengths through an array of structures with pointers.

struct Node {
    Node* next;
    int value;
};

struct Row {
    const int* data;
    int length;
};

constexpr int lists = 4;

extern "C" __global__ void __launch_bounds__(32) linked_list(Node** heads, int* out) {
    const int t = threadIdx.x;
    if (t < lists) {
        Node* done = nullptr;
        for (Node* node = heads[t]; node != nullptr;) {
            Node* next = node->next;
            node->next = done;
            done = node;
            node = next;
        }
        heads[t] = done;
    }
    // Thread t sums the values from place t/4 on in list t%4 of the reversed lists.
    int sum = 0, place = 0;
    for (const Node* node = heads[t % lists]; node != nullptr; node = node->next) {
        sum += place++ >= t / lists ? node->value : 0;
    }
    out[t] = sum;
}

extern "C" __global__ void __launch_bounds__(32) row_sums(const Row* rows, int** outs) {
    __shared__ int sum;
    const int t = threadIdx.x, row = blockIdx.x;
    if (t == 0) {
        sum = 0;
    }
    __syncthreads();
    for (int i = t; i < rows[row].length; i += 32) {
        atomicAdd(&sum, rows[row].data[i]);
    }
    __syncthreads();
    if (t == 0) {
        *outs[row] = sum;
    }
}
