# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random arrivals and exits at the `bcu_named` of an export, against a reference; under Icarus, with cocotb 2.

    python verilog-out/common/test_bcu_named.py verilog-out/small [--seed N] [--operations N]
"""

import argparse
import os
import random
import sys
from pathlib import Path

try:
    import cocotb
    from cocotb.triggers import FallingEdge
    from cocotb_tools.check_results import get_results
    from cocotb_tools.runner import get_runner
except ImportError:
    sys.exit("cocotb 2 is not there: pip install cocotb==2.1.0")

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
from bcu_cocotb import Bcu

HERE = Path(__file__).resolve().parent

class Reference:
    """The barriers of one CTA, without cycles: operations in order, releases as (cycle, id, warps, reduction, value)."""

    def __init__(self, warps, lanes):
        self.lanes, self.live, self.rows, self.waiting, self.last = lanes, set(range(warps)), {}, set(), None

    def arrive(self, kind, warp, id, count, redop=None, value=0):
        row = self.rows.setdefault(id, {"arrived": set(), "waits": 0, "count": count, "redop": redop, "sum": 0})
        row["arrived"].add(warp)
        row["sum"] += value
        if kind != "Arrive":
            row["waits"] |= 1 << warp
            self.waiting.add(warp)
        if not count:
            self.last = id
        return self.completed(id)

    def exit(self, warp):
        self.live.discard(warp)
        open_without_count = self.last in self.rows and not self.rows[self.last]["count"]
        return self.completed(self.last) if open_without_count else None

    def completed(self, id):
        row = self.rows[id]
        if len(row["arrived"]) != (row["count"] // self.lanes if row["count"] else len(self.live)):
            return None
        del self.rows[id]
        self.waiting -= {warp for warp in range(64) if row["waits"] >> warp & 1}
        value = {None: 0, "And": int(row["sum"] == 0), "Or": int(row["sum"] != 0), "Popc": row["sum"]}[row["redop"]]
        return id, row["waits"], row["redop"] or "None", value


def choice(dice, reference, configuration):
    """A legal operation of a warp that neither waits nor is gone: (kind, warp, id, count, redop, value); `None`: there is none."""
    free = sorted(reference.live - reference.waiting)
    if not free:
        return None
    warp = dice.choice(free)
    arrived = {id for id, row in reference.rows.items() if warp in row["arrived"]}
    missing = any(not row["count"] and reference.live - row["arrived"] == {warp} for row in reference.rows.values())
    if len(reference.live) > 2 and not arrived and dice.random() < (0.5 if missing else 0.01):
        return "Exit", warp, 0, 0, None, 0
    # Mostly at a barrier where others are, so that barriers complete.
    ids = [id for id in range(configuration["barriers"]) if id not in arrived]
    joined = [id for id in ids if id in reference.rows]
    if not ids:
        return None
    id = dice.choice(joined if joined and dice.random() < 0.8 else ids)
    lanes, row = reference.lanes, reference.rows.get(id)
    without_count = [other for other, row in reference.rows.items() if not row["count"] and other != id]
    if row is None:
        # One barrier without a count at a time: an exit completes the last one only.
        whole = not without_count and dice.random() < 0.4
        count = 0 if whole else lanes * dice.randint(1, min(len(reference.live), 8))
        redop = dice.choice([None, None, "And", "Or", "Popc"]) if configuration["reductions"] else None
    else:
        count, redop = row["count"], row["redop"]
    kind = "Reduce" if redop else dice.choice(["Sync", "Sync", "Arrive"] if count else ["Sync"])
    value = dice.randint(0, lanes if redop == "Popc" else 1) if redop else 0
    return kind, warp, id, count, redop, value


@cocotb.test()
async def random_operations(dut):
    folder, seed, operations = os.environ["BCU_EXPORT"], int(os.environ["BCU_SEED"]), int(os.environ["BCU_OPERATIONS"])
    dice, bcu = random.Random(seed), Bcu(dut, folder)
    warps, lanes = bcu.configuration["warps"], bcu.configuration["lanes"]
    release_cycles, exit_cycles = bcu.cycles["NAMED_RELEASE"], bcu.cycles["NAMED_EXIT_RELEASE"]
    expected, seen = [], []

    async def watch():
        while True:
            if (release := bcu.release_now()) is not None:
                seen.append((release.cycle, release.id, release.warps, release.reduction, release.value))
            fault = bcu.fault_now()
            assert fault is None, f"a fault that nobody expects: {fault}"
            cycle = bcu.cycle
            while bcu.cycle == cycle:
                await FallingEdge(dut.clock)

    await bcu.reset()
    cocotb.start_soon(watch())
    done = exits = 0
    while done < operations:
        reference = Reference(warps, lanes)
        await bcu.launch(warps)
        while (chosen := choice(dice, reference, bcu.configuration)) and done < operations:
            kind, warp, id, count, redop, value = chosen
            done += 1
            if kind == "Exit":
                cycle, release = await bcu.exit(warp) + exit_cycles, reference.exit(warp)
            else:
                fields = {"redop": redop, "value": value} if redop else {}
                cycle = await bcu.send(kind, warp=warp, id=id, count=count, cta=0, **fields) + release_cycles
                release = reference.arrive(kind, warp, id, count, redop, value)
            if release:
                expected.append((cycle, *release))
                exits += kind == "Exit"
            if dice.random() < 0.3:
                await bcu.tick(dice.randint(1, 4))
        # The CTA ends with barriers open, as if its state had been saved.
        await bcu.tick(8)
        assert int(dut.waiting.value) == sum(1 << warp for warp in reference.waiting), "who waits"
        await bcu.release((1 << warps) - 1, saved=1)
    await bcu.tick(8)
    assert seen == expected, next(pair for pair in zip(seen + [None], expected + [None]) if pair[0] != pair[1])
    assert len(seen) > operations // 40 and exits, f"{len(seen)} releases, {exits} of them by exits, are too few"
    dut._log.info(f"{done} operations, {len(seen)} releases, seed {seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("export", type=Path, help="folder of an export with bcu_named.v, bcu_defs.vh and manifest.json")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--operations", type=int, default=2000)
    args = parser.parse_args()
    runner = get_runner("icarus")
    build = Path("target/cocotb") / args.export.resolve().name
    runner.build(sources=[args.export / "bcu_named.v"], hdl_toplevel="bcu_named", build_dir=build, build_args=["-g2005"], always=True)
    given = {"BCU_EXPORT": str(args.export.resolve()), "BCU_SEED": str(args.seed), "BCU_OPERATIONS": str(args.operations)}
    environment = {**given, "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1", "COCOTB_LOG_LEVEL": "WARNING"}
    results = runner.test(hdl_toplevel="bcu_named", test_module="test_bcu_named", build_dir=build, extra_env=environment)
    ran, failed = get_results(results)
    if failed or not ran:
        sys.exit(f"FAIL; repeat with: python {__file__} {args.export} --seed {args.seed} --operations {args.operations}")
    print(f"PASS: {args.operations} operations, seed {args.seed}")


if __name__ == "__main__":
    main()
