# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random cores at `bcu_axil` over its bus, against a reference; under Icarus, with cocotb 2 and cocotbext-axi.

    python verilog-out/common/test_bcu_axil.py verilog-out/small [--seed N] [--operations N]

A dispatcher per CTA slot starts CTAs of warps that it takes from a pool, and chooses what each of their cores does next: it arrives, then
polls or waits for its interrupt line; or it ends. All of them share the bus, whose five channels stall by chance. The map is read where it
is described, in the header of `bcu_registers.v`.

The unit takes exits before arrivals, so the order on the bus is not always that of the barriers: an operation that depends on those
before it, which is an exit or the first arrival of a barrier, is sent when nothing of its CTA is queued.
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
    sys.exit("cocotb 2 or cocotbext-axi is not there: pip install cocotb==2.1.0 cocotbext-axi==0.1.28")

# Nothing is left beside the sources.
sys.dont_write_bytecode = True
from bcu_cocotb import main
from bcu_reference import Reference, choice

# cocotbext-axi has the names of cocotb 1, which cocotb 2.1 still knows.
warnings.filterwarnings("ignore", category=DeprecationWarning, module="cocotbext")

HERE = Path(__file__).resolve().parent
MAP = {
    name: int(offset, 16)
    for offset, name in re.findall(r"^//   0x([0-9a-f]{3})  (\w+)", (HERE / "bcu_registers.v").read_text(), re.MULTILINE)
}
READ_ONLY = {"ID", "SIZES", "STATUS", "FAULTS", "IRQ", "STALLED", "PENDING", "MEMBER", "PRESENT", "CTA_BUSY", "OPEN", "WARP"}
OKAY, SLVERR = 0, 2
# Cycles in which all that is expected comes.
LIMIT = 4000


def bits(warps):
    return sum(1 << warp for warp in warps)


class Host:
    """The bus, and what its registers must hold: of warps what they have been told and not yet cleared, the fault that is held."""

    def __init__(self, dut, seed):
        self.dut, self.cycle, self.asked = dut, 0, []
        # Of each channel the cycles of its transfers.
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
        """Counts cycles; no line is up without a reason."""
        while True:
            await FallingEdge(self.dut.clock)
            self.cycle += 1
            for channel, cycles in self.transfers.items():
                valid, ready = (int(getattr(self.dut, f"s_axil_{channel}{name}").value) for name in ("valid", "ready"))
                if valid and ready:
                    cycles.append(self.cycle)
            lines = int(self.dut.warp_irq.value)
            wrong = lines & ~bits((self.wakes | self.refusals) & self.enabled)
            assert not wrong, f"cycle {self.cycle}: warp_irq {wrong:#x} without a reason"
            assert not lines or int(self.dut.irq.value), f"cycle {self.cycle}: irq is not 1"
            assert self.cycle - min(self.asked, default=self.cycle) < LIMIT, f"cycle {self.cycle}: the bus does not answer"

    async def answer(self, access):
        """What an access is answered; `watch` sees to it that it is."""
        begun = self.cycle
        self.asked.append(begun)
        response = await access
        self.asked.remove(begun)
        return response

    async def write(self, address, value, expected=OKAY):
        data = value if isinstance(value, bytes) else value.to_bytes(4, "little")
        response = await self.answer(self.master.write(address, data))
        assert response.resp == expected, f"cycle {self.cycle}: write of {value} to {address:#x} is answered {response.resp!r}"

    async def read(self, address, expected=OKAY):
        response = await self.answer(self.master.read(address, 4))
        assert response.resp == expected, f"cycle {self.cycle}: read of {address:#x} is answered {response.resp!r}"
        return int.from_bytes(response.data, "little")

    async def write_mask(self, name, mask, expected=OKAY):
        """Writes the words of a register with a bit per warp, or slot, in which there is a bit to be written."""
        for word in range(2):
            if mask >> 32 * word & 0xFFFFFFFF:
                await self.write(MAP[name] + 4 * word, mask >> 32 * word & 0xFFFFFFFF, expected)

    async def read_mask(self, name, among):
        """The bits of a register that are in `among`; other words are not read."""
        value = 0
        for word in range(2):
            if among >> 32 * word & 0xFFFFFFFF:
                value |= await self.read(MAP[name] + 4 * word) << 32 * word
        return value & among

    async def arrive(self, warp, id, count, waits, expected=OKAY):
        await self.write(MAP["ARRIVE"] + 16 * warp, id | waits << 8 | count << 16, expected)

    async def until(self, what, happens):
        """Waits until an asynchronous condition holds; not longer than all that is expected takes."""
        begun = self.cycle
        while not await happens():
            assert self.cycle - begun < LIMIT, f"cycle {self.cycle}: {what} has not come since cycle {begun}"
            await self.tick()

    async def expect_fault(self, code, warp, cta, id):
        """A fault has come, under `fault_lock`: counts, the first one, `irq`, and of a warp its bit in REFUSED."""
        self.faults += 1
        self.held = self.held or (code, warp, cta, id)
        await self.until(f"fault {code}", self.counted)
        await self.check_held()
        if warp is None:
            return
        assert await self.read_mask("REFUSED", 1 << warp), f"cycle {self.cycle}: warp {warp} is not in REFUSED"
        line = int(self.dut.warp_irq.value) >> warp & 1
        assert line == (warp in self.enabled), f"cycle {self.cycle}: line of the refused warp {warp}"
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
        assert found == held, f"cycle {self.cycle}: FAULT is {found} and not {held}: code, warp, CTA slot, id"
        assert not held or not self.fault_irq or int(self.dut.irq.value), f"cycle {self.cycle}: irq is 0 with a fault"
        assert bool(await self.read(MAP["STATUS"]) & 4) == bool(held), f"cycle {self.cycle}: STATUS of the fault"

    async def let_go(self):
        """Clears FAULT, under `fault_lock`; a write without bit 31 leaves it alone."""
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
    """Starts CTAs in one slot, and says what their cores do."""

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
        """Places warps, enables the lines of some of them, and starts them in one write or in several."""
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
        assert not await host.read_mask("MEMBER", bits(warps)), f"cycle {host.cycle}: warps count although others are to be started"
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
        """A core arrives, and waits as it does: at its line if that is enabled, else it polls."""
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
        # One cycle from the fall of `stalled` to the bit in WAKE is shorter than a read.
        state, line = await host.read(MAP["WARP"] + 16 * warp), warp in host.enabled
        assert state & 0xF8 == 0x20 | line << 7, f"cycle {host.cycle}: WARP of warp {warp}, which is woken, is {state:#x}"
        await host.clear("WAKE", host.wakes, warp)
        self.busy.discard(warp)

    async def settle(self):
        """Nothing of the CTA is queued: the reference and the unit have done the same."""
        host, mask = self.host, bits(self.warps)
        while self.unanswered:
            await host.tick()

        async def quiet():
            return not await host.read_mask("PENDING", mask) and await host.read_mask("PRESENT", mask) == bits(self.reference.live)

        await host.until(f"the end of what is queued of CTA slot {self.slot}", quiet)

    async def look(self):
        """All registers of the CTA are what the reference says."""
        await self.settle()
        await self.host.tick(8)
        host, reference, mask = self.host, self.reference, bits(self.warps)
        expected = {"LIVE_SET": reference.live, "LIVE_CLEAR": reference.live, "MEMBER": reference.live, "PRESENT": reference.live}
        expected.update(STALLED=reference.waiting, ENABLE_SET=host.enabled, ENABLE_CLEAR=host.enabled)
        for name, warps in expected.items():
            found = await host.read_mask(name, mask)
            assert found == bits(warps) & mask, f"cycle {host.cycle}: {name} is {found:#x} and not {bits(warps) & mask:#x}"
        found = await host.read(MAP["OPEN"] + 4 * self.slot)
        assert found == bits(reference.rows), f"cycle {host.cycle}: OPEN is {found:#x} and not {bits(reference.rows):#x}"
        assert await host.read_mask("CTA_BUSY", 1 << self.slot), f"cycle {host.cycle}: CTA_BUSY"
        for warp in self.warps:
            assert await host.read(MAP["CTA"] + 16 * warp) == self.slot, f"cycle {host.cycle}: CTA of warp {warp}"

    async def misuse(self):
        """An operation that must be refused; one at a time, so that the first fault is known."""
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
            assert not await host.read_mask("STALLED", 1 << warp), f"cycle {host.cycle}: warp {warp}, refused, waits"

    async def end(self):
        """All warps that are live end at once; what is open then is a fault."""
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
        assert all(counts.values()), f"something did not happen: {counts}"


def addresses(configuration):
    """Each address of a register, and whether it may be written."""
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
    """What is refused and what is not, beside the operations of cores; a warp that was ended while it waits keeps its slot."""
    host, configuration, seed, _ = await started(dut)
    dice, there = random.Random(f"{seed} accesses"), addresses(configuration)
    assert await host.read(MAP["ID"]) == 0x42435501, "ID"
    sizes = [configuration[name] for name in ("warps", "lanes", "cta_slots", "barriers")]
    assert await host.read(MAP["SIZES"]) == int.from_bytes(bytes(sizes), "little"), "SIZES"
    assert (await host.master.read(MAP["SIZES"] + 2, 1)).data[0] == sizes[2], "the lowest bits of an address count"
    await host.until("ready", host.ready)
    for address in [*range(0, 0x140, 4), 0x3FC, *range(0x400, 0x420, 4), *(dice.randrange(0, 0x1000, 4) for _ in range(100))]:
        value = await host.read(address, OKAY if address in there else SLVERR)
        assert address in there or not value, f"{address:#x} reads as {value:#x}"
        if not there.get(address):
            await host.write(address, dice.getrandbits(32), SLVERR)
    # A write with some strobes is refused, one with none has no effect, wherever it goes.
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
    assert await host.read_mask("LIVE_SET", 7) == 2, "a refused write has started a warp"
    await host.write(MAP["CTA"], 0, SLVERR)
    await host.arrive(1, 1, 2, 0)
    await host.tick(20)
    assert await host.read_mask("PRESENT", 3) == 2 and await host.read_mask("WAKE", 3) == 1, "warp 0 has not gone"
    await host.write(MAP["CTA"], 0, SLVERR)
    # A count that has more bits than the front takes is too large, and not another one.
    host.refusals.add(1)
    for count in (16, 17, 128, 129, 255):
        await host.arrive(1, 1, count, 1)
        await host.expect_fault(11, 1, 0, 1)
        host.refusals.add(1)
    await host.write_mask("LIVE_CLEAR", 2)
    await host.tick(20)
    # A fault that is found at the bus has the warp's CTA slot, and not that of the last operation.
    await host.write(MAP["CTA"], configuration["cta_slots"] - 1)
    await host.let_go()
    host.refusals.add(0)
    await host.arrive(0, 3, 0, 1, SLVERR)
    await host.expect_fault(1, 0, configuration["cta_slots"] - 1, 3)


@cocotb.test()
async def latencies_of_the_bus(dut):
    """What the header says of a user that is always ready: answers 2 cycles behind, one every 2 cycles."""
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
        assert behind == {2}, f"{answer} comes {behind} cycles behind"
        assert min(after - before for before, after in zip(answers, answers[1:])) == 2, f"answers of {answer} come in {answers}"


@cocotb.test()
async def what_comes_while_it_is_cleared_stays(dut):
    """A bit is cleared in each of the cycles around that in which it is set; the latencies of the header are those of the pins."""
    host, _, _, _ = await started(dut)
    host.without_pauses()
    answers = host.transfers["b"]
    host.wakes, host.refusals, host.enabled = {0, 1}, {0}, {0, 1}
    await host.until("ready", host.ready)
    await host.write_mask("ENABLE_SET", 3)
    await host.write_mask("LIVE_SET", 3)
    await host.tick(40)

    async def set_up(name):
        """Clears all; returns the write that sets the bit, behind what must be before it."""
        for register, value in (("WAKE", 3), ("REFUSED", 3), ("FAULT", 1 << 31)):
            await host.write(MAP[register], value)
        assert not int(dut.irq.value), "all is cleared, and irq is 1"
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
        assert behind == 4, f"the line of {name} is up {behind} cycles behind bvalid"
        outcomes = set()
        for gap in range(10):
            sets = cocotb.start_soon(await set_up(name))
            await host.tick(gap)
            await host.write(MAP[name], mask)
            await sets
            await host.tick(20)
            # A write has its effect in the cycle before its answer.
            event, cleared = answers[-2] + behind - 1, answers[-1] - 1
            assert int(line.value) & 1 == (event >= cleared), f"{name} is set in cycle {event} and cleared in {cleared}"
            outcomes.add((event > cleared) - (event < cleared))
        assert outcomes == {-1, 0, 1}, f"{name} is not cleared in each of the cycles around that in which it is set: {outcomes}"


if __name__ == "__main__":
    common = [HERE / f"{unit}.v" for unit in ("bcu_axil", "bcu_registers", "bcu_simple")]
    main(__file__, __doc__, "bcu_axil", lambda export: [*common, export / "bcu_named.v"], 500)
