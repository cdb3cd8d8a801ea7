// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `deadlock_detector`: a walk over warps that stall and resume, all warps of a CTA at once or one by one; operations that
//! enter `gather`; and operations that `named` takes.

use super::driver::{Driver, Sink};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::Duty;
use super::{Rng, Stimulus};
use bcu_isa::op::{FaultCode, OpKind};

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    /// CTA slots in use; one bit per CTA slot.
    slots: u64,
    /// Rate of change of the live warps.
    live: u64,
    /// Rate of change of the stalled warps.
    stalled: u64,
    /// Rate of change of the operations in flight.
    in_flight: u64,
    /// Rate of change of the CTA slots of warps.
    homes: u64,
    /// Share of the changing warps that become stalled.
    stalls: u64,
    /// Share of the changing warps that get an operation in flight.
    moves: u64,
    implicit_conflict: u64,
    /// Probability that an operation enters `gather`.
    enters: u64,
    /// Probability that the walk pauses.
    pauses: u64,
    /// Probability that the walk restarts.
    restarts: u64,
    /// Among the operations that `named` takes: the share of releases.
    release: u64,
}

impl Profile {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        // The detector finds a state only if the state lasts for some walks, so rates decrease with the number of warps.
        let scale = |rate: u64| rate * 8 / shape.warps.max(8);
        let rate = |rng: &mut Rng| scale(rng.pick(&[0, 2, 10, 50, 300]).unwrap_or(0));
        let share = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let few = rng.range(1, 3);
        // A CTA slot number has as many bits as the highest slot needs, and at least one bit. So it can name a slot that is not built.
        let all_slots = u64::MAX >> (64 - shape.slots.next_power_of_two().clamp(2, 64));
        Profile {
            slots: if rng.chance(500) { rng.subset(all_slots, few) } else { all_slots },
            live: rate(rng),
            stalled: scale(2).max(1) + rate(rng),
            in_flight: rate(rng),
            homes: share(rng, &[0, 0, 1, 100]),
            stalls: share(rng, &[100, 500, 900, 1000]),
            moves: share(rng, &[0, 0, 10, 100, 900]),
            implicit_conflict: share(rng, &[0, 0, 5, 100]),
            enters: share(rng, &[0, 0, 5, 100]),
            pauses: share(rng, &[0, 0, 100, 500]),
            restarts: share(rng, &[0, 0, 5]),
            release: share(rng, &[0, 20, 300]),
        }
    }
}

pub struct DeadlockDetector {
    driver: Driver,
    shape: Shape,
    profile: Profile,
    dead: Sink,
    takes: Duty,
    reset: usize,
    live: u64,
    in_flight: u64,
    /// The CTA slot of every warp.
    homes: Vec<u64>,
    stalled: usize,
    /// Ports of the walk: `valid`, `warp`, CTA slot, `live`, `in_flight`.
    walk_ports: [usize; 5],
    /// The warp that the walk visits next.
    next: u64,
    entered: [usize; 2],
    /// Ports of the strobe `taken`: `valid`, `kind`, `fault`, CTA slot.
    taken_ports: [usize; 4],
    implicit_conflict: [usize; 2],
    /// Ports of the report: `valid`, CTA slot.
    report: [usize; 2],
}

impl DeadlockDetector {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let taken_inputs = ["valid", "kind", "fault", "cta"].map(|part| driver.input(&format!("taken_{part}")));
        let [valid, kind, fault, cta] = taken_inputs;
        let seen_inputs = ["valid", "warp", "cta", "live", "in_flight"].map(|part| driver.input(&format!("seen_{part}")));
        let [seen_valid, seen_warp, seen_cta, seen_live, seen_in_flight] = seen_inputs;
        Ok(DeadlockDetector {
            dead: driver.sink("dead")?,
            takes: Duty::source(&mut driver.rng),
            reset: driver.input("reset")?,
            live: 0,
            in_flight: 0,
            homes: vec![0; shape.warps as usize],
            stalled: driver.input("stalled")?,
            walk_ports: [seen_valid?, seen_warp?, seen_cta?, seen_live?, seen_in_flight?],
            next: 0,
            entered: [driver.input("entered_valid")?, driver.input("entered_cta")?],
            taken_ports: [valid?, kind?, fault?, cta?],
            implicit_conflict: [driver.input("implicit_conflict_valid")?, driver.input("implicit_conflict_cta")?],
            report: [driver.output("dead_valid")?, driver.output("dead_cta")?],
            profile: Profile::draw(&mut driver.rng, shape),
            shape,
            driver,
        })
    }

    /// Moves warps into other CTA slots: each slot gets a contiguous block of warps, or warps are placed at random.
    fn settle(&mut self) {
        let Driver { rng, .. } = &mut self.driver;
        let in_blocks = rng.chance(500);
        let ctas = u64::from(self.profile.slots.count_ones()).max(1);
        for (warp, home) in (0..).zip(&mut self.homes) {
            let at = if in_blocks { warp * ctas / self.shape.warps } else { rng.below(ctas) };
            *home = (0..64).filter(|slot| self.profile.slots >> slot & 1 == 1).nth(at as usize).unwrap_or(0);
        }
    }

    /// Draws the warps of one CTA, or all warps.
    fn crowd(&mut self) -> u64 {
        let rng = &mut self.driver.rng;
        if rng.chance(300) {
            return self.shape.all_warps();
        }
        let slot = rng.bit(self.profile.slots).unwrap_or(0) as u64;
        (0..).zip(&self.homes).filter(|(_, home)| **home == slot).fold(0, |crowd, (warp, _)| crowd | 1 << warp)
    }

    /// Redraws the bits of a level for the warps of a CTA or for all warps; about `share` thousandths of the bits become 1.
    fn redraw(&mut self, level: u64, rate: u64, share: u64) -> u64 {
        if !self.driver.rng.chance(rate) {
            return level;
        }
        let crowd = self.crowd();
        level & !crowd | self.driver.rng.sprinkle(crowd, share)
    }

    /// Advances the walk; sometimes it pauses or restarts.
    fn walk(&mut self) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let is_walked = !rng.chance(self.profile.pauses);
        inputs[self.walk_ports[0]] = is_walked as u64;
        if is_walked || swarm.noise {
            let warp = if is_walked { self.next } else { rng.below(self.shape.warps) };
            let home = self.homes.get(warp as usize).copied().unwrap_or(0);
            let values = [warp, home, self.live >> warp & 1, self.in_flight >> warp & 1];
            self.walk_ports[1..].iter().zip(values).for_each(|(port, value)| inputs[*port] = value);
        }
        if is_walked {
            let restarts = rng.chance(self.profile.restarts);
            self.next = if restarts { 0 } else { (self.next + 1) % self.shape.warps };
        }
    }

    /// Drives the strobes of `named`: operations taken, and implicit conflicts.
    fn strobes(&mut self, outputs: &[u64]) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let profile = &self.profile;
        let reported = Some(outputs[self.report[1]]).filter(|_| outputs[self.report[0]] == 1);
        let slot = |rng: &mut Rng| match reported {
            Some(slot) if rng.chance(200) => slot,
            _ => rng.bit(profile.slots).unwrap_or(0) as u64,
        };
        let taken_op = if self.takes.allows_event(rng) && rng.chance(500) {
            let kinds = [
                OpKind::Sync,
                OpKind::Arrive,
                OpKind::Reduce,
                OpKind::Read,
                OpKind::Write,
                OpKind::Exit,
                OpKind::Launch,
                OpKind::Fence,
            ];
            let releases = if reported.is_some() { profile.release.max(100) } else { profile.release };
            let kind = if rng.chance(releases) { Some(OpKind::Release) } else { rng.pick(&kinds) };
            let fault = if rng.chance(200) { rng.below(FaultCode::ALL.len() as u64) } else { 0 };
            kind.map(|kind| (kind, fault, slot(rng)))
        } else {
            None
        };
        let implicit_conflict = rng.chance(profile.implicit_conflict).then(|| slot(rng));
        inputs[self.taken_ports[0]] = taken_op.is_some() as u64;
        inputs[self.implicit_conflict[0]] = implicit_conflict.is_some() as u64;
        if taken_op.is_some() || swarm.noise {
            let (kind, fault, cta) = taken_op.unwrap_or((OpKind::Release, 0, slot(rng)));
            (inputs[self.taken_ports[1]], inputs[self.taken_ports[2]], inputs[self.taken_ports[3]]) = (kind as u64, fault, cta);
        }
        let enters = rng.chance(profile.enters).then(|| slot(rng));
        inputs[self.entered[0]] = enters.is_some() as u64;
        if enters.is_some() || swarm.noise {
            inputs[self.entered[1]] = enters.unwrap_or(slot(rng));
        }
        if implicit_conflict.is_some() || swarm.noise {
            inputs[self.implicit_conflict[1]] = implicit_conflict.unwrap_or(slot(rng));
        }
    }
}

impl Stimulus for DeadlockDetector {
    fn next(&mut self, outputs: &[u64]) -> &[u64] {
        let started = self.live != 0;
        self.driver.begin(self.reset);
        self.strobes(outputs);
        self.driver.drain(&mut self.dead);
        if !started || self.driver.rng.chance(self.profile.homes) {
            self.settle();
        }
        let Profile { live, stalled, in_flight, stalls, moves, .. } = self.profile;
        let present = 1000 - self.driver.swarm.exited_rate;
        self.live = self.redraw(self.live, if started { live } else { 1000 }, present);
        self.driver.inputs[self.stalled] = self.redraw(self.driver.inputs[self.stalled], stalled, stalls);
        self.in_flight = self.redraw(self.in_flight, in_flight, moves);
        self.walk();
        &self.driver.inputs
    }
}
