#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Builds barriers.hex, the image of the own memory of a hart, from barriers.c; the argument is the file to write. Debian 12 has the compiler
# in the package gcc-riscv64-unknown-elf.
set -eu
out="$(realpath "${1:-barriers.hex}")"
cd "$(dirname "$0")"
tools="riscv64-unknown-elf"
command -v "$tools-gcc" > /dev/null || { echo "build.sh: $tools-gcc is missing: apt-get install gcc-riscv64-unknown-elf" >&2; exit 2; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$tools-gcc" -march=rv32i_zicsr -mabi=ilp32 -O2 -std=c11 -Wall -Wextra -Werror -ffreestanding -nostdlib -T own_memory.ld \
    start.S barriers.c -o "$work/image.elf" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
"$tools-objcopy" -O binary "$work/image.elf" "$work/image.bin"
truncate -s 2048 "$work/image.bin"
{
    echo "// SPDX-License-Identifier: Apache-2.0 OR MIT"
    echo "// barriers.c as words of the own memory of a hart, by build.sh."
    od -An -v -t x4 -w4 "$work/image.bin" | tr -d ' ' 
} > "$out"
