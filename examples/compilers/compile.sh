#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Compiles `block_sum` with the compilers named as arguments, by default all, and checks each PTX with bcu, which must be on PATH.
# The compilers come from PyPI and Debian; they are installed into target/compilers, and the PTX is written there.
set -eu
cd "$(dirname "$0")"
root=$(git rev-parse --show-toplevel)/target/compilers
mkdir -p "$root"

exec 3>&2
missing() { echo "compile.sh: $1" >&3; exit 2; }
command -v bcu > /dev/null || missing "bcu is not on PATH: cargo build, then PATH=\"\$PWD/target/debug:\$PATH\""

python() { # compiler, packages: a virtual environment with these packages, whose interpreter is $python
    name=$1 python="$root/$1/bin/python"
    shift
    if [ ! -e "$root/$name.installed" ]; then
        echo "installing from PyPI: $*"
        python3 -m venv "$root/$name" || missing "python3 cannot make a virtual environment: apt-get install python3-venv"
        "$python" -m pip install --quiet --disable-pip-version-check "$@" || missing "pip cannot install: $*"
        touch "$root/$name.installed"
    fi
}

compile() { # compiler, file of the PTX
    case $1 in
    nvcc)
        python nvcc nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37
        command -v g++ > /dev/null || missing "nvcc needs g++: apt-get install g++"
        "$(echo "$root"/nvcc/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)" -arch=sm_80 -ptx block_sum.cu -o "$2" ;;
    clang)
        command -v clang-19 > /dev/null || missing "clang-19 is not on PATH: apt-get install clang-19"
        clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -include clang_cuda.h -O2 \
            -S block_sum.cu -o "$2" ;;
    triton)
        python triton triton==3.9.0 numpy
        "$python" with_triton.py "$2" ;;
    numba)
        python numba numba-cuda==0.30.4 numba==0.68.1 nvidia-cuda-runtime==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-nvrtc==13.5.37
        "$python" with_numba.py "$2" ;;
    warp)
        python warp warp-lang==1.19.0 numpy
        "$python" with_warp.py "$2" ;;
    *) missing "\`$1\` is not a compiler of this folder; expected nvcc, clang, triton, numba, warp" ;;
    esac
}

failed=0
if [ $# -eq 0 ]; then set -- nvcc clang triton numba warp; fi
for name in "$@"; do
    ptx="$root/$name.ptx" without="$root/$name.no_barrier.ptx" log="$root/$name.log"
    compile "$name" "$ptx" > "$log" 2>&1 || { status=$?; cat "$log" >&2; missing "$name cannot compile block_sum (exit code $status)"; }
    if bcu check "$name.toml" --program "$ptx" > "$log" 2>&1; then echo "$name: $(head -1 "$log")"; else cat "$log"; failed=1; fi
    # Without its barriers the kernel must have a race.
    sed 's/bar\.sync.*;//' "$ptx" > "$without"
    status=0
    bcu check "$name.toml" --program "$without" > "$log" 2>&1 || status=$?
    if [ $status -eq 1 ] && grep -q '^error\[race\]' "$log"; then
        echo "$name without barriers: $(head -1 "$log")"
    else
        echo "$name without barriers: exit code $status, expected 1 and the finding \`race\`:"
        cat "$log"
        failed=1
    fi
done
exit $failed
