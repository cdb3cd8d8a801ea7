// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `mem_order`: warps that issue accesses and arrive, a memory that performs the accesses in any order with any delay,
//! and a downstream sink that stalls.

use super::answer::Answer;
use super::copies::Copies;
use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::lanes::{OF_CLUSTERS, OF_GRIDS};
use super::memory::Memory;
use super::shape::Shape;
use super::{Rng, Stimulus};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::{FaultCode, OpKind};

#[rustfmt::skip]
const FIELDS: [&str; 21] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "value", "state", "data", "mask",
    "from_instr", "rd", "pu", "mbarrier", "number", "phase", "cluster", "release", "all_live_lanes",
];

/// The parameters of a seed.
struct Profile {
    /// Warps that are used in this seed; one bit per warp.
    warps: u64,
    kinds: Vec<(OpKind, u64)>,
    /// In thousandths: the probability of a fault found upstream.
    faulty: u64,
    /// In thousandths: the probability of an operation from `cta_table`.
    from_cta_table: u64,
    /// In thousandths: the probability of an instruction of a held warp.
    rash: u64,
}

impl Profile {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        let few = rng.range(1, 4);
        let warps = if rng.chance(600) { rng.subset(shape.all_warps(), few) } else { shape.all_warps() };
        let arrivals = [OpKind::Sync, OpKind::Arrive, OpKind::Reduce].map(|k| (k, rng.range(0, 20)));
        let others =
            [OpKind::Read, OpKind::Write, OpKind::Exit, OpKind::Launch, OpKind::Release, OpKind::Fence, OpKind::Mbarrier];
        let others = others.into_iter().chain(OF_CLUSTERS).chain(OF_GRIDS);
        let others = others.filter(|kind| shape.has_kind(*kind));
        let others: Vec<_> = others.map(|k| (k, rng.pick(&[0, 0, 1, 5, 20]).unwrap_or(0))).collect();
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            warps,
            kinds: arrivals.into_iter().chain(others).chain([(OpKind::Arrive, 1)]).collect(),
            faulty: pick(rng, &[0, 20, 300]),
            from_cta_table: pick(rng, &[0, 50, 500]),
            rash: pick(rng, &[0, 0, 100, 1000]),
        }
    }
}

pub struct MemOrder {
    driver: Driver,
    shape: Shape,
    profile: Profile,
    channel: Offer,
    op: Sink,
    reset: usize,
    held_port: usize,
    access_limit: usize,
    parked: usize,
    op_done: usize,
    memory: Memory,
    copies: Copies,
    commit: Answer,
    /// Ports of the operation channel: kind and fault.
    op_ports: [usize; 2],
}

impl MemOrder {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let profile = Profile::draw(&mut driver.rng, shape);
        Ok(MemOrder {
            memory: Memory::new(&mut driver, shape, profile.warps)?,
            copies: Copies::new(&mut driver, shape)?,
            commit: Answer::new(&mut driver, shape, "commit")?,
            op_ports: [driver.output("op_kind")?, driver.output("op_fault")?],
            channel: driver.channel("in", &FIELDS)?,
            op: driver.sink("op")?,
            reset: driver.input("reset")?,
            held_port: driver.output("held")?,
            access_limit: driver.output("access_limit")?,
            parked: driver.output("parked")?,
            op_done: driver.output("op_done")?,
            profile,
            shape,
            driver,
        })
    }

    /// Offers an operation of a warp that may issue, and sometimes of a warp that may not.
    fn choose(&mut self, held_warps: u64) {
        let Driver { rng, swarm, .. } = &mut self.driver;
        let profile = &self.profile;
        let mut kind = rng.weighted(&profile.kinds).unwrap_or(OpKind::Arrive);
        let able = profile.warps & if rng.chance(profile.rash) { u64::MAX } else { !held_warps };
        let warp = match rng.bit(able) {
            Some(warp) => warp,
            None => {
                // A warp that waits executes only the operations of a context switch.
                kind = rng.pick(&[OpKind::Read, OpKind::Write]).unwrap_or(OpKind::Read);
                rng.bit(profile.warps).unwrap_or(0)
            }
        };
        let fault = if rng.chance(profile.faulty) { rng.range(1, FaultCode::ALL.len() as u64 - 1) } else { 0 };
        let from_instr = !rng.chance(if kind == OpKind::Exit { 900 } else { profile.from_cta_table });
        let mut values = vec![kind as u64, fault, rng.below(2), warp as u64, rng.draw(), rng.below(16), rng.below(4096)];
        values.extend([rng.below(3), rng.below(self.shape.lanes + 1), rng.below(3), rng.draw()]);
        values.push(rng.draw());
        values.extend([from_instr as u64, rng.draw(), rng.draw()]);
        values.extend([rng.below(MbarrierKind::ALL.len() as u64), rng.draw(), rng.draw(), rng.draw(), rng.draw(), rng.draw()]);
        if rng.chance(swarm.broken) {
            let any = self.shape.any_kind(rng);
            // A configuration without a gateway has no fields for a message to the gateway.
            let kind = if any == OpKind::Gateway && self.shape.gateway_ids == 0 { OpKind::Read } else { any };
            values[0] = kind as u64;
            values[3] = rng.below(self.shape.warps);
        }
        // `alone`: whether lanes execute operations of this kind without gathering. No exit can complete such an operation, so it always
        // comes from an instruction.
        let alone = [OpKind::Fence, OpKind::Mbarrier].into_iter().chain(OF_GRIDS).any(|kind| values[0] == kind as u64);
        values[12] |= u64::from(alone);
        self.driver.offer(&mut self.channel, &values);
    }
}

/// Whether a downstream unit commits an operation of this kind and fault when it takes effect.
fn commits(kind: u64, fault: u64) -> bool {
    kind < OpKind::Exit as u64 || kind >= OpKind::Fence as u64 || kind == OpKind::Exit as u64 && fault == 0
}

impl Stimulus for MemOrder {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        let [kind, fault] = self.op_ports;
        self.commit.drive(&mut self.driver, phase, previous, |outputs| commits(outputs[kind], outputs[fault]));
        self.driver.drain(&mut self.op);
        let held_warps = if phase == Phase::Run { previous[self.held_port] | previous[self.access_limit] } else { 0 };
        let turning = if phase == Phase::Run { previous[self.parked] | previous[self.op_done] } else { 0 };
        self.memory.drive(&mut self.driver, phase, previous, held_warps, turning);
        self.copies.drive(&mut self.driver, phase, previous, u64::MAX >> (64 - self.shape.slots));
        match phase {
            Phase::Reset => {
                self.driver.shake(&mut self.channel);
                return &self.driver.inputs;
            }
            Phase::Fresh => self.driver.idle(&mut self.channel),
            Phase::Run => {
                self.channel.was_taken(previous);
            }
        }
        if self.channel.is_free() {
            match self.driver.swarm.source.allows_event(&mut self.driver.rng) {
                true => self.choose(held_warps),
                false => self.driver.idle(&mut self.channel),
            }
        }
        &self.driver.inputs
    }
}
