# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes `sums.npy`: the sums of 128 elements each of 0, 1, …, 999."""

import pathlib

import numpy as np

x = np.arange(1024, dtype=np.float32)
x[1000:] = 0
np.save(pathlib.Path(__file__).with_name("sums.npy"), x.reshape(8, 128).sum(axis=1))
