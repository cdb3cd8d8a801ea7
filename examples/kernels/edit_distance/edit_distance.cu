// SPDX-License-Identifier: Apache-2.0 OR MIT
// Edit distance of two words by diagonals: all elements of a diagonal are independent of each other, and a barrier separates
// two diagonals. Three buffers in shared memory hold the last three diagonals in rotation.

constexpr int threads = 64;

extern "C" __global__ void __launch_bounds__(threads)
    edit_distance(const char* first, const char* second, int n, int m, int* out) {
    __shared__ int lines[3][threads];
    const int i = threadIdx.x;
    // Element i of a diagonal is row i of the table; the word has at most threads - 1 letters.
    first += blockIdx.x * n;
    second += blockIdx.x * m;
#pragma unroll 1
    for (int diagonal = 0; diagonal <= n + m; ++diagonal) {
        const int j = diagonal - i;
        int* now = lines[diagonal % 3];
        const int* last = lines[(diagonal + 2) % 3];
        const int* older = lines[(diagonal + 1) % 3];
        if (i <= n && j >= 0 && j <= m) {
            int value = i + j;
            if (i > 0 && j > 0) {
                value = min(last[i], last[i - 1]) + 1;
                value = min(value, older[i - 1] + (first[i - 1] != second[j - 1]));
            }
            now[i] = value;
            if (i == n && j == m) out[blockIdx.x] = value;
        }
        __syncthreads();
    }
}
