# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the inputs and the expected results of all kernels of this folder: `python3 references.py`. Needs numpy.

Each function below is named like its kernel and computes the result from what the kernel is for, not from how it does it.
It returns the arrays by their file names. Whoever calls this twice gets the same bytes twice.
"""

import functools
import hashlib
import itertools
import math
import pathlib
import zlib
from fractions import Fraction

import numpy as np

KERNELS = []


def kernel(function):
    KERNELS.append(function)
    return function


def random(name):
    """A random generator whose seed is `name`, so that the numbers of a kernel never change."""
    return np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))


def wrap32(value):
    """An integer wrapped to 32 bits with sign."""
    return (int(value) + 2**31) % 2**32 - 2**31


def reals(numbers):
    return np.asarray(numbers, dtype=np.float32)


@kernel
def block_reduce():
    return {"out": np.arange(1024).reshape(4, 256).sum(axis=1).astype(np.int32)}


@kernel
def warp_reduce():
    r = random("warp_reduce")
    real = reals(r.integers(-500, 500, 256))
    whole = (r.integers(-(2**20), 2**20, 256) & ~5).astype(np.int32)
    by_warp = real.reshape(8, 32)
    return {
        "real": real,
        "whole": whole,
        "sum": by_warp.sum(axis=1),
        "largest": by_warp.max(axis=1),
        "smallest": whole.reshape(8, 32).min(axis=1),
        "bits": np.bitwise_or.reduce(whole.reshape(8, 32), axis=1).view(np.uint32),
    }


@kernel
def grid_reduce():
    values = random("grid_reduce").integers(-(10**6), 10**6, 900)
    return {
        "in": values.astype(np.int32),
        "sum": np.array([values.sum() % 2**32], dtype=np.uint32),
        "largest": np.array([values.max()], dtype=np.int32),
        "squares": np.array([(values**2).sum()], dtype=np.float64),
    }


@kernel
def inclusive_scan():
    values = random("inclusive_scan").integers(0, 2**32, 512)
    return {"in": values.astype(np.uint32), "out": (values.reshape(2, 256).cumsum(axis=1) % 2**32).astype(np.uint32).ravel()}


@kernel
def exclusive_scan():
    values = random("exclusive_scan").integers(-1000, 1000, 512).astype(np.int32)
    blocks = values.reshape(2, 256)
    return {"in": values, "out": (blocks.cumsum(axis=1) - blocks).astype(np.int32).ravel()}


@kernel
def bitonic_sort():
    values = random("bitonic_sort").integers(-(2**31), 2**31, 512).astype(np.int32)
    values[7:40:3] = values[3]
    return {"in": values, "out": np.sort(values.reshape(2, 256), axis=1).ravel()}


@kernel
def radix_sort():
    keys = (random("radix_sort").integers(0, 60, 128) * 1090).astype(np.uint32)
    order = np.argsort(keys, kind="stable")
    return {"in": keys, "keys": keys[order], "from": order.astype(np.uint32)}


@kernel
def transpose():
    return {"out": np.ascontiguousarray(reals(np.arange(40 * 48)).reshape(40, 48).T)}


@kernel
def swizzle_transpose():
    values = reals(np.arange(40 * 48)).reshape(40, 48)
    return {"in": values, "out": np.ascontiguousarray(values.T)}


@kernel
def device_map():
    heights = [8, 3, 5, 1]
    values = random("device_map").integers(-100, 100, (sum(heights), 16))
    first = np.cumsum([0, *heights])
    sums = [values[low:high].sum(axis=0) for low, high in zip(first, first[1:])]
    return {"data": reals(values), "first_row": first.astype(np.int32), "sums": reals(sums)}


@kernel
def im2col_convolution():
    r = random("im2col_convolution")
    images = r.integers(-9, 10, (2, 6, 7, 8))
    weights = r.integers(-9, 10, (3, 3, 8, 4))
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return {"in": reals(images), "weights": reals(weights), "out": reals(np.einsum("nhwcrs,rsck->nhwk", windows, weights))}


@kernel
def matmul_tiled():
    r = random("matmul_tiled")
    a = r.integers(-8, 9, (32, 48))
    b = r.integers(-8, 9, (48, 32))
    return {"a": reals(a), "b": reals(b), "c": reals(a @ b)}


@kernel
def matmul_mma():
    r = random("matmul_mma")
    a = r.integers(-30, 31, (32, 32))
    b = r.integers(-30, 31, (32, 16))
    return {"a": a.astype(np.float16), "b": b.astype(np.float16), "c": reals(a @ b)}


@kernel
def gemm_wgmma():
    r = random("gemm_wgmma")
    a, b = r.integers(-9, 10, (128, 384)), r.integers(-9, 10, (64, 384))
    return {"a": a.astype(np.float16), "b": b.astype(np.float16), "c": reals(a @ b.T)}


@kernel
def attention_wgmma():
    r = random("attention_wgmma")
    q, k, v = (r.normal(0, 1, (2, rows, 64)).astype(np.float16) for rows in (64, 192, 192))
    wide = [matrix.astype(np.float64) for matrix in (q, k, v)]
    scores = wide[0] @ wide[1].transpose(0, 2, 1) / 8
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    return {"q": q, "k": k, "v": v, "out": reals(powers @ wide[2] / powers.sum(axis=2, keepdims=True))}


@kernel
@kernel
def histogram():
    values = np.minimum(random("histogram").geometric(0.02, 1000) - 1, 255).astype(np.uint8)
    return {"in": values, "out": np.bincount(values % 64, minlength=64).astype(np.uint32)}


@kernel
def stencil1d():
    values = random("stencil1d").integers(-100, 100, 500)
    return {"in": reals(values), "out": reals(np.convolve(values, np.ones(7, dtype=int), "same"))}


@kernel
def stencil2d():
    values = random("stencil2d").integers(-10, 10, (32, 32))
    result = values
    # The stencil of nine weights is the second difference along one axis, applied to the second difference along the other axis.
    for _ in range(2):
        for axis in (0, 1):
            result = np.roll(result, 1, axis) - 2 * result + np.roll(result, -1, axis)
    return {"in": reals(values), "out": reals(result)}


@kernel
def producer_consumer():
    values = random("producer_consumer").integers(-100, 100, (2, 5, 64))
    sums = (values**2).sum(axis=1)[:, ::-1]
    return {"in": values.astype(np.int32), "out": (sums - np.roll(sums, 32, axis=1)).astype(np.int32)}


@kernel
def double_buffer():
    values = random("double_buffer").integers(0, 1000, (6, 64))
    out = sum(3 ** (5 - step) * np.roll(values[step], -step) for step in range(6))
    return {"in": values.astype(np.int32), "out": out.astype(np.int32)}


@kernel
def bar_red():
    r = random("bar_red")
    values = np.concatenate([np.arange(128), r.integers(64, 192, 64), r.integers(0, 1100, 64)])
    blocks = values.reshape(2, 128)
    halves = values.reshape(4, 64)
    columns = [
        np.repeat((blocks % 3 == 0).sum(axis=1), 128),
        np.repeat((blocks < 1000).all(axis=1), 128),
        np.repeat((blocks == 77).any(axis=1), 128),
        np.repeat((halves % 5 == 0).sum(axis=1), 64),
        np.repeat((halves < 192).all(axis=1), 64),
        np.repeat((halves >= 64).all(axis=1), 64),
    ]
    return {"in": values.astype(np.int32), "out": np.stack(columns, axis=1).astype(np.int32)}


@kernel
def syncwarp():
    values = random("syncwarp").integers(-100, 100, (4, 32))
    result = values
    for distance in (1, 2, 4, 8, 16):
        result = result + 3 * np.roll(result, -distance, axis=1)
    low = result[:, :16][:, ::-1] + 1
    # The upper half of the warp rotates within itself.
    high = 2 * np.roll((result - np.arange(32))[:, 16:], -5, axis=1)
    return {"in": values.astype(np.int32).ravel(), "out": np.concatenate([low, high], axis=1).astype(np.int32).ravel()}


@kernel
def relay():
    values = random("relay").integers(-1000, 1000, 32)
    hops = 3 * 8
    # Each hop is v -> 3 v + k with the warp number k; all hops together are one affine step.
    offset = sum(3 ** (hops - 1 - hop) * (hop % 8) for hop in range(hops))
    baton = [wrap32(3**hops * int(v) + offset) for v in values]
    return {
        "in": values.astype(np.int32),
        "out": np.array([np.roll(baton, -warp) for warp in range(8)], dtype=np.int32).ravel(),
    }


@kernel
def three_roles():
    values = random("three_roles").integers(-1000, 1000, (6, 64))
    out = 5 * values - values[:, ::-1]
    out[:, 32:] += out[:, :32]
    return {"in": values.astype(np.int32), "out": out.astype(np.int32)}


@kernel
def tiled_groups():
    values = random("tiled_groups").integers(0, 1000, 256)
    values[70] = -3
    tiles = values.reshape(32, 8)
    sums = tiles.sum(axis=1)
    odd = ((tiles % 2) << np.arange(8)).sum(axis=1)
    full = np.repeat((values.reshape(8, 32) >= 0).all(axis=1), 4)
    votes = odd * 4 + full * 2 + (tiles > 900).any(axis=1)
    following = np.roll(sums.reshape(2, 16), -1, axis=1).reshape(32, 1)
    neighbours = tiles.reshape(32, 4, 2)[:, :, ::-1].reshape(32, 8)
    mixed = following + neighbours * 1000 + tiles[:, 3:4]
    return {
        "in": values.astype(np.int32),
        "sums": sums.astype(np.int32),
        "votes": votes.astype(np.uint32),
        "mixed": mixed.astype(np.int32).ravel(),
    }


@kernel
def device_function():
    values = random("device_function").integers(0, 10**6, 128)
    lanes = np.arange(128) % 64
    quotient, rest = np.divmod(values, 7 + lanes % 3)
    digits = np.array([sum(map(int, str(v))) for v in values])
    return {
        "in": values.astype(np.int32),
        "out": ((quotient + digits) * 16 + rest).astype(np.int32),
        "share": reals(rest / 4),
        "cubes": np.where(lanes % 4 == 1, values**3, -1).astype(np.int64),
    }


@kernel
def recursion():
    tree = random("recursion").integers(-100, 100, 31)
    # Fibonacci numbers by Binet's formula. In each row of the tree a node covers a block of leaves.
    root = math.sqrt(5)
    numbers = [round(((1 + root) / 2) ** (t % 10) / root) for t in range(64)]
    below = tree.copy()
    for level in (3, 2, 1, 0):
        rows = slice(2**level - 1, 2 ** (level + 1) - 1)
        below[rows] += below[2 ** (level + 1) - 1 : 2 ** (level + 2) - 1].reshape(-1, 2).sum(axis=1)
    return {
        "tree": tree.astype(np.int32),
        "numbers": np.array(numbers, dtype=np.int32),
        "sums": below[np.arange(64) % 31].astype(np.int32),
    }


@kernel
def early_exit():
    values = random("early_exit").integers(0, 500, 200)
    values[:4] = (0, 1, 27, 97)

    def result(start):
        if start < 2:
            return 0
        if start % 8 == 5:
            return 2**32 - 1
        chain = [int(start)]
        while chain[-1] != 1:
            chain.append(chain[-1] // 2 if chain[-1] % 2 == 0 else 3 * chain[-1] + 1)
        return len(chain) - 1 if len(chain) - 1 < 60 else 1000 + chain[60] % 1000

    out = np.full(256, 77, dtype=np.uint32)
    out[:200] = [result(v) for v in values]
    return {"in": values.astype(np.uint32), "out": out}


@kernel
def half_math():
    r = random("half_math")
    # Odd multiples of 1/4: no zero, and all products and sums are exact.
    x = (r.integers(-16, 16, (64, 2)) * 2 + 1) / 4
    y = (r.integers(-16, 16, (64, 2)) * 2 + 1) / 4
    y[5:40:7] = x[5:40:7]
    thirds = np.stack([reals(x[:, 0]) / np.float32(3), reals(y[:, 1]) / np.float32(7)], axis=1)
    out = [x + y, x - y, x * y, x * y + x[:, :1], np.maximum(x, y), np.minimum(x, -y), abs(x - y), x > y, x[:, ::-1], thirds]
    whole = np.trunc(x[:, 0] * 1.5) * 4096 + np.rint(y[:, 1])
    whole += (x == y).all(axis=1) * 100000000 + (x[:, 0] < y[:, 1]) * 200000000
    return {
        "a": x.astype(np.float16),
        "b": y.astype(np.float16),
        "out": np.stack(out).astype(np.float16),
        "wide": reals(x / 8),
        "whole": whole.astype(np.int32),
    }


@kernel
def bf16_math():
    def bits(values):
        """The bf16 bits of the nearest value, ties to even: adds half of the last place, less one bit if the last place is even."""
        pattern = np.asarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
        return ((pattern + 0x7FFF + (pattern >> 16 & 1)) >> 16).astype(np.uint16)

    x = reals(np.arange(128)).reshape(64, 2)
    y = reals((random("bf16_math").integers(-60, 60, (64, 2)) * 2 + 1) / 4)
    # All results but the last are exact in single precision. The last one is rounded twice here, as in the kernel.
    last = np.stack([x[:, 0] / np.float32(3), x[:, 1] * np.float32(1.001)], axis=1)
    out = [x + y, x - y, x * y, x * y + 1, np.maximum(x, y), np.minimum(x, -y), last]
    return {
        "b": bits(y),
        "out": np.stack([bits(o) for o in out]),
        "wide": np.stack([x[:, 0] + np.float32(0.5), y[:, 1] / 4], axis=1),
    }


@kernel
def dot_f64():
    r = random("dot_f64")
    a = r.integers(-(10**6), 10**6, 480)
    b = r.integers(0, 10**6, 480)
    c = r.random(480)
    block = np.arange(480) // 128 % 2
    exact = [math.fsum(int(p) * int(q) for p, q in zip(a[block == k], b[block == k])) for k in (0, 1)]
    rounded = [math.fsum(c[block == k] * np.sqrt(b[block == k] + 1.0) / 3.0) for k in (0, 1)]
    return {
        "a": a.astype(np.float64),
        "b": b.astype(np.float64),
        "c": c,
        "exact": np.array(exact),
        "rounded": np.array(rounded),
    }


@kernel
def int64_math():
    r = random("int64_math")
    a = [int(v) for v in r.integers(0, 2**64, 64, dtype=np.uint64)]
    b = [int(v) >> int(s) for v, s in zip(r.integers(2**63, 2**64, 64, dtype=np.uint64), r.integers(0, 62, 64))]
    a[:6] = [0, 1, 2**64 - 1, 2**63, 2**63 - 1, 2**32]
    b[:6] = [2**64 - 1, 2**63, 2**64 - 1, 3, 2**32 - 1, 2**32 + 1]

    def signed(value, bits=64):
        value %= 2**bits
        return value - 2**bits if value >= 2 ** (bits - 1) else value

    def quotient(p, q):
        return abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)

    def rest(p, q):
        return p - q * quotient(p, q)

    rows = []
    for x, y in zip(a, b):
        s, t = signed(x), signed(y)
        divisor = y % 2**16 | 1
        rows.append(
            [
                x * y + 7,
                x * y >> 64,
                s * t >> 64,
                x // y,
                x % y,
                quotient(s, t),
                rest(s, t),
                (x << y % 64) % 2**64 ^ y >> x % 64,
                s >> y % 64,
                abs(s - t),
                (x % 2**32) * (y % 2**32),
                signed(x, 32) * signed(y, 32),
                (x >> 32) // divisor + x // 1000003,
                rest(signed(x >> 32, 32), divisor),
                x - y if x > y else 2**64 - 1 - y,
            ]
        )
    out = np.array([[value % 2**64 for value in row] for row in rows], dtype=np.uint64)
    return {"a": np.array(a, dtype=np.uint64), "b": np.array(b, dtype=np.uint64), "out": np.ascontiguousarray(out.T)}


@kernel
def bit_tricks():
    r = random("bit_tricks")
    a = r.integers(0, 2**32, 64)
    b = r.integers(0, 2**32, 64)
    a[:5] = [0, 2**32 - 1, 1, 2**31, 0x00FF00FF]
    b[:5] = [0, 0, 2**32 - 1, 0x80000020, 0x1F1F1F1F]

    # The functions work on strings of zeros and ones, highest bit first.
    def text(value, bits=32):
        return format(value % 2**bits, f"0{bits}b")

    def leading(t):
        return len(t) - len(t.lstrip("0"))

    def first(t):
        return t[::-1].find("1") + 1

    def field(value, at, bits, fill):
        """`bits` bits from bit `at` on; bits above the end of the number, and the upper bits of the result, are `fill`."""
        part = text(value)[::-1][at : at + bits]
        return int((part + fill * (32 - len(part)))[::-1], 2)

    def signed_field(value, at, bits):
        return field(value, at, bits, text(value)[::-1][min(at + bits - 1, 31)] if bits else "0")

    def put(part, into, at, bits):
        low, high = text(part)[::-1], text(into)[::-1]
        return int((high[:at] + low[:bits] + high[at + bits :])[:32][::-1], 2)

    def permute(x, y, selector):
        source = x.to_bytes(4, "little") + y.to_bytes(4, "little")
        result = []
        for k in range(4):
            nibble = selector >> 4 * k & 15
            byte = source[nibble & 7]
            result.append((255 if byte >= 128 else 0) if nibble >= 8 else byte)
        return int.from_bytes(bytes(result), "little")

    def packed(value):
        return [v - 256 if v >= 128 else v for v in value.to_bytes(4, "little")]

    def signed(value):
        return wrap32(value)

    rows = []
    for t, (x, y) in enumerate(zip(map(int, a), map(int, b))):
        wide = x << 32 | y
        both = text(x) + text(y)
        low = np.int64(np.uint16(x % 2**16).view(np.int16))
        byte = packed(y)[1]
        rows.append(
            [
                text(x).count("1") * 256 + both.count("1"),
                leading(text(x >> y % 32)) * 256 + leading(text(wide >> y % 64, 64)),
                int(text(x)[::-1], 2),
                int(both[::-1], 2) >> 20,
                first(text(x & y)) * 256 + first(text(wide & wide << 7, 64)),
                field(x, y % 32, (y >> 8) % 32, "0"),
                signed_field(x, y % 32, (y >> 8) % 32),
                put(x, y, (y >> 3) % 32, (x >> 5) % 32),
                permute(x, y, x >> 16 & 0x7777),
                int((text(y) + text(x))[x % 32 :][:32], 2),
                int(text(((y << 32) | x) >> min((x >> 7) % 64, 32)), 2),
                abs(x - y) + 1000,
                sum(p * q for p, q in zip(packed(x), packed(y))) + 1 - t,
                int("".join("1" if sum(map(int, bits)) >= 2 else "0" for bits in zip(text(x), text(y), text(y)[::-1])), 2),
                (signed(x) * signed(y) >> 32) % 2**32 ^ x * y >> 32,
                (x % 2**24) * (y % 2**24) + abs(signed(x) >> 3),
                int(np.array(low * 3 + byte).astype(np.int16)),
                permute(x, y, y >> 5),
            ]
        )
    out = np.array([[value % 2**32 for value in row] for row in rows], dtype=np.uint32)
    return {"a": a.astype(np.uint32), "b": b.astype(np.uint32), "out": np.ascontiguousarray(out.T)}


@kernel
def struct_param():
    values = random("struct_param").integers(-100, 100, 100)
    t = np.arange(100)
    weights = np.tile([0.5, 2.0, -1.0, 0.25], 25)
    weighted = values[(t * 7 + 3) % 100] * weights - 5
    return {"in": reals(values), "out": reals(weighted * 1.5 + (1234567890123 % 1000 + 9))}


@kernel
def dynamic_shared():
    values = random("dynamic_shared").integers(10, 1000, (2, 96))
    values[0, [33, 60, 95]] = 5
    backwards = values[:, ::-1]
    # The elements before the first mark; the second block has no mark.
    before = np.arange(96) < np.array([[33], [96]])
    return {
        "in": values.astype(np.int32).ravel(),
        "real": (backwards / 2).ravel(),
        "whole": (backwards + before * 100000).astype(np.int32).ravel(),
    }


@kernel
def cp_async():
    values = np.arange(6 * 64 * 4).reshape(6, 64, 4)[:, ::-1]
    scales = random("cp_async").integers(-9, 10, (6, 64))
    factors = np.repeat(scales[:, :, None], 4, axis=2)
    factors[:, 56:] = 0
    factors[:, :, 3] = 1
    return {"scales": reals(scales), "out": reals((values * factors).sum(axis=0))}


@kernel
def match():
    r = random("match")
    keys = np.concatenate([r.integers(0, 16, 32), r.integers(8, 16, 32), r.integers(0, 4, 32), np.full(32, 7)])
    warps = keys.reshape(4, 32)
    same = ((warps[:, :, None] == warps[:, None, :]).astype(np.int64) << np.arange(32)).sum(axis=2)
    octets = warps // 8
    alike = np.repeat((octets == octets[:, :1]).all(axis=1), 32)
    total = (keys % 3 == 0).sum()
    return {
        "keys": keys.astype(np.int32),
        "same": same.astype(np.uint32).ravel(),
        "alike": alike.astype(np.int32),
        "total": np.array([total], dtype=np.int32),
        "taken": (np.arange(128) < total).astype(np.int32),
        "by_key": np.bincount(keys, minlength=16).astype(np.int32),
    }


@kernel
def spin_lock():
    return {
        "sum": np.array([64 * 63 // 2], dtype=np.int32),
        "product": np.array([math.prod(range(1, 128, 2)) % 2**32], dtype=np.uint32),
    }


@kernel
def switch_case():
    r = random("switch_case")
    steps = np.stack([r.integers(0, 10, 24), r.integers(1, 500, 24)], axis=1).astype(np.int32)
    steps[:12, 0] = [0, 2, 4, 3, 1, 8, 5, 7, 6, 0, 2, 9]
    operations = {
        0: lambda v, p: v + p,
        1: lambda v, p: v - p,
        2: lambda v, p: v * p,
        3: lambda v, p: v ^ p,
        4: lambda v, p: v * 8 | p % 8,
        5: lambda v, p: v & ~p,
        6: lambda v, p: int(math.fmod(v, p + 1000)),
        7: max,
        8: lambda v, p: -v,
        9: lambda v, p: p,
    }

    def run(value, order):
        for operation, argument in order:
            value = wrap32(operations[int(operation)](value, int(argument)))
        return value

    together = [run(t, steps) for t in range(64)]
    apart = [run(3 * t, np.roll(steps, -t, axis=0)) for t in range(64)]
    # Here the operation comes from the rotated list, the argument from the list in its original order.
    turned = [np.stack([np.roll(steps[:, 0] % 4, -t), steps[:, 1]], axis=1) for t in range(64)]
    jumps = [run(5 * t, turned[t]) for t in range(64)]
    return {
        "list": steps,
        "together": np.array(together, dtype=np.int32),
        "apart": np.array(apart, dtype=np.int32),
        "jumps": np.array(jumps, dtype=np.int32),
    }


@kernel
def local_array():
    values = random("local_array").integers(-50, 50, (64, 16)).astype(np.int16)
    order = np.argsort(values, axis=1, kind="stable")
    return {"in": values, "sorted": np.sort(values, axis=1), "smallest": (order[:, 0] * 100 + order[:, 15]).astype(np.int32)}


@kernel
def vector_load():
    r = random("vector_load")
    a = np.arange(256).reshape(64, 4)
    b = r.integers(-100, 100, (64, 4))
    wide = r.integers(0, 2**63, (64, 2), dtype=np.uint64)
    octets = r.integers(0, 256, (64, 4))
    swapped = wide[:, ::-1].copy()
    swapped[:, 1] += np.arange(64, dtype=np.uint64)
    return {
        "b": reals(b),
        "wide": wide,
        "bytes": octets.astype(np.uint8),
        "b_after": reals(b + 2 * a - a[::-1, ::-1]),
        "swapped": swapped,
        "shorts": np.stack([octets[:, 0] * 256 + octets[:, 3], octets[:, 1] + octets[:, 2]], axis=1).astype(np.uint16),
    }


@kernel
def last_block():
    values = random("last_block").integers(-1000, 1000, 900)
    return {"in": values.astype(np.int32), "out": np.array([5 + 2 * values.sum()], dtype=np.int32)}


def nearest32(value, way="nearest"):
    """The single-precision number for an exact, finite value: rounds a fraction to a multiple of the last place."""
    if value == 0:
        return np.float32(0)
    exponent = max(_exponent(abs(value)), -125)
    place = Fraction(2) ** (exponent - 24)
    units = value / place
    whole = {"nearest": round, "zero": math.trunc, "down": math.floor, "up": math.ceil}[way](units)
    if abs(whole * place) >= Fraction(2) ** 128:
        largest = np.finfo(np.float32).max
        keeps = way == "zero" or (way == "down" and value > 0) or (way == "up" and value < 0)
        return np.copysign(largest if keeps else np.float32(np.inf), np.float32(1 if value > 0 else -1))
    result = np.float32(float(whole * place))
    return np.copysign(result, np.float32(1 if value > 0 else -1))


def _exponent(value):
    """The smallest e with value < 2^e."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e + 1 if value >= Fraction(2) ** e else e


@kernel
def float_math():
    r = random("float_math")
    a = reals(r.uniform(-1, 1, 64)) * reals(2.0) ** r.integers(-3, 12, 64).astype(np.float32)
    b = reals(r.uniform(-1, 1, 64)) * reals(2.0) ** r.integers(-12, 30, 64).astype(np.float32)
    nan, inf, tiny = np.nan, np.inf, 1e-45
    a[:20] = [nan, 1, inf, -inf, inf, 3e38, -3e38, 1e-40, -1e-40, 0.5, 1.5, 2.5, -0.5, -1.5, 0, 1, 16777216, 2147483648, -3e9, tiny]
    b[:20] = [2, nan, 3, inf, -inf, 3e38, -3e38, 7e-39, 1e10, 1e-9, 0.5, -2.5, 0, 1.5, -0.0, -1, 1.5, 1e-3, 7, tiny]

    def exact(function, x, y, way="nearest"):
        """A sum or a fused product: exact, then rounded; results that are infinite or not a number come from the host's arithmetic."""
        if not (np.isfinite(x) and np.isfinite(y)):
            return np.float32(function(x, y))
        value = function(Fraction(float(x)), Fraction(float(y)))
        return np.float32(-0.0) if value == 0 and way == "down" else nearest32(value, way)

    def rest_of_product(x, y):
        product = x * y
        if not np.isfinite(product):
            # inf - inf, or a finite exact product minus infinity.
            return np.float32(-product) if np.isfinite(x) and np.isfinite(y) else np.float32(nan)
        return nearest32(Fraction(float(x)) * Fraction(float(y)) - Fraction(float(product)))

    def to_int(value, round_to, low=-(2**31), high=2**31 - 1):
        if np.isnan(value):
            return 0
        return min(max(round_to(float(value)), low), high) if np.isfinite(value) else (high if value > 0 else low)

    def add(x, y):
        return x + y

    real, whole = [], []
    for x, y in zip(a, b):
        real.append(
            [
                x + y,
                x * y,
                x / y,
                np.sqrt(abs(x)),
                rest_of_product(x, y),
                exact(add, x, y, "zero"),
                exact(add, x, y, "down"),
                exact(add, x, y, "up"),
                np.fmin(x, y) + np.float32(0),
                np.fmax(x, y) + np.float32(0),
                np.copysign(x, y),
                np.floor(x),
                np.ceil(x),
                np.trunc(x),
                np.rint(x),
                np.float32(0) if not x > 0 else min(x, np.float32(1)),
                np.float32(np.float64(x) * np.float64(y) + 1.0),
                np.float32(x.view(np.int32)),
            ]
        )
        whole.append(
            [
                to_int(x, round),
                to_int(x * np.float32(1000), math.trunc),
                to_int(y, math.ceil),
                to_int(y, math.floor),
                wrap32(to_int(x, math.trunc, 0, 2**32 - 1)),
                (x < y) + 2 * (x == y) + 4 * (x != y) + 8 * (not x >= y) + 16 * np.isnan(x) + 32 * np.isinf(y),
                x.view(np.int32) ^ y.view(np.int32),
            ]
        )
    return {
        "a": a,
        "b": b,
        "real": np.ascontiguousarray(np.array(real, dtype=np.float32).T),
        "whole": np.ascontiguousarray(np.array(whole, dtype=np.int32).T),
    }


@kernel
def softmax():
    values = reals(random("softmax").uniform(-15, 15, (8, 100)))
    shares = np.exp(values.astype(np.float64))
    shares /= shares.sum(axis=1, keepdims=True)
    return {
        "in": values,
        "out": reals(shares),
        "entropy": reals(-(shares * np.log2(shares)).sum(axis=1)),
        "norm": reals(1 / np.sqrt((shares**2).sum(axis=1))),
    }


@kernel
def constant_table():
    octets = random("constant_table").integers(0, 256, (64, 16)).astype(np.uint8)
    letters = np.array([ord(letter) for letter in "barriers"] * 8)
    weights = np.array([0.5, -1.25, 3.0, 64.0])[octets[:, 0] % 4]
    return {
        "in": octets,
        "sums": np.array([zlib.crc32(line.tobytes() * 2) for line in octets], dtype=np.uint32),
        "weighted": reals(2 * weights * letters),
    }


@kernel
def indirect_call():
    which = random("indirect_call").integers(0, 4, 64)
    t = np.arange(64)
    b = 3 + t % 7
    value = np.choose(which, [t + b, t - b, t * b, t ** (b % 5)])
    return {"which": which.astype(np.int32), "out": np.where(t < 32, value - 2, value * 2).astype(np.int32)}


@kernel
def atomics():
    values = [int(v) for v in random("atomics").integers(0, 2**32, 128)]
    signed = [wrap32(v) for v in values]
    words = np.zeros(15, dtype=np.uint32)
    words[[2, 4]] = 2**32 - 1
    longs = np.array([0, 0, 0, 1], dtype=np.uint64)
    conjunction = functools.reduce(lambda p, q: p & q, values)
    union = functools.reduce(lambda p, q: p | q, values)
    parity = functools.reduce(lambda p, q: p ^ q, values)
    after = [
        sum(values),
        -sum(values),
        min(values),
        max(values),
        conjunction | 0xFFFF0000,
        union & 0x00FF00FF,
        parity,
        # The counters wrap after ten values.
        128 % 10,
        -128 % 10,
        max(signed + [0]),
        min(signed + [0]),
        7,
        1,
        5,
        1,
    ]
    long_after = [
        sum(values) << 8,
        max(values) ** 2,
        parity << 31,
        math.prod(2 * v + 1 for v in values),
    ]
    shared = []
    for block in (values[:64], values[64:]):
        wide = min(block) << 20
        shared.append(
            [
                sum(v % 1000 for v in block),
                max(block),
                sum(1 << k for k in {v % 32 for v in block}),
                functools.reduce(lambda p, q: p ^ q, (3 * v % 2**32 for v in block)),
                wide % 2**32,
                wide >> 32,
            ]
        )
    return {
        "in": np.array(values, dtype=np.uint32),
        "words": words,
        "longs": longs,
        "words_after": np.array([v % 2**32 for v in after], dtype=np.uint32),
        "longs_after": np.array([v % 2**64 for v in long_after], dtype=np.uint64),
        "real": reals([sum(v % 256 for v in values)]),
        "shared_out": np.array(shared, dtype=np.uint32),
    }


@kernel
def life():
    board = (random("life").random((20, 24)) < 0.35).astype(np.uint8)
    # The living cells are a set; for each cell a generation counts the living neighbours.
    alive = {(int(y), int(x)) for y, x in np.argwhere(board)}
    around = [(dy, dx) for dy, dx in itertools.product((-1, 0, 1), repeat=2) if (dy, dx) != (0, 0)]
    for _ in range(4):
        near = {}
        for (y, x), (dy, dx) in itertools.product(alive, around):
            place = ((y + dy) % 20, (x + dx) % 24)
            near[place] = near.get(place, 0) + 1
        alive = {place for place, count in near.items() if count == 3 or (count == 2 and place in alive)}
    after = np.zeros((20, 24), dtype=np.uint8)
    for place in alive:
        after[place] = 1
    return {"board": board, "board_after": after, "alive": np.array([len(alive)], dtype=np.int32)}


@kernel
def lookback_scan():
    values = random("lookback_scan").integers(0, 1000, 384)
    sums = values.cumsum()
    return {
        "in": values.astype(np.uint32),
        "out": sums.astype(np.uint32),
        # The bits of `whole`, a complete prefix sum, plus the prefix sum.
        "words": (2**31 + sums[63::64]).astype(np.uint32),
    }


@kernel
def spmv():
    r = random("spmv")
    dense = r.integers(-20, 21, (13, 40)) * (r.random((13, 40)) < 0.3)
    dense[4] = 0
    dense[7] = r.integers(1, 20, 40)
    x = r.integers(-50, 51, 40)
    rows, columns = np.nonzero(dense)
    return {
        "starts": np.searchsorted(rows, np.arange(14)).astype(np.int32),
        "columns": columns.astype(np.uint16),
        "values": reals(dense[rows, columns]),
        "x": reals(x),
        "y": reals(dense @ x),
    }


@kernel
def sha256():
    octets = random("sha256").integers(0, 256, (32, 40)).astype(np.uint8)
    digests = b"".join(hashlib.sha256(line.tobytes()).digest() for line in octets)
    return {"in": octets, "out": np.frombuffer(digests, dtype=">u4").astype(np.uint32).reshape(32, 8)}


@kernel
def fft():
    parts = random("fft").integers(-10, 11, (128, 2))
    roots = np.exp(-2j * np.pi * np.arange(64) / 128)
    out = np.fft.fft(parts[:, 0] + 1j * parts[:, 1])
    return {
        "in": reals(parts),
        "roots": reals(np.stack([roots.real, roots.imag], axis=1)),
        "out": reals(np.stack([out.real, out.imag], axis=1)),
    }


@kernel
def edit_distance():
    r = random("edit_distance")
    first = r.choice(list(b"abcd"), (2, 20)).astype(np.uint8)
    second = r.choice(list(b"abcd"), (2, 25)).astype(np.uint8)
    second[1, 3:19] = first[1, 2:18]

    def distance(p, q):
        @functools.cache
        def of(i, j):
            if i == 0 or j == 0:
                return i + j
            if p[i - 1] == q[j - 1]:
                return of(i - 1, j - 1)
            return 1 + min(of(i - 1, j), of(i, j - 1), of(i - 1, j - 1))

        return of(len(p), len(q))

    return {
        "first": first,
        "second": second,
        "out": np.array([distance(p.tobytes(), q.tobytes()) for p, q in zip(first, second)], dtype=np.int32),
    }


@kernel
def index3d():
    z, y, x = np.meshgrid(np.arange(8), np.arange(4), np.arange(8), indexing="ij")
    return {"out": (z * 10000 + y * 100 + x).astype(np.uint32), "lanes": (z % 4 * 8 + y % 2 * 4 + x % 4 + 100).astype(np.uint8)}


@kernel
def cluster_histogram():
    numbers = random("cluster_histogram").integers(0, 2**31 - 1, 300).astype(np.int32)
    return {"in": numbers, "out": np.bincount(numbers % 32, minlength=32).astype(np.int32)}


@kernel
def cluster_reduce():
    numbers = random("cluster_reduce").integers(-(2**20), 2**20, (3, 2, 4, 64)).astype(np.int32)
    return {"in": numbers.reshape(-1), "out": numbers.sum(axis=(2, 3)).astype(np.int32)}


@kernel
def multicast_ring():
    tiles = random("multicast_ring").integers(-1000, 1000, (2, 6, 64)).astype(np.int32)
    weighted = np.tensordot(np.arange(1, 7), tiles, axes=(0, 1))
    out = [weighted[block // 2] * (block % 2 + 1) for block in range(4)]
    return {"in": tiles.reshape(-1), "out": np.array(out, dtype=np.int32)}


@kernel
def dependent_grids():
    numbers = random("dependent_grids").integers(-1000, 1000, 200).astype(np.int32)
    return {"in": numbers, "out": (numbers[::-1] ** 2 * (np.arange(200) % 8 + 1)).astype(np.int32)}


@kernel
def symbol_filter():
    r = random("symbol_filter")
    coefficients, numbers = r.integers(-3, 4, 9), r.integers(-9, 10, 264)
    exact = np.correlate(numbers, coefficients, "valid")
    out = np.clip(exact, -40, 50)
    return {
        "in": reals(numbers),
        "coefficients": reals(coefficients),
        "out": reals(out),
        "cut": np.array([np.count_nonzero(out != exact)], dtype=np.uint32),
        "sums": reals(out.reshape(4, 64).sum(axis=1)),
    }


@kernel
def linked_list():
    lists = [[5, 11, 13], [-3], [], [7, 100]]
    return {
        "out": np.array([sum(lists[t % 4][::-1][t // 4 :]) for t in range(32)], dtype=np.int32),
        "sums": np.array([sum(range(70, 100)), 0, sum(range(70))], dtype=np.int32),
    }


@kernel
def part_of_grid():
    numbers = random("part_of_grid").integers(0, 2**32, 202).astype(np.uint32)
    reversed_blocks = np.pad(numbers, (0, 54)).reshape(4, 64)[:, ::-1].reshape(-1)[:202]
    blocks = 100000 + 99996 + np.arange(202) // 64
    return {"in": numbers, "out": (reversed_blocks + blocks.astype(np.uint32)).astype(np.uint32)}


@kernel
def grid_sync():
    numbers = random("grid_sync").integers(-1000, 1000, 300)
    out = numbers
    for _ in range(3):
        out = np.roll(out, 1) + 2 * out + 3 * np.roll(out, -1)
    return {"in": numbers.astype(np.int32), "out": out.astype(np.int32), "total": np.array([out.sum()], dtype=np.int32)}


@kernel
def warp_pairs():
    numbers = random("warp_pairs").integers(-1000, 1000, 256).astype(np.int32)
    tiles = numbers.reshape(4, 64)
    return {"in": numbers, "reversed": tiles[:, ::-1].ravel(), "sums": tiles.sum(axis=1).astype(np.int32), "largest": tiles.max(axis=1)}


@kernel
def packed_fields():
    t = np.arange(64, dtype=np.uint64)
    halves = (t * 257 + 43981) & 0xFFFF
    other = halves[np.arange(64) ^ 1]
    field = np.array([int(f"{int(half):016b}"[::-1], 2) for half in other], dtype=np.uint64)
    joined = t | field << 8 | 165 << 24
    return {"out": np.stack([halves | other << 16, joined, (t + 5) * 2], axis=1).astype(np.uint32)}


@kernel
def approx_f64():
    numbers = np.exp(random("approx_f64").uniform(-200, 200, 64))
    return {"in": numbers, "out": np.stack([1 / numbers, 1 / np.sqrt(numbers), 1 / np.sqrt(numbers)])}


@kernel
def tcgen05_gemm():
    r = random("tcgen05_gemm")
    a = r.integers(-30, 31, (256, 256))
    b = r.integers(-30, 31, (64, 256))
    return {"a": a.astype(np.float16), "b": b.astype(np.float16), "c": reals(a @ b.T)}


def filtered(image, at, wrapped):
    """The interpolation of the CUDA programming guide at `at`, in texels, innermost first; the weights have 8 bits after the point.

    `wrapped` gives the index of a texel for each dimension, or None outside, where texels are 0.
    """
    result = 0.0
    for corner in itertools.product((0, 1), repeat=len(at)):
        weight, index = 1.0, []
        for where, side, wrap, extent in zip(at, corner, wrapped, reversed(image.shape)):
            first = math.floor(where - 0.5)
            part = math.floor((where - 0.5 - first) * 256 + 0.5) / 256
            weight *= part if side else 1 - part
            index.append(wrap(first + side, extent))
        if None not in index and weight > 0:
            result += weight * float(image[tuple(reversed(index))])
    return result


@kernel
def texture_filter():
    r = random("texture_filter")
    plane = reals(r.uniform(-1, 1, (8, 8)))
    colours = r.integers(0, 256, (5, 6, 4)).astype(np.uint8)
    line = r.integers(-1000, 1000, 40).astype(np.int32)
    cube = reals(r.uniform(-1, 1, (2, 3, 4)))
    # Sixteenths are exact in single precision, also as coordinates of texels.
    at = reals(r.integers(-24, 40, (64, 2)) / 16)

    def modulo(index, extent):
        return index % extent

    def clamp(index, extent):
        return min(max(index, 0), extent - 1)

    def border(index, extent):
        return index if 0 <= index < extent else None

    def mirrored(x):
        return x % 1 if math.floor(x) % 2 == 0 else 1 - x % 1

    numbers = [(float(x), float(y)) for x, y in at]
    return {
        "plane": plane,
        "colours": colours,
        "line": line,
        "cube": cube,
        "at": at,
        "smooth": reals([filtered(plane, (x % 1 * 8, mirrored(y) * 8), (modulo, clamp)) for x, y in numbers]),
        "nearest": reals([colours[clamp(math.floor(y * 5), 5), clamp(math.floor(x * 6), 6)] / 255 for x, y in numbers]),
        "indexed": np.array([line[t - 8] if 0 <= t - 8 < 40 else 0 for t in range(64)], dtype=np.int32),
        "inside": reals([filtered(cube, (x * 4, y * 3, t % 5 * 0.5), (border,) * 3) for t, (x, y) in enumerate(numbers)]),
    }


def main():
    folder = pathlib.Path(__file__).resolve().parent
    np.seterr(all="ignore")
    for function in KERNELS:
        for name, array in function().items():
            np.save(folder / function.__name__ / f"{name}.npy", np.ascontiguousarray(array))


if __name__ == "__main__":
    main()
