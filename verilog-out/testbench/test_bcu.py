# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Drives a unit of an export with the vectors of a bench of `bcu testbench` and compares every output; under Icarus, with cocotb 2.

    python verilog-out/testbench/test_bcu.py verilog-out/small verilog-out/testbench/small/tb_bcu_named.hex
"""

import json
import os
import re
import sys
from pathlib import Path

try:
    import cocotb
    from cocotb.clock import Clock
    from cocotb.triggers import FallingEdge, Timer
except ImportError:
    sys.exit("cocotb 2 is not installed: pip install cocotb==2.1.0")

# Python writes no `__pycache__` beside the sources.
sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "common"))
from bcu_cocotb import arguments, passes


def ports(export, module):
    """The ports of `module` as the manifest of the folder `export` lists them."""
    units = json.loads((Path(export) / "manifest.json").read_text())["units"]
    described = [unit["ports"] for unit in units if unit["module"] == module]
    if not described:
        sys.exit(f"{export} has no module `{module}`; it has {', '.join(unit['module'] for unit in units)}")
    return described[0]


def read(file, listed):
    """The number of cycles of a run, and for each cycle in `file` a dictionary with the value of each port; `listed` are the ports."""
    head, *lines = Path(file).read_text().splitlines()
    length = re.search(r"--cycles (\d+)", head)
    numbers = " ".join(lines).split()
    digits = -(-sum(port["width"] for port in listed) // 4)
    if not head.startswith("//") or not length or any(len(number) != digits for number in numbers):
        sys.exit(f"{file} is not for this export: expected `// … --cycles N` and {digits}-digit numbers; write it with `bcu testbench`")
    cycles = []
    for number in (int(number, 16) for number in numbers):
        values = {}
        # The first port is in the highest bits.
        for port in reversed(listed):
            values[port["name"]] = number & ((1 << port["width"]) - 1)
            number >>= port["width"]
        cycles.append(values)
    return int(length[1]), cycles


@cocotb.test()
async def vectors(dut):
    listed = ports(os.environ["BCU_EXPORT"], os.environ["BCU_MODULE"])
    length, cycles = read(os.environ["BCU_VECTORS"], listed)
    cocotb.start_soon(Clock(dut.clock, 10, unit="ns").start())
    outputs = [(port, getattr(dut, port["name"])) for port in listed if port["direction"] == "output"]
    inputs = [(port["name"], getattr(dut, port["name"])) for port in listed if port["direction"] == "input"]
    await FallingEdge(dut.clock)
    for at, values in enumerate(cycles):
        # Inputs change at the falling edge; outputs are read 4 ns later, 1 ns before the rising edge.
        for name, handle in inputs:
            handle.value = values[name]
        await Timer(4, unit="ns")
        # The first cycle of a run is its reset: its outputs still belong to the run before, and are not compared.
        for port, handle in outputs if at % length else []:
            counts = all(values[when["port"]] in when["values"] for when in port.get("when", []))
            due, shown = values[port["name"]], handle.value
            right = not counts or (shown.is_resolvable and int(shown) == due)
            assert right, f"cycle {at % length} of run {at // length}: {port['name']} is {shown}, expected {due:b}"
        await FallingEdge(dut.clock)


if __name__ == "__main__":
    parser = arguments(__doc__, "MODULE")
    parser.add_argument("vectors", type=Path, help="tb_MODULE.hex, which `bcu testbench` writes for this configuration")
    args = parser.parse_args()
    module = args.vectors.stem.removeprefix("tb_")
    length, cycles = read(args.vectors, ports(args.export, module))
    given = {"BCU_MODULE": module, "BCU_VECTORS": str(args.vectors.resolve())}
    if not passes(__file__, module, [args.export / f"{module}.v"], args, given):
        sys.exit("FAIL")
    print(f"PASS: {len(cycles)} cycles of {module}")
