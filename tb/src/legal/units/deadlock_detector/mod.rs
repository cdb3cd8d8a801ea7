// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `deadlock_detector`: CTAs run, hang, resume and retire, and a walk visits their warps with pauses.
//!
//! The walk passes twice over all warps for each CTA slot. A reported CTA must be in conflict or have been dead at the end of the first
//! walk for its slot. Each hang is reported once, within `2 * warps * (slots + 1) + 2` steps of the walk, without the steps that a restart
//! of the walk repeats.

mod world;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Drain, Offer};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::op::{FaultCode, OpKind};
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort};
use world::{Strobes, World};

/// The expected state of the CTA in a CTA slot. A CTA is dead if no event can resume its warps.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    is_in_conflict: bool,
    /// `is_in_conflict` as of the previous cycle.
    was_in_conflict: bool,
    /// The CTA was released in the previous cycle.
    was_released: bool,
    /// The CTA was dead when the first of the two walks for its CTA slot last ended.
    was_dead: bool,
    /// The CTA was reported, and since then no warp of the CTA has made progress.
    is_reported: bool,
    /// The CTA was reported and need not be reported again. The flag is cleared when a warp of the CTA makes progress by an operation, and
    /// when a warp of the CTA could issue throughout both walks for the slot.
    may_be_silent: bool,
    /// `steps`: number of steps of the walk since the CTA became dead or in conflict. `lost_steps`: number of these steps that the walk
    /// repeats after a restart.
    steps: u64,
    lost_steps: u64,
}

pub struct DeadlockDetectorUser {
    rng: Rng,
    base: Base,
    world: World,
    slots: Vec<Slot>,
    /// The CTA slot that the walk examines.
    slot: usize,
    /// The present walk is the second walk for `slot`.
    is_second: bool,
    /// Warps, one bit each, that could issue in every cycle since the first walk for `slot` began.
    awake: u64,
    /// The warp that the walk examines next.
    warp: u64,
    walked_warp: Offer,
    stalled: Input,
    entered: Offer,
    taken_op: Offer,
    conflict: Offer,
    dead: Drain<1>,
    /// Number of cycles for which the report on `dead` has been offered; 0 without a report.
    offered: u64,
    /// Whether this user takes reports within a few cycles. Only then are late reports an error.
    is_prompt: bool,
    pauses: u64,
}

impl DeadlockDetectorUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<DeadlockDetectorUser, NoPort> {
        let mut rng = Rng::new(seed, "legal deadlock_detector");
        Ok(DeadlockDetectorUser {
            base: Base::new(ports, &mut rng)?,
            world: World::new(&mut rng, shape),
            slots: vec![Slot::default(); shape.slots as usize],
            slot: 0,
            is_second: false,
            awake: u64::MAX,
            warp: 0,
            walked_warp: Offer::strobe(ports, "seen", &["warp", "cta", "live", "in_flight"])?,
            stalled: ports.input("stalled")?,
            entered: Offer::strobe(ports, "entered", &["cta"])?,
            taken_op: Offer::strobe(ports, "taken", &["kind", "fault", "cta"])?,
            conflict: Offer::strobe(ports, "implicit_conflict", &["cta"])?,
            dead: Drain::new(ports, "dead", ["cta"])?,
            offered: 0,
            is_prompt: rng.chance(800),
            pauses: rng.pick(&[0, 50, 500]).unwrap_or(0),
            rng,
        })
    }

    /// Checks new reports, and that no report is overdue.
    fn check(&mut self, outputs: &[u64]) {
        let ledger = &mut self.base.ledger;
        let report = self.dead.offered(outputs).map(|[slot]| slot as usize);
        if let (Some(number), 0) = (report, self.offered) {
            match self.slots.get_mut(number) {
                None => ledger.fail(|| format!("CTA slot {number} is reported, but is not built")),
                Some(slot) if !slot.was_in_conflict && !slot.was_dead => {
                    ledger.fail(|| format!("CTA slot {number} is reported, but was not dead at the end of its first walk"));
                }
                Some(slot) if slot.is_reported => ledger.fail(|| format!("CTA slot {number} is reported twice")),
                Some(slot) => {
                    (slot.is_reported, slot.may_be_silent) = (!slot.was_released, !slot.was_released);
                    ledger.count(if slot.was_in_conflict { "conflicts" } else { "deadlocks" });
                    if self.is_prompt && slot.lost_steps == 0 {
                        ledger.most("worst steps until a report", slot.steps);
                    }
                }
            }
        }
        self.offered = if report.is_some() { self.offered + 1 } else { 0 };
        let (warps, slots) = (self.world.shape.warps, self.world.shape.slots);
        for (number, slot) in self.slots.iter().enumerate().filter(|_| self.is_prompt) {
            // The report becomes valid two cycles after the last step of the walk.
            let limit = 2 * warps * (slots + 1) + slot.lost_steps + 2;
            if slot.steps > limit && !slot.may_be_silent {
                ledger.fail(|| format!("slot {number} is dead or in conflict for {} steps and not reported", slot.steps));
            }
        }
    }

    /// Drives one step of the walk, which presents the warp's state of the previous cycle.
    fn walk(&mut self, live: u64, in_flight: u64) {
        self.awake &= self.world.live & !self.world.stalled;
        self.walked_warp.take(&[]);
        self.walked_warp.begin(&mut self.base.pins);
        if std::mem::take(&mut self.world.restarts) && self.rng.chance(500) {
            // A launch or a retirement restarts the walk, so its steps up to now are lost.
            self.slots.iter_mut().for_each(|slot| slot.lost_steps += self.warp);
            self.warp = 0;
        }
        if self.rng.chance(self.pauses) {
            return;
        }
        let warp = self.warp;
        let owner = self.world.owners[warp as usize];
        self.walked_warp.put(&mut self.base.pins, &[warp, owner as u64, live >> warp & 1, in_flight >> warp & 1]);
        self.slots.iter_mut().for_each(|slot| slot.steps += 1);
        self.warp = (warp + 1) % self.world.shape.warps;
        if self.warp == 0 {
            if self.is_second {
                let owns = |warp: &usize| self.world.owners[*warp] == self.slot;
                let is_awake = (0..self.world.owners.len()).filter(owns).any(|warp| self.awake >> warp & 1 == 1);
                self.slots[self.slot].may_be_silent &= !is_awake || self.slots[self.slot].is_in_conflict;
                self.awake = u64::MAX;
                self.slot = (self.slot + 1) % self.slots.len();
            } else {
                self.slots[self.slot].was_dead = self.world.is_dead(self.slot);
            }
            self.is_second = !self.is_second;
        }
    }

    /// Drives the strobes, and updates the expected state.
    fn strobes(&mut self, strobes: Strobes) {
        for offer in [&mut self.entered, &mut self.taken_op, &mut self.conflict] {
            offer.take(&[]);
            offer.begin(&mut self.base.pins);
        }
        for slot in &mut self.slots {
            (slot.was_in_conflict, slot.was_released) = (slot.is_in_conflict, false);
        }
        if let Some(slot) = strobes.entered {
            self.entered.put(&mut self.base.pins, &[slot]);
        }
        if let Some((kind, fault, number)) = strobes.taken_op {
            let code = if fault { FaultCode::IllegalInstruction as u64 } else { 0 };
            self.taken_op.put(&mut self.base.pins, &[kind as u64, code, number]);
            self.base.ledger.count("operations");
            let slot = &mut self.slots[number as usize];
            let goes_on =
                matches!(kind, OpKind::Sync | OpKind::Arrive | OpKind::Reduce | OpKind::Gateway | OpKind::Exit) && !fault;
            if kind == OpKind::Release {
                let Slot { was_dead, was_in_conflict, .. } = *slot;
                *slot = Slot { was_dead, was_in_conflict, was_released: true, ..Slot::default() };
                self.base.ledger.count("releases");
            } else if goes_on && !slot.is_in_conflict {
                (slot.is_reported, slot.may_be_silent) = (false, false);
            }
        }
        if let Some(number) = strobes.conflict {
            self.conflict.put(&mut self.base.pins, &[number]);
            self.slots[number as usize].is_in_conflict = true;
        }
        for (number, slot) in self.slots.iter_mut().enumerate() {
            let waits = self.world.waits(number);
            slot.is_reported &= waits || slot.is_in_conflict;
            if !slot.is_in_conflict && !self.world.is_dead(number) {
                (slot.steps, slot.lost_steps) = (0, 0);
            }
        }
    }
}

impl UnitUser for DeadlockDetectorUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        let (live, in_flight) = (self.world.live, self.world.in_flight());
        let strobes = self.world.simulate_cycle(&mut self.rng, self.base.ledger.cycle);
        self.strobes(strobes);
        self.base.pins.set(self.stalled, self.world.stalled);
        self.walk(live, in_flight);
        let waits_long = self.is_prompt && self.offered >= 5;
        let ready = waits_long || self.rng.chance(if self.is_prompt { 500 } else { 5 });
        self.dead.drive(&mut self.base.pins, outputs, ready);
        if ready && self.offered > 0 {
            self.offered = 0;
        }
    }
}
