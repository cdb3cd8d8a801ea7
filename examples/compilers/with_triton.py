# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles `block_sum` with Triton, without a GPU: `python with_triton.py triton.ptx`."""

import os
import pathlib
import sys

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"  # Else the PTX names the folder of this file.

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def block_sum(x, sums, n, BLOCK: tl.constexpr):
    """sums[b] is the sum of the elements of `x` that program b reads."""
    block = tl.program_id(0)
    at = block * BLOCK + tl.arange(0, BLOCK)
    tl.store(sums + block, tl.sum(tl.load(x + at, mask=at < n, other=0.0)))


signature = {"x": "*fp32", "sums": "*fp32", "n": "i32", "BLOCK": "constexpr"}
source = ASTSource(fn=block_sum, signature=signature, constexprs={"BLOCK": 128})
compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4, "enable_fp_fusion": True})
pathlib.Path(sys.argv[1]).write_text(compiled.asm["ptx"].strip() + "\n")
print(f"block = [{32 * compiled.metadata.num_warps}], shared = {compiled.metadata.shared}")
