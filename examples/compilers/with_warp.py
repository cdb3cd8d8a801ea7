# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles `block_sum` with NVIDIA Warp, without a GPU: `python with_warp.py warp.ptx`."""

import shutil
import sys
import tempfile

import warp as wp

wp.config.quiet = True
wp.config.enable_backward = False


@wp.kernel
def block_sum(x: wp.array(dtype=float), sums: wp.array(dtype=float)):
    """sums[b] is the sum of the elements of `x` in tile b."""
    block = wp.tid()
    wp.tile_store(sums, wp.tile_sum(wp.tile_load(x, shape=128, offset=block * 128)), offset=block)


wp.set_module_options({"block_dim": 128})
with tempfile.TemporaryDirectory() as folder:
    files = wp.compile_aot_module(wp.get_module("__main__"), arch=80, module_dir=folder, use_ptx=True, strip_hash=True)
    ptx = next(file for file in files if file.suffix == ".ptx")
    shutil.copyfile(ptx, sys.argv[1])
