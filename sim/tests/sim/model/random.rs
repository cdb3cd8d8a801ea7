// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random traffic at the ports against the untimed semantics of the same operations in order.

use super::bench::{for_seeds, large, small, tiny, unit, Random};
use super::decode::{immediate, set_word};
use bcu_model::barriers::{Barriers, Effect};
use bcu_model::bench::Bench;
use bcu_model::op::{Code, Kind, Operation, RedOp, StateWord};
use bcu_model::outcome::{Fault, Read, Release};
use bcu_model::Sizes;
use std::collections::VecDeque;

const FAULT: [&str; 4] = ["fault_code", "fault_warp", "fault_cta", "fault_id"];

/// The untimed barriers, and their effects that the ports have not output yet.
struct Reference {
    sizes: Sizes,
    barriers: Barriers,
    releases: VecDeque<Release>,
    faults: VecDeque<Fault>,
    reads: VecDeque<Read>,
    implicit_conflicts: VecDeque<u8>,
    shown: u64,
}

impl Reference {
    fn new(sizes: Sizes) -> Reference {
        let (barriers, releases, faults) = (Barriers::new(sizes), VecDeque::new(), VecDeque::new());
        Reference { sizes, barriers, releases, faults, reads: VecDeque::new(), implicit_conflicts: VecDeque::new(), shown: 0 }
    }

    fn is_done(&self) -> bool {
        self.releases.is_empty() && self.faults.is_empty() && self.reads.is_empty() && self.implicit_conflicts.is_empty()
    }

    fn apply(&mut self, op: &Operation, trapped: u64) {
        let effect = self.barriers.apply(op, trapped);
        self.note(effect);
        if effect.rows_to_clear {
            for id in 0..self.sizes.barriers() as u8 {
                let effect = self.barriers.clear_row(op.cta, id, op.saved);
                self.note(effect);
            }
        }
    }

    fn note(&mut self, effect: Effect) {
        self.releases.extend(effect.release);
        self.faults.extend(effect.fault);
        self.reads.extend(effect.read);
        self.implicit_conflicts.extend(effect.implicit_conflict);
    }

    /// Compares the strobes that only `named` has, not the whole unit.
    fn check_strobes(&mut self, bench: &Bench) {
        if bench.get("read_valid") == 1 {
            let read = self.reads.pop_front().expect("a read");
            let shown = bench.get_all(&["read_warp", "read_value", "read_predicate"]);
            assert_eq!(shown, [u64::from(read.warp), u64::from(read.value), u64::from(read.predicate)]);
            self.shown += 1;
        }
        if bench.get("implicit_conflict_valid") == 1 {
            assert_eq!(Some(bench.get("implicit_conflict_cta")), self.implicit_conflicts.pop_front().map(u64::from));
        }
    }

    /// Compares the outputs of the whole unit in this cycle, except deadlocks.
    fn check_but_deadlocks(&mut self, bench: &Bench) {
        self.check(bench, bench.get("fault_code") != Code::Deadlock.value());
    }

    /// Compares the outputs in this cycle.
    fn check(&mut self, bench: &Bench, faults: bool) {
        if bench.get("release_valid") == 1 {
            let release = self.releases.pop_front().expect("a release");
            let shown = bench.get_all(&["release_cta", "release_id", "release_warps", "release_reduction", "release_value"]);
            let result = [release.result.reduction.value(), release.result.value.into()];
            assert_eq!(shown, [release.cta.into(), release.id.into(), release.warps, result[0], result[1]]);
            self.shown += 1;
        } else {
            assert_eq!(bench.get("release_warps"), 0);
        }
        if faults && bench.get("fault_valid") & bench.input("fault_ready") == 1 {
            let fault = self.faults.pop_front().expect("a fault");
            assert_eq!(bench.get_all(&FAULT), [fault.code.value(), fault.warp.into(), fault.cta.into(), fault.id.into()]);
            self.shown += 1;
        }
    }
}

/// Arbitrary operations, which may break promises: `named` must output the same releases and faults as the untimed semantics.
#[test]
fn named_does_in_cycles_what_it_means_without() {
    for_seeds("named_does_in_cycles", 12, |seed| {
        let sizes = [tiny(), small(), large()][seed as usize % 3];
        let mut random = Random(seed);
        let mut bench = unit("named", sizes);
        let mut reference = Reference::new(sizes);
        // The accepted operations, each with the cycle of its effect.
        let (mut held, mut in_flight) = ((0, vec![]), VecDeque::new());
        for cycle in 0..6000 {
            // The traffic ends and the fault channel opens: all results must appear.
            let drain = cycle >= 5800;
            let kind = Kind::from_value([0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, random.below(8)][random.below(12) as usize]);
            let op = Operation {
                kind,
                fault: Code::from_value(if random.one_in(10) { random.below(19) } else { 0 }),
                uniform: !random.one_in(10),
                warp: random.below(sizes.warps().min(4) as u64) as u8,
                cta: random.below(2) as u8,
                id: [0, 1, 2, 2, random.below(16)][random.below(5) as usize] as u8,
                count: [0, 0, 1, 2, 3].map(|n| n * sizes.lanes() as u16)[random.below(5) as usize]
                    + u16::from(random.one_in(12)),
                warps: random.below(5) as u8,
                live: random.below(5) as u8,
                barriers: random.below(20) as u8,
                saved: random.one_in(3),
                redop: RedOp::from_value(random.below(3)),
                value: random.below(3) as u8,
                state: StateWord::from_value(random.below(if kind == Kind::Read { 3 } else { 2 })),
                data: [random.below(4) | 1 << 14, random.below(3) << 15 | 3 << 12 | random.below(2) << 14, random.next()]
                    [random.below(3) as usize] as u32,
                mask: random.next() & sizes.warp_mask(),
                tag: 0,
            };
            bench.set_all(&[("op_valid", u64::from(!drain && !random.one_in(4))), ("op_kind", op.kind.value())]);
            bench.set_all(&[("op_fault", op.fault.value()), ("op_uniform", op.uniform.into()), ("op_warp", op.warp.into())]);
            bench.set_all(&[("op_cta", op.cta.into()), ("op_id", op.id.into()), ("op_count", op.count.into())]);
            bench.set_all(&[("op_warps", op.warps.into()), ("op_live", op.live.into())]);
            bench.set_all(&[("op_barriers", op.barriers.into()), ("op_saved", op.saved.into())]);
            bench.set_all(&[("op_redop", op.redop.value()), ("op_value", op.value.into()), ("op_state", op.state.value())]);
            bench.set_all(&[("op_data", op.data.into()), ("op_mask", op.mask)]);
            // The operation takes effect with the value that `trapped` has in the cycle of the effect.
            let trapped = random.next() & sizes.warp_mask();
            bench.set("trapped", trapped);
            bench.set("fault_ready", u64::from(drain || (cycle / 100) % 2 == 0 || random.one_in(3)));
            bench.cycle();
            reference.check(&bench, true);
            reference.check_strobes(&bench);
            if in_flight.front().is_some_and(|(_, effect)| *effect == cycle) {
                let (op, _): (Operation, _) = in_flight.pop_front().unwrap();
                reference.apply(&op.in_a_slot_of(&sizes), trapped);
            }
            if bench.input("op_valid") & bench.get("op_ready") == 1 {
                let two_slots = matches!(op.kind, Kind::Exit | Kind::Launch | Kind::Release)
                    || op.kind == Kind::Write && op.state == StateWord::Warp;
                in_flight.push_back((op, cycle + if two_slots { 3 } else { 2 }));
            }
            if held.0 == 1 {
                assert_eq!((bench.get("fault_valid"), bench.get_all(&FAULT)), held, "a fault holds until its transfer");
            }
            held = (bench.get("fault_valid") & (1 - bench.input("fault_ready")), bench.get_all(&FAULT));
        }
        assert!(reference.is_done());
        assert_eq!(bench.get("clearing"), 0);
        assert!(reference.shown > 1000, "{} releases and faults", reference.shown);
    });
}

/// The test's record of resident warps and CTAs.
#[derive(Default)]
struct Sm {
    live: u64,
    /// The warps of each slot; `None` is an empty slot.
    slots: Vec<Option<u64>>,
    cta_of: Vec<u8>,
}

impl Sm {
    fn exit(&mut self, warp: u8, blocked: bool) -> Operation {
        let fault = match (self.live >> warp & 1, blocked) {
            (0, _) => Code::NotResident,
            (_, true) => Code::WarpBlocked,
            _ => Code::None,
        };
        self.live &= if fault == Code::None { !(1 << warp) } else { u64::MAX };
        Operation { kind: Kind::Exit, fault, warp, cta: self.cta_of[usize::from(warp)], ..Operation::default() }
    }

    fn retire(&mut self, cta: u8, saved: bool) -> Operation {
        let warps = self.slots[usize::from(cta)].take();
        let mask = warps.unwrap_or(0);
        self.live &= !mask;
        let fault = if warps.is_none() { Code::NotResident } else { Code::None };
        Operation { kind: Kind::Release, fault, cta, saved, mask, ..Operation::default() }
    }

    /// The warp slots that belong to a CTA.
    fn occupied_warps(&self) -> u64 {
        self.slots.iter().flatten().fold(0, |all, warps| all | warps)
    }

    fn refuses(&self, cta: u8, warps: u64) -> bool {
        self.slots[usize::from(cta)].is_some() || self.occupied_warps() & warps != 0
    }

    fn launch(&mut self, cta: u8, warps: u64, exited: u64, barriers: u8) -> Operation {
        let taken = self.occupied_warps();
        let fault = if self.refuses(cta, warps) { Code::SlotOccupied } else { Code::None };
        // A refused launch has claimed the warp slots before the first one that is not free.
        if self.slots[usize::from(cta)].is_none() {
            let looked_at = (0..64).take_while(|w| taken & warps & 1 << w == 0);
            looked_at.filter(|w| warps >> w & 1 != 0).for_each(|w| self.cta_of[w as usize] = cta);
        }
        if fault == Code::None {
            self.slots[usize::from(cta)] = Some(warps);
            self.live |= warps & !exited;
        }
        let (warps, live) = (warps.count_ones() as u8, (warps & !exited).count_ones() as u8);
        Operation { kind: Kind::Launch, fault, cta, warps, live, barriers, ..Operation::default() }
    }
}

/// Random instructions of warps that may issue, and random requests of the host. The unit must output the results of the operations in
/// the order of their acceptance (exit, retire, launch within one cycle). This test ignores deadlocks.
#[test]
fn bcu_keeps_the_order_of_acceptance() {
    /// Cycles with an open fault channel, enough for all results to appear.
    const QUIET: u64 = 60;
    for_seeds("bcu_keeps_the_order", 12, |seed| {
        let mut random = Random(seed);
        let mut bench = unit("bcu", small());
        let mut reference = Reference::new(small());
        let mut sm = Sm { slots: vec![None; 2], cta_of: vec![0; 8], ..Sm::default() };
        bench.set_all(&[("instr_active", 0xf), ("instr_guard", 0xf), ("instr_uniform", 1)]);
        bench.set_all(&[("exit_lanes", 0xf), ("launch_lanes", 0xf)]);
        for _ in 0..60 {
            // The instruction at the port, and the warp whose instruction was accepted in the cycle before.
            let (mut offered, mut just_issued) = (None::<Operation>, None);
            let burst = random.below(120);
            for cycle in 0..burst + QUIET {
                if offered.is_none() && cycle < burst && !random.one_in(4) {
                    let warp = random.below(8) as u8;
                    if bench.get("blocked") >> warp & 1 == 0 && just_issued != Some(warp) {
                        let kind = if random.one_in(3) { Kind::Arrive } else { Kind::Sync };
                        let (id, count) = (random.below(3) as u8, [0, 0, 8, 12, 5][random.below(5) as usize]);
                        offered = Some(Operation { kind, warp, id, count, uniform: true, ..Operation::default() });
                        set_word(&mut bench, immediate((kind == Kind::Arrive).into(), id.into(), count.into()));
                        bench.set("instr_warp", warp.into());
                    }
                }
                bench.set("instr_valid", offered.is_some().into());
                bench.set("fault_ready", u64::from(cycle >= burst || random.one_in(3)));
                bench.cycle();
                just_issued = None;
                if let Some(op) = offered.take_if(|_| bench.get("instr_ready") == 1) {
                    let fault = if sm.live >> op.warp & 1 != 0 { Code::None } else { Code::NotResident };
                    reference.apply(&Operation { cta: sm.cta_of[usize::from(op.warp)], fault, ..op }, 0);
                    just_issued = Some(op.warp);
                }
                reference.check_but_deadlocks(&bench);
            }
            let (warp, cta, into, saved) =
                (random.below(8) as u8, random.below(2) as u8, random.below(2) as u8, random.one_in(2));
            let (warps, exited) = (random.below(15) << (4 * random.below(2)), random.below(256) & random.below(256));
            let blocked = bench.get("blocked") >> warp & 1 != 0;
            let [exits, retires, launches] = [2, 4, 2].map(|of| random.one_in(of));
            let exit = exits.then(|| sm.exit(warp, blocked));
            let retire = retires.then(|| sm.retire(cta, saved));
            // Excludes a launch that would be refused in the cycle of a retirement: the test does not model the warp slots that such a
            // launch claims.
            let launches = launches && !(retires && sm.refuses(into, warps));
            bench.set_all(&[("exit_valid", exits.into()), ("exit_warp", warp.into())]);
            bench.set_all(&[("retire_valid", retires.into()), ("retire_cta", cta.into()), ("retire_saved", saved.into())]);
            bench.set_all(&[("launch_valid", launches.into()), ("launch_cta", into.into()), ("launch_warps", warps)]);
            bench.set_all(&[("launch_exited", exited), ("launch_barriers", 3)]);
            let launch = launches.then(|| sm.launch(into, warps, exited, 3));
            [exit, retire, launch].iter().flatten().for_each(|op| reference.apply(op, 0));
            let mut offers = vec!["exit", "retire", "launch"];
            offers.retain(|channel| bench.input(&format!("{channel}_valid")) == 1);
            for _ in 0..QUIET {
                bench.cycle();
                offers.retain(|channel| !bench.finish_transfer(channel));
                reference.check_but_deadlocks(&bench);
            }
            assert_eq!(offers, [""; 0]);
            assert!(reference.releases.is_empty() && reference.faults.is_empty());
            assert_eq!((bench.get("blocked"), bench.get("live")), (reference.barriers.warps().waiting, sm.live));
        }
        assert!(reference.shown > 200, "{} releases and faults", reference.shown);
    });
}
