# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles the kernels of this folder to PTX: pip install triton==3.9.0 && python compile.py. Needs no GPU."""

import os
import pathlib

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    """out[row] = softmax(x[row]) for rows of `columns` elements; one program for each row."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    values = tl.load(x + row * columns + offsets, mask=mask, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + offsets, powers / tl.sum(powers, axis=0), mask=mask)


@triton.jit
def layer_norm(out, x, weight, bias, columns, BLOCK: tl.constexpr):
    """out[row] = (x[row] - mean) / sqrt(variance + 1e-5) * weight + bias; one program for each row."""
    row = tl.program_id(0)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        sums += tl.load(x + row * columns + offsets, mask=offsets < columns, other=0.0)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + offsets, mask=offsets < columns, other=0.0)
        values = tl.where(offsets < columns, values - mean, 0.0)
        squares += values * values
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + 1e-5)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        values = tl.load(x + row * columns + offsets, mask=mask, other=0.0)
        result = (values - mean) * scale * tl.load(weight + offsets, mask=mask) + tl.load(bias + offsets, mask=mask)
        tl.store(out + row * columns + offsets, result, mask=mask)


@triton.jit
def matmul(out, a, b, columns, depth, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """out = a @ b in tiles of TILE x TILE, through a pipeline of copies to shared memory; one program for each tile."""
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    cols = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inner = tl.arange(0, DEPTH)
    a_at = a + rows[:, None] * depth + inner[None, :]
    b_at = b + inner[:, None] * columns + cols[None, :]
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for _ in range(0, depth, DEPTH):
        sums += tl.dot(tl.load(a_at), tl.load(b_at))
        a_at += DEPTH
        b_at += DEPTH * columns
    tl.store(out + rows[:, None] * columns + cols[None, :], sums.to(tl.float16))


def compile(kernel, signature, constants, arch, file=None):
    """Writes the PTX of a kernel for compute capability `arch`. Pointers and sizes are multiples of 16."""
    signature = {**signature, **{name: "constexpr" for name in constants}}
    aligned = {(at,): [["tt.divisibility", 16]] for at, kind in enumerate(signature.values()) if kind != "constexpr"}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    compiled = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 4, "num_stages": 3})
    name = file or kernel.__name__
    pathlib.Path(__file__).with_name(f"{name}.ptx").write_text(compiled.asm["ptx"].strip() + "\n")
    print(f"{name}.ptx: {compiled.metadata.shared} bytes of dynamic shared memory")


floats = {"out": "*fp32", "x": "*fp32"}
compile(softmax, {**floats, "columns": "i32"}, {"BLOCK": 1024}, 90)
compile(layer_norm, {**floats, "weight": "*fp32", "bias": "*fp32", "columns": "i32"}, {"BLOCK": 256}, 90)
halves = {"out": "*fp16", "a": "*fp16", "b": "*fp16", "columns": "i32", "depth": "i32"}
compile(matmul, halves, {"TILE": 64, "DEPTH": 32}, 80)
compile(matmul, halves, {"TILE": 64, "DEPTH": 32}, 90, "matmul_wgmma")
