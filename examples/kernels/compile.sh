#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Compiles the kernels that are named as arguments, by default all of this folder, and checks the PTX with ptxas. Needs nvcc 13.5 on PATH.
set -eu
cd "$(dirname "$0")"
if ! command -v nvcc >/dev/null || ! command -v ptxas >/dev/null; then
    echo "compile.sh: nvcc and ptxas are not on PATH; README.md beside this script says how to get them from PyPI" >&2
    exit 2
fi
object=$(mktemp)
trap 'rm -f "$object"' EXIT
ptx() { # source, architecture, result
    nvcc "-arch=$2" -ptx "$1" -o "$3"
    ptxas "-arch=$2" "$3" -o "$object"
}
if [ $# -eq 0 ]; then set -- */; fi
for name in "$@"; do
    name=${name%/}
    # Kernels with clusters, dependent grids or tensor copies need sm_90 or later.
    archs="sm_80 sm_90a sm_100a"
    if grep -q '__cluster_dims__\|griddepcontrol\|bulk.tensor' "$name/$name.cu"; then archs="sm_90a sm_100a"; fi
    # wgmma exists for sm_90a only.
    if grep -q 'wgmma' "$name/$name.cu"; then archs="sm_90a"; fi
    bug_arch=sm_90a
    # Tensor memory is in sm_100a only.
    if grep -q 'tcgen05' "$name/$name.cu"; then archs=sm_100a bug_arch=sm_100a; fi
    for arch in $archs; do ptx "$name/$name.cu" $arch "$name/$arch.ptx"; done
    for bug in "$name"/bugs/*.cu; do
        if [ -e "$bug" ]; then ptx "$bug" "$bug_arch" "${bug%.cu}.$bug_arch.ptx"; fi
    done
done
