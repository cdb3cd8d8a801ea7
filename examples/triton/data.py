# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes the inputs and the expected results of the launch files of this folder, with numpy."""

import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent
random = np.random.default_rng(1)


def save(name, array):
    np.save(folder / f"{name}.npy", array)


x = random.uniform(-4, 4, (3, 96)).astype(np.float32)
powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
save("softmax.x", x)
save("softmax.out", (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32))

x = random.uniform(-4, 4, (2, 336)).astype(np.float32)
weight, bias = random.uniform(-1, 1, (2, 336)).astype(np.float32)
wide = x.astype(np.float64)
normal = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
save("layer_norm.x", x)
save("layer_norm.weight", weight)
save("layer_norm.bias", bias)
save("layer_norm.out", (normal * weight + bias).astype(np.float32))

a = random.integers(-4, 5, (64, 160)).astype(np.float16)
b = random.integers(-4, 5, (160, 64)).astype(np.float16)
save("matmul.a", a)
save("matmul.b", b)
save("matmul.out", (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16))

a = random.integers(-1, 2, (128, 384)).astype(np.float16)
b = random.integers(-1, 2, (384, 128)).astype(np.float16)
save("matmul_tma.a", a)
save("matmul_tma.b", b)
save("matmul_tma.out", (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float16))
# The same elements as matrices of 256 x 192 and 192 x 128.
save("matmul_roles.out", (a.reshape(256, 192).astype(np.float64) @ b[:192].astype(np.float64)).astype(np.float16))

# Two heads of 128 queries and 256 keys. The scale contains log2(e), as the kernel has powers of 2.
q = random.normal(0, 1, (2, 128, 64)).astype(np.float16)
k, v = random.normal(0, 1, (2, 2, 256, 64)).astype(np.float16)
scores = np.float32(0.125 * np.log2(np.e)) * (q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1))
powers = np.exp2(scores - scores.max(axis=2, keepdims=True))
for name, array in {"q": q, "k": k, "v": v}.items():
    save(f"attention.{name}", array.reshape(-1, 64))
out = powers / powers.sum(axis=2, keepdims=True) @ v.astype(np.float64)
save("attention.out", out.reshape(-1, 64).astype(np.float16))
