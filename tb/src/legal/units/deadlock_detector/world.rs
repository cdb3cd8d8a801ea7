// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CTAs as `deadlock_detector` observes them: warps run, have an operation in flight, or are stalled. A completed barrier releases all
//! stalled warps of its CTA.

use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::op::OpKind;
use std::collections::VecDeque;

/// The progress of an operation in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The operation may enter `gather` from this cycle on.
    Enters(u64),
    /// `named` may take the operation from this cycle on.
    Takeable(u64),
    /// The operation takes effect in this cycle.
    Completes(u64),
}

#[derive(Clone, Copy, Debug)]
pub struct Flight {
    pub warp: usize,
    pub kind: OpKind,
    /// The operation is refused.
    pub fault: bool,
    /// The operation is absorbed in `gather`, where lanes of its warp wait.
    pub is_absorbed: bool,
    /// `completes`: the operation releases the stalled warps of its CTA. `frees`: it untraps its own warp.
    pub completes: bool,
    pub frees: bool,
    pub stage: Stage,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Cta {
    pub warps: u64,
    /// The CTA's Release is in flight.
    pub leaves: bool,
}

/// Strobes of a cycle: `entered`, the CTA slot of an operation that enters `gather`; then kind, fault and CTA slot of an operation that
/// `named` takes; then the CTA slot of a conflict.
#[derive(Clone, Copy, Debug, Default)]
pub struct Strobes {
    pub entered: Option<u64>,
    pub taken_op: Option<(OpKind, bool, u64)>,
    pub conflict: Option<u64>,
}

/// The rates of a seed, in thousandths. `delay` is in cycles: the maximum random delay of an operation before a stage.
pub struct Rates {
    pub issues: u64,
    pub waits: u64,
    pub completes: u64,
    pub exits: u64,
    pub accesses: u64,
    pub conflicts: u64,
    pub frees: u64,
    pub saves: u64,
    pub delay: u64,
}

pub struct World {
    pub shape: Shape,
    pub ctas: Vec<Option<Cta>>,
    /// The CTA slot of each warp.
    pub owners: Vec<usize>,
    /// Masks of warps.
    pub live: u64,
    pub stalled: u64,
    pub flights: VecDeque<Flight>,
    pub rates: Rates,
    /// A CTA was launched or begins to leave, so the walk may restart.
    pub restarts: bool,
}

impl World {
    pub fn new(rng: &mut Rng, shape: Shape) -> World {
        let mut pick = |list: &[u64]| rng.pick(list).unwrap_or(0);
        let rates = Rates {
            issues: pick(&[20, 200, 900]),
            waits: pick(&[300, 600, 900]),
            completes: pick(&[50, 300, 600]),
            exits: pick(&[5, 50]),
            accesses: pick(&[0, 0, 2, 30]),
            conflicts: pick(&[0, 0, 5, 100]),
            frees: pick(&[0, 100, 500]),
            saves: pick(&[1, 5, 20]),
            delay: pick(&[0, 5, 40]),
        };
        let (ctas, owners) = (vec![None; shape.slots as usize], vec![0; shape.warps as usize]);
        World { shape, ctas, owners, live: 0, stalled: 0, flights: [].into(), rates, restarts: false }
    }

    pub fn in_flight(&self) -> u64 {
        self.flights.iter().filter(|flight| flight.kind != OpKind::Release).fold(0, |mask, flight| mask | 1 << flight.warp)
    }

    fn warps_of(&self, slot: usize) -> u64 {
        self.ctas[slot].map_or(0, |cta| cta.warps)
    }

    /// Whether the CTA in `slot` has live warps, none of which can issue.
    pub fn waits(&self, slot: usize) -> bool {
        let live = self.warps_of(slot) & self.live;
        live != 0 && live & !self.stalled == 0
    }

    /// Whether no event can occur in `slot` any more: all its live warps wait, and no operation of them is in flight.
    pub fn is_dead(&self, slot: usize) -> bool {
        self.waits(slot) && self.flights.iter().all(|flight| self.owners[flight.warp] != slot)
    }

    /// Simulates one cycle.
    pub fn simulate_cycle(&mut self, rng: &mut Rng, cycle: u64) -> Strobes {
        let mut strobes = Strobes::default();
        self.complete_ops(rng, cycle, &mut strobes);
        self.begins(cycle);
        for flight in &mut self.flights {
            let slot = self.owners[flight.warp] as u64;
            match flight.stage {
                Stage::Enters(from) if from <= cycle && strobes.entered.is_none() => {
                    strobes.entered = Some(slot);
                    if flight.kind == OpKind::Release {
                        self.live &= !self.ctas[slot as usize].map_or(0, |cta| cta.warps);
                    }
                    let later = cycle + 3 + rng.below(self.rates.delay + 1);
                    flight.stage = if flight.is_absorbed { Stage::Completes(later) } else { Stage::Takeable(later) };
                }
                Stage::Takeable(from) if from <= cycle && strobes.taken_op.is_none() => {
                    strobes.taken_op = Some((flight.kind, flight.fault, slot));
                    flight.stage = Stage::Completes(cycle + 3);
                }
                _ => (),
            }
        }
        self.issues(rng, cycle);
        self.host(rng, cycle);
        strobes
    }

    /// In the cycle after its transfer a waiting operation makes its warp stalled, and an exit ends its warp.
    fn begins(&mut self, cycle: u64) {
        for flight in self.flights.iter().filter(|flight| flight.stage == Stage::Completes(cycle + 2) && !flight.is_absorbed) {
            let bit = 1 << flight.warp;
            match flight.kind {
                OpKind::Sync | OpKind::Reduce | OpKind::Gateway if !flight.fault => self.stalled |= bit,
                OpKind::Exit => self.live &= !bit,
                _ => (),
            }
        }
    }

    /// Applies the operations that take effect in this cycle; after that their warps have no operation in flight.
    fn complete_ops(&mut self, rng: &mut Rng, cycle: u64, strobes: &mut Strobes) {
        while let Some(place) = self.flights.iter().position(|flight| flight.stage == Stage::Completes(cycle)) {
            let Some(flight) = self.flights.remove(place) else { return };
            let (bit, slot) = (1 << flight.warp, self.owners[flight.warp]);
            let warps = self.warps_of(slot);
            if flight.kind == OpKind::Release {
                self.stalled &= !warps;
                self.ctas[slot] = None;
                continue;
            }
            let arrives = matches!(flight.kind, OpKind::Sync | OpKind::Reduce | OpKind::Gateway) && !flight.fault;
            if flight.completes {
                self.stalled &= !warps;
            } else if arrives {
                self.stalled |= bit;
            }
            self.stalled &= if flight.frees { !bit } else { !0 };
            self.live &= if flight.kind == OpKind::Exit { !bit } else { !0 };
            let conflicts = arrives && !flight.is_absorbed && strobes.conflict.is_none() && rng.chance(self.rates.conflicts);
            strobes.conflict = strobes.conflict.or(conflicts.then_some(slot as u64));
        }
    }

    /// Issues operations: running warps arrive, wait and exit; stalled warps read and write their state.
    fn issues(&mut self, rng: &mut Rng, cycle: u64) {
        let leaving = self.ctas.iter().flatten().filter(|cta| cta.leaves).fold(0, |mask, cta| mask | cta.warps);
        let able = self.live & !self.in_flight() & !leaving;
        let Rates { issues, waits, completes, exits, accesses, frees, delay, .. } = self.rates;
        let enters = cycle + 2 + rng.below(delay + 1);
        let begin = |warp, kind| {
            let (fault, is_absorbed, completes, frees) = (false, false, false, false);
            Flight { warp, kind, fault, is_absorbed, completes, frees, stage: Stage::Enters(enters) }
        };
        let wait = if self.shape.gateway_ids > 0 { OpKind::Gateway } else { OpKind::Sync };
        if let Some(warp) = rng.bit(able & !self.stalled).filter(|_| rng.chance(issues)) {
            let kind = rng.pick(&[wait, wait, OpKind::Reduce]).unwrap_or(wait);
            let flight = match rng.below(1000) {
                chance if chance < exits => begin(warp, OpKind::Exit),
                chance if chance < exits + waits => begin(warp, kind),
                _ => begin(warp, rng.pick(&[OpKind::Arrive, OpKind::Fence, OpKind::Read, OpKind::Mbarrier]).unwrap_or(kind)),
            };
            let can = !matches!(flight.kind, OpKind::Fence | OpKind::Read | OpKind::Mbarrier);
            let completes = can && rng.chance(completes);
            let is_absorbed = flight.kind == OpKind::Sync && !completes && rng.chance(200);
            // Operations on mbarriers do not reach `named`, so they count as absorbed.
            let is_absorbed = is_absorbed || flight.kind == OpKind::Mbarrier;
            self.flights.push_back(Flight { completes, is_absorbed, ..flight });
        }
        if let Some(warp) = rng.bit(able & self.stalled).filter(|_| rng.chance(accesses)) {
            let (is_write, is_refused) = (rng.chance(500), rng.chance(200));
            let flight = begin(warp, if is_write { OpKind::Write } else { OpKind::Read });
            let frees = is_write && !is_refused && rng.chance(frees);
            self.flights.push_back(Flight { fault: is_refused, frees, ..flight });
        }
    }

    /// Launches CTAs, and releases them when all their warps have exited or their state is saved.
    fn host(&mut self, rng: &mut Rng, cycle: u64) {
        let free_warps = (0..self.owners.len()).fold(0, |mask, warp| mask | 1 << warp)
            & !self.ctas.iter().flatten().fold(0, |mask, cta| mask | cta.warps);
        let slot = rng.below(self.shape.slots) as usize;
        if let Some(cta) = self.ctas[slot] {
            let is_over = cta.warps & self.live == 0;
            let still = cta.warps & self.in_flight() == 0 && !cta.leaves;
            if still && (is_over || self.waits(slot) && rng.chance(self.rates.saves)) {
                self.ctas[slot] = Some(Cta { leaves: true, ..cta });
                let warp = cta.warps.trailing_zeros() as usize;
                let (kind, stage) = (OpKind::Release, Stage::Enters(cycle + 2));
                let (fault, is_absorbed, completes, frees) = (false, false, false, false);
                self.flights.push_back(Flight { warp, kind, fault, is_absorbed, completes, frees, stage });
                self.restarts = true;
            }
        } else if free_warps != 0 && rng.chance(50) {
            let wanted = rng.range(1, self.shape.warps);
            let warps = rng.subset(free_warps, wanted);
            self.ctas[slot] = Some(Cta { warps, ..Cta::default() });
            (0..self.owners.len()).filter(|warp| warps >> warp & 1 == 1).for_each(|warp| self.owners[warp] = slot);
            self.live |= warps;
            self.restarts = true;
        }
    }
}
