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


@triton.jit
def matmul_tma(out, a, b, depth, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """out = a @ b by tensor copies into a ring of tiles; one program for each tile."""
    row, column = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for inner in range(0, depth, DEPTH):
        sums += tl.dot(a.load([row, inner]), b.load([inner, column]))
    out.store([row, column], sums.to(tl.float16))


@triton.jit
def matmul_descriptors(out, a, b, rows, columns, depth, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """As `matmul_tma`, with tensor maps that each program writes itself."""
    a_map = tl.make_tensor_descriptor(a, [rows, depth], [depth, 1], [TILE, DEPTH])
    b_map = tl.make_tensor_descriptor(b, [depth, columns], [columns, 1], [DEPTH, TILE])
    out_map = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [TILE, TILE])
    row, column = tl.program_id(0) * TILE, tl.program_id(1) * TILE
    sums = tl.zeros((TILE, TILE), dtype=tl.float32)
    for inner in tl.range(0, depth, DEPTH):
        sums += tl.dot(a_map.load([row, inner]), b_map.load([inner, column]))
    out_map.store([row, column], sums.to(tl.float16))


@triton.jit
def matmul_roles(out, a, b, rows, columns, depth, ROWS: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr):
    """As `matmul_descriptors`; four warps start the copies, and two warpgroups multiply half of the rows each."""
    a_map = tl.make_tensor_descriptor(a, [rows, depth], [depth, 1], [ROWS, DEPTH])
    b_map = tl.make_tensor_descriptor(b, [depth, columns], [columns, 1], [DEPTH, TILE])
    row, column = tl.program_id(0) * ROWS, tl.program_id(1) * TILE
    sums = tl.zeros((ROWS, TILE), dtype=tl.float32)
    for inner in tl.range(0, depth, DEPTH, warp_specialize=True):
        sums += tl.dot(a_map.load([row, inner]), b_map.load([inner, column]))
    out_map = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [ROWS, TILE])
    out_map.store([row, column], sums.to(tl.float16))


@triton.jit
def attention(out, q, k, v, rows, keys, scale, ROWS: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    """out = softmax(scale * q @ k.T) @ v for each head, block by block of keys; a program for ROWS rows of q of one head."""
    row = tl.program_id(1) * rows + tl.program_id(0) * ROWS
    block = q.load([row, 0])
    most = tl.full([ROWS], -float("inf"), dtype=tl.float32)
    total = tl.zeros([ROWS], dtype=tl.float32)
    sums = tl.zeros([ROWS, WIDTH], dtype=tl.float32)
    for start in range(0, keys, KEYS):
        key = tl.program_id(1) * keys + start
        scores = tl.dot(block, k.load([key, 0]).T) * scale
        larger = tl.maximum(most, tl.max(scores, 1))
        powers = tl.exp2(scores - larger[:, None])
        factor = tl.exp2(most - larger)
        total = total * factor + tl.sum(powers, 1)
        sums = tl.dot(powers.to(tl.float16), v.load([key, 0]), sums * factor[:, None])
        most = larger
    out.store([row, 0], (sums / total[:, None]).to(tl.float16))


def compile(kernel, signature, constants, arch, file=None, stages=3):
    """Writes the PTX of a kernel for compute capability `arch`. Pointers and sizes are multiples of 16."""
    signature = {**signature, **{name: "constexpr" for name in constants}}
    is_aligned = [kind == "i32" or kind.startswith("*") for kind in signature.values()]
    aligned = {(at,): [["tt.divisibility", 16]] for at, given in enumerate(is_aligned) if given}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=aligned)
    options = {"num_warps": 4, "num_stages": stages, "enable_fp_fusion": True}
    compiled = triton.compile(source, target=GPUTarget("cuda", arch, 32), options=options)
    name = file or kernel.__name__
    pathlib.Path(__file__).with_name(f"{name}.ptx").write_text(compiled.asm["ptx"].strip() + "\n")
    of = compiled.metadata
    print(f"{name}.ptx: block = [{32 * of.num_warps}], shared = {of.shared}, {of.global_scratch_size} bytes of scratch for each program")


floats = {"out": "*fp32", "x": "*fp32"}
compile(softmax, {**floats, "columns": "i32"}, {"BLOCK": 1024}, 90)
compile(layer_norm, {**floats, "weight": "*fp32", "bias": "*fp32", "columns": "i32"}, {"BLOCK": 256}, 90)
halves = {"out": "*fp16", "a": "*fp16", "b": "*fp16"}
sizes = {"columns": "i32", "depth": "i32"}
compile(matmul, {**halves, **sizes}, {"TILE": 64, "DEPTH": 32}, 80)
compile(matmul, {**halves, **sizes}, {"TILE": 64, "DEPTH": 32}, 90, "matmul_wgmma")

tile = "tensordesc<fp16[64,64]>"
tiles = {"out": tile, "a": tile, "b": tile, "depth": "i32"}
compile(matmul_tma, tiles, {"TILE": 64, "DEPTH": 64}, 90)
compile(matmul_tma, tiles, {"TILE": 64, "DEPTH": 64}, 100, "matmul_tcgen05")
compile(matmul_descriptors, {**halves, "rows": "i32", **sizes}, {"TILE": 64, "DEPTH": 64}, 90)
compile(matmul_roles, {**halves, "rows": "i32", **sizes}, {"ROWS": 128, "TILE": 64, "DEPTH": 32}, 90)
of_attention = {"out": tile, "q": tile, "k": tile, "v": tile, "rows": "i32", "keys": "i32", "scale": "fp32"}
compile(attention, of_attention, {"ROWS": 64, "KEYS": 64, "WIDTH": 64}, 90, stages=2)
