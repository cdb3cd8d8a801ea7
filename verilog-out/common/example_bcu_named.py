# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sends random arrivals and exits to the `bcu_named` of an export and compares it with a reference; under Icarus, with cocotb 2.

    python verilog-out/common/example_bcu_named.py verilog-out/small [--seed N] [--operations N]
"""

import os
import random
import sys

try:
    import cocotb
    from cocotb.triggers import FallingEdge
except ImportError:
    sys.exit("cocotb 2 is not installed: pip install cocotb==2.1.0")

# Python writes no `__pycache__` beside the sources.
sys.dont_write_bytecode = True
from bcu_cocotb import Bcu, main
from bcu_reference import Reference, choice


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
            assert fault is None, f"unexpected fault: {fault}"
            cycle = bcu.cycle
            while bcu.cycle == cycle:
                await FallingEdge(dut.clock)

    await bcu.reset()
    cocotb.start_soon(watch())
    done = exits = 0
    while done < operations:
        reference = Reference(range(warps), lanes)
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
        # The CTA is released with barriers open. With `saved` they are no fault, as after a save of the CTA's state.
        await bcu.tick(8)
        assert int(dut.waiting.value) == sum(1 << warp for warp in reference.waiting), "`waiting` differs from the reference"
        await bcu.release((1 << warps) - 1, saved=1)
    await bcu.tick(8)
    assert seen == expected, next(pair for pair in zip(seen + [None], expected + [None]) if pair[0] != pair[1])
    assert len(seen) > operations // 40 and exits, f"{len(seen)} releases, {exits} by exits: expected over {operations // 40}, and an exit"
    dut._log.info(f"{done} operations, {len(seen)} releases, seed {seed}")


if __name__ == "__main__":
    main(__file__, __doc__, "bcu_named", lambda export: [export / "bcu_named.v"], operations=2000)
