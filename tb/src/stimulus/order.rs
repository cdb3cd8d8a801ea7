// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `order`: warps that issue accesses and arrive, and a memory that performs the accesses in any order, soon or
//! late; the sink behind it stalls.

use super::line::{Line, Offer, Phase, Sink};
use super::swarm::Duty;
use super::{Rng, Shape, Stimulus, StimulusError};
use bcu_hw::unit::op::{FaultCode, OpKind};

#[rustfmt::skip]
const FIELDS: [&str; 19] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "value", "state", "data", "warps", "live", "barriers", "mask", "saved",
    "counted", "rd", "pu",
];

/// What a seed does.
struct Habits {
    /// Warps in play.
    warps: u64,
    /// Warps that issue accesses.
    readers: u64,
    kinds: Vec<(OpKind, u64)>,
    issue: Duty,
    /// When an outstanding access is performed.
    perform: Duty,
    /// Accesses are performed in the order of their issue.
    in_order: bool,
    /// Chance of a fault found upstream, of an operation from `residency`, and that a warp that is held goes on anyway.
    faulty: u64,
    left: u64,
    rash: u64,
}

impl Habits {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        let few = rng.range(1, 4);
        let warps = if rng.chance(600) { rng.subset(shape.all(), few) } else { shape.all() };
        let some = rng.range(1, 2);
        let readers = if rng.chance(300) { rng.subset(warps, some) } else { warps };
        let arrivals = [OpKind::Sync, OpKind::Arrive, OpKind::Reduce].map(|k| (k, rng.range(0, 20)));
        let others = [OpKind::Read, OpKind::Write, OpKind::Exit, OpKind::Launch, OpKind::Release];
        let others = others.map(|k| (k, rng.pick(&[0, 0, 1, 5, 20]).unwrap_or(0)));
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Habits {
            warps,
            readers,
            kinds: arrivals.into_iter().chain(others).chain([(OpKind::Arrive, 1)]).collect(),
            issue: Duty::source(rng),
            perform: Duty::sink(rng),
            in_order: rng.chance(500),
            faulty: one(rng, &[0, 20, 300]),
            left: one(rng, &[0, 50, 500]),
            rash: one(rng, &[0, 0, 100, 1000]),
        }
    }
}

pub struct Order {
    line: Line,
    shape: Shape,
    habits: Habits,
    channel: Offer,
    op: Sink,
    reset: usize,
    /// valid and warp, valid and warp and epoch.
    issue: [usize; 2],
    perform: [usize; 3],
    epoch: usize,
    held: usize,
    /// Accesses that were issued and not performed: warp and epoch.
    outstanding: Vec<(u64, u64)>,
}

impl Order {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Order {
            channel: line.channel("in", &FIELDS)?,
            op: line.sink("op")?,
            reset: line.input("reset")?,
            issue: [line.input("issue_valid")?, line.input("issue_warp")?],
            perform: [line.input("perform_valid")?, line.input("perform_warp")?, line.input("perform_epoch")?],
            epoch: line.output("epoch")?,
            held: line.output("held")?,
            habits: Habits::draw(&mut line.rng, shape),
            outstanding: vec![],
            shape,
            line,
        })
    }

    /// Offers an operation of a warp that may go on, now and then of one that may not.
    fn choose(&mut self, held: u64) {
        let Line { rng, swarm, .. } = &mut self.line;
        let habits = &self.habits;
        let mut kind = rng.weighted(&habits.kinds).unwrap_or(OpKind::Arrive);
        let able = habits.warps & if rng.chance(habits.rash) { u64::MAX } else { !held };
        let warp = match rng.bit(able) {
            Some(warp) => warp,
            None => {
                // What a context switch does to warps that wait.
                kind = rng.pick(&[OpKind::Read, OpKind::Write]).unwrap_or(OpKind::Read);
                rng.bit(habits.warps).unwrap_or(0)
            }
        };
        let fault = if rng.chance(habits.faulty) { rng.range(1, FaultCode::ALL.len() as u64 - 1) } else { 0 };
        let counted = !rng.chance(if kind == OpKind::Exit { 900 } else { habits.left });
        let mut values = vec![kind as u64, fault, rng.below(2), warp as u64, rng.draw(), rng.below(16), rng.below(4096)];
        values.extend([rng.below(3), rng.below(self.shape.lanes + 1), rng.below(3), rng.draw()]);
        values.extend((0..5).map(|_| rng.draw()));
        values.extend([counted as u64, rng.draw(), rng.draw()]);
        if rng.chance(swarm.broken) {
            values[0] = rng.below(8);
            values[3] = rng.below(self.shape.warps);
        }
        self.line.offer(&mut self.channel, &values);
    }

    /// Drives the strobes of the memory: an access of a warp that is not held, and one that is done.
    fn access(&mut self, held: u64) {
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        let habits = &mut self.habits;
        let ignores = rng.chance(swarm.broken);
        // A warp that issued just now may be at its limit before it shows.
        let just_now = inputs[self.issue[0]] << inputs[self.issue[1]];
        let able = habits.readers & if ignores { u64::MAX } else { !held & !just_now };
        let issuer = if habits.issue.step(rng) { rng.bit(able) } else { None };
        let done = if rng.chance(swarm.broken / 4) {
            Some((rng.below(self.shape.warps), rng.below(2)))
        } else if habits.perform.step(rng) && !self.outstanding.is_empty() {
            let at = if habits.in_order { 0 } else { rng.below(self.outstanding.len() as u64) as usize };
            Some(self.outstanding.remove(at))
        } else {
            None
        };
        inputs[self.issue[0]] = issuer.is_some() as u64;
        inputs[self.perform[0]] = done.is_some() as u64;
        let noise = swarm.noise as u64;
        let idle = (rng.below(self.shape.warps) * noise, rng.below(2) * noise);
        inputs[self.issue[1]] = issuer.map_or(idle.0, |w| w as u64);
        (inputs[self.perform[1]], inputs[self.perform[2]]) = done.unwrap_or(idle);
    }

    /// Takes notice of an access that was issued in the cycle before.
    fn note(&mut self, previous: &[u64]) {
        let inputs = &self.line.inputs;
        if inputs[self.issue[0]] == 1 {
            let warp = inputs[self.issue[1]];
            self.outstanding.push((warp, previous[self.epoch] >> warp & 1));
        }
    }
}

impl Stimulus for Order {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.line.begin(self.reset);
        self.line.drain(&mut self.op);
        let mut held = 0;
        match phase {
            Phase::Reset | Phase::Fresh => {
                self.outstanding.clear();
                // What was issued during a reset never happened.
                self.line.inputs[self.issue[0]] = 0;
            }
            Phase::Run => {
                held = previous[self.held];
                self.note(previous);
            }
        }
        self.access(held);
        match phase {
            Phase::Reset => {
                self.line.shake(&mut self.channel);
                return &self.line.inputs;
            }
            Phase::Fresh => self.line.idle(&mut self.channel),
            Phase::Run => {
                self.channel.taken(previous);
            }
        }
        if self.channel.free() {
            match self.line.swarm.source.step(&mut self.line.rng) {
                true => self.choose(held),
                false => self.line.idle(&mut self.channel),
            }
        }
        &self.line.inputs
    }
}
