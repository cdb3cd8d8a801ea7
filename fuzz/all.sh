#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Runs every fuzz target for N seconds (environment variable, default 60) with the stable compiler, and stops at the first failing target.
# See docs/guide/fuzzing.md.
set -eu
cd "$(dirname "$0")"
export RUSTC_BOOTSTRAP=1
targets=$(cargo fuzz list)
for target in $targets; do
    mkdir -p "corpus/$target"
    set -- -timeout=5 -rss_limit_mb=1024 -max_len=4096 "-max_total_time=${N:-60}"
    if [ -f "dict/$target.dict" ]; then
        set -- "$@" "-dict=dict/$target.dict"
    fi
    echo "fuzzing $target for ${N:-60} s"
    cargo fuzz run --sanitizer none "$target" "corpus/$target" "seeds/$target" -- "$@"
done
