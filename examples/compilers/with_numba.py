# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles `block_sum` with Numba, without a GPU: `python with_numba.py numba.ptx`."""

import pathlib
import sys

from numba import cuda, float32, void


def block_sum(x, sums):
    """sums[b] is the sum of the elements of `x` that block b reads, one for each thread; 128 threads per block."""
    part = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * 128 + t
    part[t] = x[i] if i < x.shape[0] else float32(0)
    half = 64
    while half > 0:
        cuda.syncthreads()
        if t < half:
            part[t] += part[t + half]
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


ptx, _ = cuda.compile(block_sum, void(float32[::1], float32[::1]), device=False, abi="numba", cc=(8, 0), output="ptx")
pathlib.Path(sys.argv[1]).write_text(ptx.strip() + "\n")
