// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `cluster`: CTAs launch and end, and their warps arrive, wait and exit. Links with delay connect the unit to a simulated
//! hub, which also has the other CTAs of the clusters.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::hubs::Clusters;
use super::shape::Shape;
use super::swarm::Duty;
use super::{Rng, Stimulus};
use bcu_hw::unit::cluster::ports::ClusterKind;
use bcu_isa::op::FaultCode;
use std::collections::VecDeque;

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    launch: u64,
    /// The share of launches of a CTA without a cluster.
    alone: u64,
    /// Maximum number of warps of a CTA.
    warps: u64,
    exit: u64,
    retire: u64,
    /// Maximum number of cycles from the last exit of a CTA to its end.
    ending: u64,
}

impl Profile {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        let mut pick = |choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            launch: pick(&[20, 300, 1000]),
            alone: pick(&[0, 0, 200, 1000]),
            warps: pick(&[1, 2, 3, shape.warps]).min(shape.warps),
            exit: pick(&[0, 2, 20, 200]),
            retire: pick(&[0, 0, 1, 10]),
            ending: pick(&[0, 3, 30]),
        }
    }
}

/// A CTA in its CTA slot.
struct Cta {
    live: u64,
    /// Number of cycles until the CTA has ended; it decreases only while no warp is live.
    ending_cycles: u64,
}

/// A launch that is due: CTA slot, cluster, rank, size.
type Due = [u64; 4];

pub struct Cluster {
    driver: Driver,
    shape: Shape,
    profile: Profile,
    op: Offer,
    ops: Duty,
    sinks: [Sink; 2],
    reset: usize,
    levels: [usize; 2],
    homes: Vec<usize>,
    /// The launch strobe: `valid` and the fields.
    launch: [usize; 5],
    /// The hub's messages: `valid`, `kind`, `cluster`.
    cluster_in: [usize; 3],
    /// Ports of the commit strobe: `valid`, `warps`.
    commit: [usize; 2],
    /// Output port for the waiting warps.
    waiting: usize,
    /// Output port for the freed CTA slots.
    freed: usize,
    slots: Vec<Option<Cta>>,
    due: VecDeque<Due>,
    clusters: Clusters,
    /// Warps with an operation in flight, one bit each.
    busy: u64,
    /// Warps whose operation in flight is a wait, one bit each.
    waits: u64,
    /// Warps that have arrived and not yet waited, one bit each.
    armed: u64,
}

impl Cluster {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let input = |name: &str| driver.input(name);
        let launch = [
            input("launch_valid")?,
            input("launch_cta")?,
            input("launch_cluster")?,
            input("launch_rank")?,
            input("launch_size")?,
        ];
        let cluster_in = [input("cluster_in_valid")?, input("cluster_in_kind")?, input("cluster_in_cluster")?];
        Ok(Cluster {
            op: driver.channel("op", &["kind", "fault", "warp", "cta"])?,
            reset: driver.input("reset")?,
            levels: [driver.input("live")?, driver.input("ended")?],
            homes: (0..).map_while(|b| driver.input(&format!("warp_cta_{b}")).ok()).collect(),
            launch,
            cluster_in,
            commit: [driver.output("commit_valid")?, driver.output("commit_warps")?],
            waiting: driver.output("waiting")?,
            freed: driver.output("freed")?,
            sinks: [driver.sink("cluster_out")?, driver.sink("fault")?],
            ops: Duty::source(&mut driver.rng),
            profile: Profile::draw(&mut driver.rng, shape),
            slots: (0..shape.slots).map(|_| None).collect(),
            clusters: Clusters::new(&mut driver, shape)?,
            due: VecDeque::new(),
            busy: 0,
            waits: 0,
            armed: 0,
            shape,
            driver,
        })
    }

    fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = None);
        self.due.clear();
        (self.busy, self.waits, self.armed) = (0, 0, 0);
        let Driver { inputs, .. } = &mut self.driver;
        inputs[self.levels[0]] = 0;
        inputs[self.launch[0]] = 0;
    }

    /// Evaluates the unit's outputs of the previous cycle.
    fn hear(&mut self, previous: &[u64]) {
        self.op.was_taken(previous);
        if previous[self.commit[0]] == 1 {
            let warp = previous[self.commit[1]];
            self.armed = if self.waits & warp != 0 { self.armed & !warp } else { self.armed | warp };
            self.busy &= !warp;
        }
        // A CTA slot is free again when its CTA has ended and the unit holds no state of the CTA.
        for (slot, cta) in self.slots.iter_mut().enumerate() {
            let over = cta.as_ref().is_some_and(|cta| cta.live == 0 && cta.ending_cycles == 0);
            if over && previous[self.freed] >> slot & 1 == 1 {
                *cta = None;
            }
        }
    }

    /// Lets warps exit, and CTAs retire and end.
    fn leave(&mut self, previous: &[u64]) {
        let Driver { rng, .. } = &mut self.driver;
        let idle = !self.busy & !previous[self.waiting];
        let ending = self.profile.ending;
        for cta in self.slots.iter_mut().flatten().filter(|cta| cta.live != 0) {
            if rng.chance(self.profile.exit) {
                let warp = rng.subset(cta.live & idle, 1);
                cta.live &= !warp;
            }
            if cta.live & self.busy == 0 && rng.chance(self.profile.retire) {
                cta.live = 0;
            }
            cta.ending_cycles = if cta.live == 0 { rng.range(0, ending) } else { ending };
        }
        for cta in self.slots.iter_mut().flatten().filter(|cta| cta.live == 0) {
            cta.ending_cycles = cta.ending_cycles.saturating_sub(1);
        }
    }

    /// Drives the live warps, and the CTA slots whose CTA has ended.
    fn set_levels(&mut self) {
        let inputs = &mut self.driver.inputs;
        let [live, ended] = self.levels;
        inputs[live] = self.slots.iter().flatten().fold(0, |mask, cta| mask | cta.live);
        for (slot, cta) in self.slots.iter().enumerate() {
            let is = cta.as_ref().is_none_or(|cta| cta.live == 0 && cta.ending_cycles == 0);
            inputs[ended] = inputs[ended] & !(1 << slot) | u64::from(is) << slot;
            let warps = cta.as_ref().map_or(0, |cta| cta.live);
            for (bit, home) in self.homes.iter().enumerate() {
                inputs[*home] = inputs[*home] & !warps | if slot >> bit & 1 == 1 { warps } else { 0 };
            }
        }
    }

    /// Plans the launches of all CTAs of a cluster, if they fit on this multiprocessor, or of a single CTA.
    fn plan(&mut self) {
        let Driver { rng, .. } = &mut self.driver;
        let profile = &self.profile;
        let mut free_slots: Vec<u64> = (0..self.shape.slots).filter(|slot| self.slots[*slot as usize].is_none()).collect();
        let number = rng.below(self.shape.cluster_slots);
        if free_slots.is_empty() || !rng.chance(profile.launch) {
            return;
        }
        if rng.chance(profile.alone) {
            let slot = free_slots.swap_remove(rng.below(free_slots.len() as u64) as usize);
            return self.due.push_back([slot, number, rng.below(16), rng.below(2)]);
        }
        for seat in self.clusters.found(rng, free_slots.len() as u64) {
            let [number, rank, size] = seat;
            let slot = free_slots.swap_remove(rng.below(free_slots.len() as u64) as usize);
            self.clusters.take_seat(seat);
            self.due.push_back([slot, number, rank, size]);
        }
    }

    /// Drives the launch strobe: launches the next due CTA or, by chance, none. Without a launch the payload may be random.
    fn come(&mut self) {
        if self.due.is_empty() {
            self.plan();
        }
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let due = if rng.chance(self.profile.launch) { self.due.pop_front() } else { None };
        inputs[self.launch[0]] = u64::from(due.is_some());
        let Some([slot, cluster, rank, size]) = due else {
            if swarm.noise {
                let noise =
                    [rng.below(1 << self.homes.len()), rng.below(self.shape.cluster_slots), rng.below(16), rng.below(17)];
                self.launch[1..].iter().zip(noise).for_each(|(field, value)| inputs[*field] = value);
            }
            return;
        };
        let taken_warps = self.slots.iter().flatten().fold(0, |mask, cta| mask | cta.live);
        let count = rng.range(1, self.profile.warps);
        let warps = rng.subset(self.shape.all_warps() & !taken_warps, count);
        let live = if rng.chance(swarm.exited_rate / 4) { 0 } else { warps };
        (self.armed, self.busy) = (self.armed & !warps, self.busy & !warps);
        self.slots[slot as usize] = Some(Cta { live, ending_cycles: self.profile.ending });
        self.launch[1..].iter().zip([slot, cluster, rank, size]).for_each(|(field, value)| inputs[*field] = value);
    }

    /// Offers a warp's next operation.
    fn operate(&mut self, previous: &[u64]) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let live = inputs[self.levels[0]];
        let mut able = live & !self.busy & !previous[self.waiting];
        let wild = rng.chance(swarm.broken);
        if wild {
            able = self.shape.all_warps();
        }
        let warp = if self.ops.allows_event(rng) { rng.bit(able) } else { None };
        let Some(warp) = warp else { return self.driver.idle(&mut self.op) };
        let bit = 1 << warp;
        let home = |(at, home): (usize, &usize)| (inputs[*home] >> warp & 1) << at;
        let mut cta = self.homes.iter().enumerate().map(home).sum::<u64>();
        let mut wait = self.armed & bit != 0;
        let mut fault = 0;
        if rng.chance(swarm.misuse) {
            match rng.below(4) {
                0 => fault = rng.range(1, FaultCode::ALL.len() as u64 - 1),
                1 => cta = rng.below(1 << self.homes.len()),
                _ => wait = !wait,
            }
        }
        self.busy |= bit;
        let accepted = fault == 0 && cta < self.shape.slots && wait == (self.armed & bit != 0);
        // A refused operation does not change the state of its warp.
        let leaves_armed = if accepted { !wait } else { self.armed & bit != 0 };
        self.waits = if leaves_armed { self.waits & !bit } else { self.waits | bit };
        let kind = if wait { ClusterKind::Wait } else { ClusterKind::Arrive };
        self.driver.offer(&mut self.op, &[kind as u64, fault, warp as u64, cta]);
    }

    /// Drives one input such that it breaks a promise.
    fn break_one(&mut self) {
        let Driver { rng, inputs, .. } = &mut self.driver;
        match rng.below(5) {
            0 => inputs[self.levels[0]] = rng.draw() & self.shape.all_warps(),
            1 => inputs[self.levels[1]] ^= 1 << rng.below(self.shape.slots),
            2 => self.homes.iter().for_each(|home| inputs[*home] = rng.draw() & self.shape.all_warps()),
            3 => {
                let message = [1, rng.below(2), rng.below(self.shape.cluster_slots)];
                self.cluster_in.iter().zip(message).for_each(|(field, value)| inputs[*field] = value);
            }
            _ => {
                let cta = rng.below(1 << self.homes.len());
                let launch = [1, cta, rng.below(self.shape.cluster_slots), rng.below(16), rng.below(17)];
                self.launch.iter().zip(launch).for_each(|(field, value)| inputs[*field] = value);
            }
        }
    }
}

impl Stimulus for Cluster {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        self.clusters.drive(&mut self.driver, phase, previous);
        if phase != Phase::Run {
            self.forget();
            match phase {
                Phase::Reset => self.driver.shake(&mut self.op),
                _ => self.driver.idle(&mut self.op),
            }
            return &self.driver.inputs;
        }
        self.hear(previous);
        self.sinks.iter_mut().for_each(|sink| self.driver.drain(sink));
        self.leave(previous);
        self.set_levels();
        self.come();
        if self.op.is_free() {
            self.operate(previous);
        }
        if self.driver.rng.chance(self.driver.swarm.broken) {
            self.break_one();
        }
        &self.driver.inputs
    }
}
