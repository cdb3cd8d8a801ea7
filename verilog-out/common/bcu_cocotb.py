# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`bcu_named` in cocotb 2: a coroutine for each operation; the ports, their values and the latencies are read from an export.

    bcu = Bcu(dut, "verilog-out/small")
    await bcu.reset()
    await bcu.launch(warps=8)
    await bcu.sync(warp=0, id=1)
    release = await bcu.released()

Inputs change and outputs are read at the falling edge of the clock; `bcu.cycle` counts these edges. The port takes one operation at a time,
so the coroutines that send an operation are called one after the other; coroutines that only read outputs may run at the same time.
"""

import argparse
import json
import re
import sys
from collections import namedtuple
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge
from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

Release = namedtuple("Release", "cycle cta id warps reduction value")
Fault = namedtuple("Fault", "cycle code warp cta id")


class Bcu:
    """The unit at the top of the simulation."""

    def __init__(self, dut, export):
        described = json.loads((Path(export) / "manifest.json").read_text())
        cycles = re.findall(r"^`define BCU_CYCLES_(\w+) +(\d+)", (Path(export) / "bcu_defs.vh").read_text(), re.MULTILINE)
        self.cycles = {name: int(number) for name, number in cycles}
        self.dut, self.configuration, self.cycle = dut, described["configuration"], 0
        (unit,) = (unit for unit in described["units"] if unit["module"] == "bcu_named")
        self.ports = {port["name"]: port for port in unit["ports"]}
        for name, port in self.ports.items():
            if port["direction"] == "input":
                getattr(dut, name).value = 0
        dut.fault_ready.value = 1
        dut.op_uniform.value = 1
        cocotb.start_soon(Clock(dut.clock, 10, unit="ns").start())

    def number(self, port, name):
        """The number of the value `name` at `port`, such as `Sync` at `op_kind`."""
        return self.ports[port]["values"].index(name)

    def name(self, port):
        """The name of the value that `port` has in this cycle."""
        return self.ports[port]["values"][int(getattr(self.dut, port).value)]

    async def tick(self, cycles=1):
        """Waits for the falling edge that is `cycles` cycles later."""
        for _ in range(cycles):
            await FallingEdge(self.dut.clock)
            self.cycle += 1

    async def reset(self):
        """Resets the unit; returns the number of cycles from the end of reset to the first cycle with `op_ready` 1."""
        self.dut.reset.value = 1
        await self.tick(2)
        self.dut.reset.value = 0
        begun = self.cycle
        await self.tick()
        while not int(self.dut.op_ready.value):
            await self.tick()
        return self.cycle - begun

    async def send(self, kind, **fields):
        """Holds `op_valid` at 1 until the operation is transferred; returns the cycle of the transfer."""
        self.dut.op_kind.value = self.number("op_kind", kind)
        for name, value in fields.items():
            port = f"op_{name}"
            getattr(self.dut, port).value = self.number(port, value) if isinstance(value, str) else value
        self.dut.op_valid.value = 1
        while not int(self.dut.op_ready.value):
            await self.tick()
        taken = self.cycle
        await self.tick()
        self.dut.op_valid.value = 0
        return taken

    async def launch(self, warps, cta=0, barriers=None, live=None):
        """A CTA of `warps` warps takes CTA slot `cta`."""
        barriers = self.configuration["barriers"] if barriers is None else barriers
        return await self.send("Launch", cta=cta, warps=warps, live=warps if live is None else live, barriers=barriers)

    async def release(self, mask, cta=0, saved=0):
        """The CTA gives CTA slot `cta` back; `mask` has a bit for each of its warp slots."""
        return await self.send("Release", cta=cta, mask=mask, saved=saved)

    async def sync(self, warp, id=0, count=0, cta=0):
        """A warp arrives and waits; `count` is in threads, 0 means all live warps of the CTA."""
        return await self.send("Sync", warp=warp, id=id, count=count, cta=cta)

    async def arrive(self, warp, id, count, cta=0):
        """A warp arrives and does not wait; `count` is in threads."""
        return await self.send("Arrive", warp=warp, id=id, count=count, cta=cta)

    async def reduce(self, warp, redop, value, id=0, count=0, cta=0):
        """A warp arrives with `value`, its contribution to the reduction `redop` (`And`, `Or` or `Popc`), and waits."""
        return await self.send("Reduce", warp=warp, id=id, count=count, cta=cta, redop=redop, value=value)

    async def exit(self, warp, cta=0):
        """A warp exits."""
        return await self.send("Exit", warp=warp, cta=cta)

    def release_now(self):
        """The release of this cycle; `None` if there is none."""
        if not int(self.dut.release_valid.value):
            return None
        cta, id, warps, value = (int(getattr(self.dut, f"release_{name}").value) for name in ("cta", "id", "warps", "value"))
        return Release(self.cycle, cta, id, warps, self.name("release_reduction"), value)

    def fault_now(self):
        """The fault that is transferred in this cycle, or `None`; the warp of a fault without a warp is `None`."""
        if not int(self.dut.fault_valid.value) or not int(self.dut.fault_ready.value):
            return None
        warp, cta, id = (int(getattr(self.dut, f"fault_{name}").value) for name in ("warp", "cta", "id"))
        return Fault(self.cycle, self.name("fault_code"), warp if int(self.dut.fault_has_warp.value) else None, cta, id)

    async def released(self):
        """Waits for the next release, which may be in this cycle, and returns it in the cycle after it."""
        while (release := self.release_now()) is None:
            await self.tick()
        await self.tick()
        return release


def arguments(doc, waveform):
    """The command-line arguments that all benches share."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("export", type=Path, help="folder of an export with bcu_defs.vh and manifest.json")
    parser.add_argument("--waves", action="store_true", help=f"write the waveform {waveform}.fst into the build's folder")
    return parser


def passes(script, toplevel, sources, args, given):
    """Runs the tests of `script` on module `toplevel` under Icarus, with the environment variables `given`; returns whether all pass."""
    script, export, runner = Path(script), args.export.resolve(), get_runner("icarus")
    options = {"hdl_toplevel": toplevel, "build_dir": Path("target/cocotb") / f"{script.stem}-{export.name}"}
    runner.build(
        sources=[export / "bcu_prim.v", *sources],
        includes=[export],
        # The modules have no time unit, and the clock needs one.
        timescale=("1ns", "1ps"),
        # The code that cocotb adds to write a waveform is SystemVerilog. Icarus reads modules that are not in `sources` from the export.
        build_args=["-g2012" if args.waves else "-g2005", "-y", str(export)],
        always=True,
        waves=args.waves,
        **options,
    )
    given = {"BCU_EXPORT": str(export), "COCOTB_LOG_LEVEL": "WARNING", **given}
    imports = {"PYTHONPATH": str(script.resolve().parent), "PYTHONDONTWRITEBYTECODE": "1"}
    ran, failed = get_results(runner.test(test_module=script.stem, extra_env={**given, **imports}, waves=args.waves, **options))
    return ran and not failed


def main(script, doc, toplevel, sources, operations):
    """The command line of a bench that sends random operations to `toplevel`; the output ends with PASS or FAIL."""
    parser = arguments(doc, toplevel)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operations", type=int, default=operations)
    args = parser.parse_args()
    given = {"BCU_SEED": str(args.seed), "BCU_OPERATIONS": str(args.operations)}
    if not passes(script, toplevel, sources(args.export), args, given):
        sys.exit(f"FAIL; repeat with: python {script} {args.export} --seed {args.seed} --operations {args.operations}")
    print(f"PASS: {args.operations} operations, seed {args.seed}")
