# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Simulates random cores that use `bcu_axil` over its bus, and compares with a reference; under Icarus, with cocotb 2 and cocotbext-axi.

    python verilog-out/common/test_bcu_axil.py verilog-out/small [--seed N] [--operations N]

A dispatcher per CTA slot starts CTAs of warps that it takes from a shared pool, and chooses the next operation of each core: the core
arrives and then polls or waits for its interrupt line, or it ends. All cores share the bus, whose five channels stall at random. The
bench reads the register map from the header of `bcu_registers.v`.

The unit sends exits before arrivals, so operations may take effect in another order than on the bus. An operation that depends on earlier
ones (an exit, or the first arrival at a barrier) is therefore sent only when no operation of its CTA is queued.
"""

import json
import os
import random
import re
import sys
import warnings
from pathlib import Path

try:
    import cocotb
    from cocotb.clock import Clock
    from cocotb.triggers import FallingEdge, Lock
    from cocotbext.axi import AxiLiteBus, AxiLiteMaster
except ImportError:
    sys.exit("cocotb 2 or cocotbext-axi is not installed: pip install cocotb==2.1.0 cocotbext-axi==0.1.28")

# Python writes no `__pycache__` beside the sources.
sys.dont_write_bytecode = True
from bcu_cocotb import main
from bcu_reference import Reference, choice

# cocotbext-axi uses names of cocotb 1, which cocotb 2.1 still has, with a warning.
warnings.filterwarnings("ignore", category=DeprecationWarning, module="cocotbext")

HERE = Path(__file__).resolve().parent
MAP = {
    name: int(offset, 16)
    for offset, name in re.findall(r"^//   0x([0-9a-f]{3})  (\w+)", (HERE / "bcu_registers.v").read_text(), re.MULTILINE)
}
READ_ONLY = {"ID", "SIZES", "STATUS", "FAULTS", "IRQ", "STALLED", "PENDING", "MEMBER", "PRESENT", "CTA_BUSY", "OPEN", "WARP"}
OKAY, SLVERR = 0, 2
# Cycles within which every expected event happens.
LIMIT = 4000


def bits(warps):
    return sum(1 << warp for warp in warps)


class Host:
    """The bus master, and a model of the registers: set and uncleared bits of WAKE and REFUSED, enabled lines, the held fault."""

    def __init__(self, dut, seed):
        self.dut, self.cycle, self.asked = dut, 0, []
        # Per channel: the cycles of its transfers.
        self.transfers = {channel: [] for channel in ("aw", "w", "b", "ar", "r")}
        cocotb.start_soon(Clock(dut.clock, 10, unit="ns").start())
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clock, dut.reset)
        write, read = self.master.write_if, self.master.read_if
        self.channels = [write.aw_channel, write.w_channel, write.b_channel, read.ar_channel, read.r_channel]
        for number, channel in enumerate(self.channels):
            channel.set_pause_generator(self.pauses(random.Random(f"{seed} channel {number}")))
        self.wakes, self.refusals, self.enabled = set(), set(), set()
        self.faults, self.held, self.fault_irq, self.fault_lock = 0, None, False, Lock()
        self.cta_of = {}

    @staticmethod
    def pauses(dice):
        while True:
            rate = dice.choice([0, 0, 0.3, 0.8])
            for _ in range(dice.randint(20, 300)):
                yield dice.random() < rate

    def without_pauses(self):
        for channel in self.channels:
            channel.clear_pause_generator()
            channel.pause = False

    async def tick(self, cycles=1):
        for _ in range(cycles):
            await FallingEdge(self.dut.clock)

    async def watch(self):
        """Counts cycles and records transfers; checks that each line at 1 has a cause and that the bus responds within LIMIT cycles."""
        while True:
            await FallingEdge(self.dut.clock)
            self.cycle += 1
            for channel, cycles in self.transfers.items():
                valid, ready = (int(getattr(self.dut, f"s_axil_{channel}{name}").value) for name in ("valid", "ready"))
                if valid and ready:
                    cycles.append(self.cycle)
            lines = int(self.dut.warp_irq.value)
            wrong = lines & ~bits((self.wakes | self.refusals) & self.enabled)
            assert not wrong, f"cycle {self.cycle}: warp_irq is 1 for warps {wrong:#x} without WAKE or REFUSED"
            assert not lines or int(self.dut.irq.value), f"cycle {self.cycle}: irq is 0 although warp_irq is {lines:#x}"
            assert self.cycle - min(self.asked, default=self.cycle) < LIMIT, f"cycle {self.cycle}: no response for {LIMIT} cycles"

    async def answer(self, access):
        """The response to `access`; `watch` checks that it comes."""
        begun = self.cycle
        self.asked.append(begun)
        response = await access
        self.asked.remove(begun)
        return response

    async def write(self, address, value, expected=OKAY):
        data = value if isinstance(value, bytes) else value.to_bytes(4, "little")
        response = await self.answer(self.master.write(address, data))
        assert response.resp == expected, f"cycle {self.cycle}: write of {value} to {address:#x}: {response.resp!r}, expected {expected}"

    async def read(self, address, expected=OKAY):
        response = await self.answer(self.master.read(address, 4))
        assert response.resp == expected, f"cycle {self.cycle}: read of {address:#x}: {response.resp!r}, expected {expected}"
        return int.from_bytes(response.data, "little")

    async def write_mask(self, name, mask, expected=OKAY):
        """Writes `mask` to a register with a bit per warp or CTA slot; a word that is 0 in `mask` is not written."""
        for word in range(2):
            if mask >> 32 * word & 0xFFFFFFFF:
                await self.write(MAP[name] + 4 * word, mask >> 32 * word & 0xFFFFFFFF, expected)

    async def read_mask(self, name, among):
        """The bits of the register `name` that are 1 in `among`; a word that is 0 in `among` is not read."""
        value = 0
        for word in range(2):
            if among >> 32 * word & 0xFFFFFFFF:
                value |= await self.read(MAP[name] + 4 * word) << 32 * word
        return value & among

    async def arrive(self, warp, id, count, waits, expected=OKAY):
        await self.write(MAP["ARRIVE"] + 16 * warp, id | waits << 8 | count << 16, expected)

    async def until(self, what, happens):
        """Waits until the asynchronous condition `happens` holds, at most LIMIT cycles; `what` names it in the message."""
        begun = self.cycle
        while not await happens():
            assert self.cycle - begun < LIMIT, f"cycle {self.cycle}: waiting for {what} since cycle {begun}"
            await self.tick()

    async def expect_fault(self, code, warp, cta, id):
        """Checks a fault, under `fault_lock`: FAULTS, FAULT, `irq`, and for a fault with a warp the warp's bit in REFUSED."""
        self.faults += 1
        self.held = self.held or (code, warp, cta, id)
        await self.until(f"fault {code}", self.counted)
        await self.check_held()
        if warp is None:
            return
        assert await self.read_mask("REFUSED", 1 << warp), f"cycle {self.cycle}: warp {warp} is not in REFUSED"
        line = int(self.dut.warp_irq.value) >> warp & 1
        assert line == (warp in self.enabled), f"cycle {self.cycle}: line of the refused warp {warp} is {line}"
        await self.clear("REFUSED", self.refusals, warp)

    async def ready(self):
        return await self.read(MAP["STATUS"]) & 1

    async def counted(self):
        return await self.read(MAP["FAULTS"]) == self.faults % 65536

    async def check_held(self):
        word = await self.read(MAP["FAULT"])
        found = None
        if word >> 31:
            found = word & 63, word >> 8 & 63 if word >> 30 & 1 else None, word >> 16 & 63, word >> 24 & 15
        held = self.held
        assert found == held, f"cycle {self.cycle}: FAULT is {found}, expected {held} (code, warp, CTA slot, id)"
        assert not held or not self.fault_irq or int(self.dut.irq.value), f"cycle {self.cycle}: irq is 0 with an enabled fault"
        assert bool(await self.read(MAP["STATUS"]) & 4) == bool(held), f"cycle {self.cycle}: bit 2 of STATUS differs from FAULT"

    async def let_go(self):
        """Clears FAULT, under `fault_lock`, and checks that a write without bit 31 does not clear it."""
        await self.write(MAP["FAULT"], 0x7FFFFFFF)
        await self.check_held()
        await self.write(MAP["FAULT"], 1 << 31)
        self.held = None
        await self.check_held()

    async def clear(self, name, model, warp):
        await self.write_mask(name, 1 << warp)
        model.discard(warp)
        assert not await self.read_mask(name, 1 << warp), f"cycle {self.cycle}: {name} of warp {warp} is not cleared"
        if warp not in self.wakes | self.refusals:
            assert not int(self.dut.warp_irq.value) >> warp & 1, f"cycle {self.cycle}: line of warp {warp} is still 1"


class Dispatcher:
    """Starts CTAs in one CTA slot and chooses the operations of their cores."""

    def __init__(self, host, slot, pool, configuration, seed):
        self.host, self.slot, self.pool, self.configuration = host, slot, pool, configuration
        self.dice = random.Random(f"{seed} slot {slot}")
        self.reference, self.warps = None, set()
        self.unanswered, self.busy, self.killed = set(), set(), set()
        self.counts = {"arrivals": 0, "releases": 0, "exits": 0, "faults": 0, "joins": 0, "left open": 0, "polled": 0}

    async def run(self, operations):
        while sum(self.counts[name] for name in ("arrivals", "exits")) < operations:
            if self.pool:
                await self.run_cta(operations)
            else:
                await self.host.tick(20)

    def take(self, number):
        warps = self.dice.sample(sorted(self.pool), number)
        self.pool.difference_update(warps)
        self.warps.update(warps)
        return warps

    async def start(self, warps):
        """Writes the CTA slot of `warps`, enables the lines of some of them, and starts all of them with one write or with several."""
        host, dice = self.host, self.dice
        for warp in warps:
            if host.cta_of.get(warp, 0) != self.slot or dice.random() < 0.1:
                await host.write(MAP["CTA"] + 16 * warp, self.slot)
                host.cta_of[warp] = self.slot
        on = {warp for warp in warps if dice.random() < 0.6}
        host.enabled |= on
        await host.write_mask("ENABLE_SET", bits(on))
        await host.write_mask("ENABLE_CLEAR", bits(set(warps) - on))
        host.enabled -= set(warps) - on
        if len({warp // 32 for warp in warps}) < 2 and dice.random() < 0.5:
            await host.write_mask("LIVE_SET", bits(warps))
            return
        await host.write_mask("LOADING_SET", 1 << self.slot)
        for warp in warps:
            await host.write_mask("LIVE_SET", 1 << warp)
        assert await host.read_mask("LOADING_SET", 1 << self.slot) == 1 << self.slot, "LOADING is not set"
        await host.tick(self.configuration["cta_slots"] + 10)
        assert not await host.read_mask("MEMBER", bits(warps)), f"cycle {host.cycle}: warps are members while LOADING is 1"
        await host.write_mask("LOADING_CLEAR", 1 << self.slot)

    async def run_cta(self, operations):
        dice, begun = self.dice, sum(self.counts.values())
        self.warps, self.killed = set(), set()
        warps = self.take(dice.randint(1, len(self.pool)))
        await self.start(warps)
        self.reference = Reference(warps, 1)
        length = dice.randint(5, max(5, min(200, operations)))
        while sum(self.counts.values()) - begun < length:
            chosen = choice(dice, self.reference, self.configuration, self.busy)
            if chosen:
                await self.perform(*chosen[:4])
            elif self.busy - self.reference.waiting:
                await self.host.tick()
            else:
                break
            if dice.random() < 0.04:
                await self.misuse()
            if dice.random() < 0.05 and self.pool and not self.reference.rows:
                await self.settle()
                joining = self.take(min(1, len(self.pool)))
                self.counts["joins"] += len(joining)
                await self.start(joining)
                self.reference.live.update(joining)
            if dice.random() < 0.05:
                await self.look()
            if dice.random() < 0.3:
                await self.host.tick(dice.randint(1, 30))
        await self.end()

    async def perform(self, kind, warp, id, count):
        if kind == "Exit" or id not in self.reference.rows:
            await self.settle()
        if kind == "Exit":
            self.counts["exits"] += 1
            self.released(self.reference.exit(warp))
            await self.host.write_mask("LIVE_CLEAR", 1 << warp)
            return
        self.counts["arrivals"] += 1
        self.unanswered.add(warp)
        self.busy.add(warp)
        cocotb.start_soon(self.core(warp, id, count, kind == "Sync"))
        self.released(self.reference.arrive(kind, warp, id, count))

    def released(self, release):
        if release:
            self.counts["releases"] += 1
            self.host.wakes |= {warp for warp in self.warps if release[1] >> warp & 1}

    async def core(self, warp, id, count, waits):
        """One core: it arrives and, if `waits`, waits for its interrupt line if the line is enabled, else polls."""
        host = self.host
        await host.arrive(warp, id, count, waits)
        self.unanswered.discard(warp)
        if not waits:
            async def sent():
                return not await host.read(MAP["WARP"] + 16 * warp) & 0x10

            await host.until(f"the end of PENDING of warp {warp}", sent)
            self.busy.discard(warp)
            return
        while warp not in host.wakes:
            if warp in self.killed:
                self.busy.discard(warp)
                return
            await host.tick()

        async def goes_on():
            if warp in host.enabled:
                return int(host.dut.warp_irq.value) >> warp & 1
            self.counts["polled"] += 1
            return not await host.read(MAP["WARP"] + 16 * warp) & 0x08

        await host.until(f"the wake of warp {warp}", goes_on)
        # The bit in WAKE is 1 in the cycle after `stalled` falls, so a read after the poll returns it.
        state, line = await host.read(MAP["WARP"] + 16 * warp), warp in host.enabled
        assert state & 0xF8 == 0x20 | line << 7, f"cycle {host.cycle}: WARP of the woken warp {warp} is {state:#x}"
        await host.clear("WAKE", host.wakes, warp)
        self.busy.discard(warp)

    async def settle(self):
        """Waits until no operation of the CTA is queued, so that the unit has done all that the reference has done."""
        host, mask = self.host, bits(self.warps)
        while self.unanswered:
            await host.tick()

        async def quiet():
            return not await host.read_mask("PENDING", mask) and await host.read_mask("PRESENT", mask) == bits(self.reference.live)

        await host.until(f"an empty queue of CTA slot {self.slot}", quiet)

    async def look(self):
        """Checks all registers of the CTA against the reference."""
        await self.settle()
        await self.host.tick(8)
        host, reference, mask = self.host, self.reference, bits(self.warps)
        expected = {"LIVE_SET": reference.live, "LIVE_CLEAR": reference.live, "MEMBER": reference.live, "PRESENT": reference.live}
        expected.update(STALLED=reference.waiting, ENABLE_SET=host.enabled, ENABLE_CLEAR=host.enabled)
        for name, warps in expected.items():
            found = await host.read_mask(name, mask)
            assert found == bits(warps) & mask, f"cycle {host.cycle}: {name} is {found:#x}, expected {bits(warps) & mask:#x}"
        found = await host.read(MAP["OPEN"] + 4 * self.slot)
        assert found == bits(reference.rows), f"cycle {host.cycle}: OPEN is {found:#x}, expected {bits(reference.rows):#x}"
        assert await host.read_mask("CTA_BUSY", 1 << self.slot), f"cycle {host.cycle}: CTA_BUSY"
        for warp in self.warps:
            assert await host.read(MAP["CTA"] + 16 * warp) == self.slot, f"cycle {host.cycle}: CTA of warp {warp}"

    async def misuse(self):
        """Sends an operation that must be refused; one at a time over all dispatchers, so that the fault in FAULT is known."""
        host, dice, reference = self.host, self.dice, self.reference
        await self.settle()
        free = sorted(reference.live - self.busy - reference.waiting)
        kinds = ["not_resident"] if self.pool else []
        stuck = [warp for warp in sorted(reference.waiting) if warp not in host.enabled and warp in self.busy]
        kinds += ["warp_blocked"] if stuck else []
        kinds += ["no such id", "count 0", "count too large", "double"] if free else []
        kinds += ["not built"] if free and self.configuration["barriers"] < 16 else []
        if not kinds:
            return
        kind, id, count, waits, expected, slot = dice.choice(kinds), dice.randrange(self.configuration["barriers"]), 0, 1, OKAY, self.slot
        warp = dice.choice(free) if free else None
        if kind == "not_resident":
            (warp,) = self.dice.sample(sorted(self.pool), 1)
            self.pool.discard(warp)
            code, expected, slot = 1, SLVERR, host.cta_of.get(warp, 0)
        elif kind == "warp_blocked":
            warp, code, expected = dice.choice(stuck), 2, SLVERR
        elif kind == "no such id":
            id, code, expected = dice.randrange(16, 256), 5, SLVERR
        elif kind == "not built":
            id, code = dice.randrange(self.configuration["barriers"], 16), 5
        elif kind == "count 0":
            waits, code = 0, 9
        elif kind == "count too large":
            count, waits, code = dice.randrange(self.configuration["warps"] + 1, 256), dice.randrange(2), 11
        else:
            arrived = [id for id, row in reference.rows.items() if warp in row["arrived"]]
            if not arrived:
                return
            id, code = dice.choice(arrived), 12
            count = reference.rows[id]["count"]
        if kind in ("count 0", "count too large") and id in reference.rows:
            return
        async with host.fault_lock:
            self.counts["faults"] += 1
            self.busy.add(warp)
            host.refusals.add(warp)
            await host.arrive(warp, id, count, waits, expected)
            await host.expect_fault(code, warp, slot, id & 15)
            if dice.random() < 0.3:
                await host.let_go()
            if dice.random() < 0.3:
                host.fault_irq = not host.fault_irq
                await host.write(MAP["CONTROL"], int(host.fault_irq))
                assert await host.read(MAP["CONTROL"]) == host.fault_irq
        if kind == "not_resident":
            self.pool.add(warp)
        if kind != "warp_blocked":
            self.busy.discard(warp)
            assert not await host.read_mask("STALLED", 1 << warp), f"cycle {host.cycle}: the refused warp {warp} is in STALLED"

    async def end(self):
        """Ends all live warps with one write; each barrier that is open then is a fault."""
        host, reference = self.host, self.reference
        while self.busy - reference.waiting:
            await host.tick()
        await self.settle()
        async with host.fault_lock:
            mask, live = bits(self.warps), bits(reference.live)
            while free := sorted(reference.live - reference.waiting):
                self.released(reference.exit(free[0]))
            self.killed = set(reference.waiting)
            await host.write_mask("LIVE_CLEAR", live)

            async def gone():
                return not await host.read_mask("CTA_BUSY", 1 << self.slot) and not await host.read_mask("PRESENT", mask)

            await host.until(f"the end of CTA slot {self.slot}", gone)
            self.counts["left open"] += len(reference.rows)
            host.faults += len(reference.rows)
            await host.until("the faults of barriers that were left open", host.counted)
            await host.tick(20)
            assert await host.counted(), f"cycle {host.cycle}: more faults than barriers that were left open"
            if reference.rows and not host.held:
                id = await host.read(MAP["FAULT"]) >> 24 & 15
                assert id in reference.rows, f"cycle {host.cycle}: barrier {id} was not open"
                host.held = 17, None, self.slot, id
            await host.check_held()
        while self.busy:
            await host.tick()
        self.pool |= self.warps


async def started(dut):
    folder, seed, operations = os.environ["BCU_EXPORT"], int(os.environ["BCU_SEED"]), int(os.environ["BCU_OPERATIONS"])
    configuration = {**json.loads((Path(folder) / "manifest.json").read_text())["configuration"], "reductions": False}
    host = Host(dut, seed)
    dut.reset.value = 1
    await host.tick(2)
    dut.reset.value = 0
    cocotb.start_soon(host.watch())
    return host, configuration, seed, operations


@cocotb.test()
async def random_cores(dut):
    host, configuration, seed, operations = await started(dut)
    slots, pool = configuration["cta_slots"], set(range(configuration["warps"]))
    dispatchers = [Dispatcher(host, slot, pool, configuration, seed) for slot in range(slots)]
    for task in [cocotb.start_soon(dispatcher.run(operations // slots + 1)) for dispatcher in dispatchers]:
        await task
    await host.tick(10)
    for name in ("WAKE", "REFUSED", "IRQ", "STALLED", "PENDING", "MEMBER", "PRESENT", "LIVE_SET"):
        assert not await host.read_mask(name, (1 << configuration["warps"]) - 1), f"{name} at the end"
    counts = {name: sum(dispatcher.counts[name] for dispatcher in dispatchers) for name in dispatchers[0].counts}
    dut._log.info(f"{counts}, {host.cycle} cycles, seed {seed}")
    if operations >= 500:
        assert all(counts.values()), f"an event kind has count 0: {counts}"


def addresses(configuration):
    """The address of every word of the map, each with whether it may be written."""
    found = {}
    for name, offset in MAP.items():
        number = configuration["warps"] if offset >= 0x400 else configuration["cta_slots"] if name == "OPEN" else 1
        stride = 16 if offset >= 0x400 else 4
        if 0x40 <= offset < 0x100:
            of_slots = name.startswith("LOADING") or name == "CTA_BUSY"
            number = (configuration["cta_slots" if of_slots else "warps"] + 31) // 32
        found.update({offset + stride * index: name not in READ_ONLY for index in range(number)})
    return found


@cocotb.test()
async def accesses(dut):
    """Checks the response to accesses that are not operations of cores, and that a warp that ends while it waits keeps its warp slot."""
    host, configuration, seed, _ = await started(dut)
    dice, there = random.Random(f"{seed} accesses"), addresses(configuration)
    assert await host.read(MAP["ID"]) == 0x42435501, "ID"
    sizes = [configuration[name] for name in ("warps", "lanes", "cta_slots", "barriers")]
    assert await host.read(MAP["SIZES"]) == int.from_bytes(bytes(sizes), "little"), "SIZES"
    assert (await host.master.read(MAP["SIZES"] + 2, 1)).data[0] == sizes[2], "the lowest two bits of an address are not ignored"
    await host.until("ready", host.ready)
    for address in [*range(0, 0x140, 4), 0x3FC, *range(0x400, 0x420, 4), *(dice.randrange(0, 0x1000, 4) for _ in range(100))]:
        value = await host.read(address, OKAY if address in there else SLVERR)
        assert address in there or not value, f"{address:#x} reads as {value:#x}"
        if not there.get(address):
            await host.write(address, dice.getrandbits(32), SLVERR)
    # A write with one to three strobes is refused. A write with no strobe has no effect and gets OKAY at every address.
    for name in ("LIVE_SET", "ENABLE_SET", "CONTROL"):
        for size in (1, 2, 3):
            await host.write(MAP[name] + dice.randint(0, 4 - size), b"\xff" * size, SLVERR)
        all_strobes, host.master.write_if.strb_mask = host.master.write_if.strb_mask, 0
        await host.write(MAP[name], 0xFFFFFFFF)
        await host.write(0xFFC, 0xFFFFFFFF)
        host.master.write_if.strb_mask = all_strobes
        assert await host.read(MAP[name]) == 0, f"{name} was written"
    await host.write(MAP["CTA"], configuration["cta_slots"], SLVERR)
    await host.write(MAP["CTA"], 0x80, SLVERR)
    # Warp 0 waits for warp 1, is ended, and keeps its slot until warp 1 has arrived.
    await host.write_mask("LIVE_SET", 3)
    await host.arrive(0, 1, 2, 1)
    await host.tick(20)
    await host.write_mask("LIVE_CLEAR", 1)
    await host.write_mask("LIVE_SET", 5, SLVERR)
    assert await host.read_mask("LIVE_SET", 7) == 2, "a refused write to LIVE_SET has started a warp"
    await host.write(MAP["CTA"], 0, SLVERR)
    await host.arrive(1, 1, 2, 0)
    await host.tick(20)
    assert await host.read_mask("PRESENT", 3) == 2 and await host.read_mask("WAKE", 3) == 1, "warp 0 is still present, or has no WAKE"
    await host.write(MAP["CTA"], 0, SLVERR)
    # A count with more bits than `bcu_simple` takes is a fault (count too large), and is not cut to a smaller count.
    host.refusals.add(1)
    for count in (16, 17, 128, 129, 255):
        await host.arrive(1, 1, count, 1)
        await host.expect_fault(11, 1, 0, 1)
        host.refusals.add(1)
    await host.write_mask("LIVE_CLEAR", 2)
    await host.tick(20)
    # A fault that `bcu_registers` detects has the CTA slot of its warp, not that of the last operation.
    await host.write(MAP["CTA"], configuration["cta_slots"] - 1)
    await host.let_go()
    host.refusals.add(0)
    await host.arrive(0, 3, 0, 1, SLVERR)
    await host.expect_fault(1, 0, configuration["cta_slots"] - 1, 3)


@cocotb.test()
async def latencies_of_the_bus(dut):
    """Checks the latencies in the header for a master that is always ready: a response after 2 cycles, and one every 2 cycles."""
    host, _, _, _ = await started(dut)
    host.without_pauses()
    await host.tick(10)
    writes = [cocotb.start_soon(host.write(MAP["CONTROL"], value & 1)) for value in range(8)]
    reads = [cocotb.start_soon(host.read(MAP["ID"])) for _ in range(8)]
    for task in writes + reads:
        await task
    for answer, asked in (("b", ("aw", "w")), ("r", ("ar",))):
        answers = host.transfers[answer]
        behind = {at - max(cycles) for at, *cycles in zip(answers, *(host.transfers[channel] for channel in asked))}
        assert behind == {2}, f"the response {answer} comes after {behind} cycles, expected 2"
        assert min(after - before for before, after in zip(answers, answers[1:])) == 2, f"{answer} comes in cycles {answers}"


@cocotb.test()
async def what_comes_while_it_is_cleared_stays(dut):
    """Clears a bit in each cycle around the one in which it is set, and checks the latency from the bus response to the line."""
    host, _, _, _ = await started(dut)
    host.without_pauses()
    answers = host.transfers["b"]
    host.wakes, host.refusals, host.enabled = {0, 1}, {0}, {0, 1}
    await host.until("ready", host.ready)
    await host.write_mask("ENABLE_SET", 3)
    await host.write_mask("LIVE_SET", 3)
    await host.tick(40)

    async def set_up(name):
        """Clears all bits, sends the operations that must precede, and returns the write that sets the bit of the register `name`."""
        for register, value in (("WAKE", 3), ("REFUSED", 3), ("FAULT", 1 << 31)):
            await host.write(MAP[register], value)
        assert not int(dut.irq.value), "irq is 1 although all registers are cleared"
        if name != "WAKE":
            return host.arrive(0, 1, 0, 0)
        await host.arrive(0, 1, 2, 1)
        await host.tick(20)
        return host.arrive(1, 1, 2, 1)

    for name, mask, line in [("WAKE", 3, dut.warp_irq), ("REFUSED", 1, dut.warp_irq), ("FAULT", 1 << 31, dut.irq)]:
        if name == "FAULT":
            await host.write_mask("ENABLE_CLEAR", 3)
            await host.write(MAP["CONTROL"], 1)

        async def is_up():
            return int(line.value) & 1

        await (await set_up(name))
        answered = answers[-1]
        await host.until("the line", is_up)
        behind = host.cycle - answered
        assert behind == 4, f"the line of {name} rises {behind} cycles after bvalid, expected 4"
        outcomes = set()
        for gap in range(10):
            sets = cocotb.start_soon(await set_up(name))
            await host.tick(gap)
            await host.write(MAP[name], mask)
            await sets
            await host.tick(20)
            # A write takes effect in the cycle before its response.
            event, cleared = answers[-2] + behind - 1, answers[-1] - 1
            assert int(line.value) & 1 == (event >= cleared), f"{name} is set in cycle {event} and cleared in {cleared}"
            outcomes.add((event > cleared) - (event < cleared))
        assert outcomes == {-1, 0, 1}, f"{name} was not cleared before, with and after its event: {outcomes}"


if __name__ == "__main__":
    common = [HERE / f"{unit}.v" for unit in ("bcu_axil", "bcu_registers", "bcu_simple")]
    main(__file__, __doc__, "bcu_axil", lambda export: [*common, export / "bcu_named.v"], 500)
