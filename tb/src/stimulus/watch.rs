// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `watch`: warps that stall and move, whole CTAs at once or one by one, and operations that `named` takes.

use super::line::{Line, Sink};
use super::swarm::Duty;
use super::{Rng, Shape, Stimulus, StimulusError};
use bcu_hw::unit::op::{FaultCode, OpKind};

/// What a seed does; chances are in thousandths per cycle.
struct Habits {
    /// CTA slots in play.
    slots: u64,
    /// Change of who is live, stalled, moving, and where.
    live: u64,
    stalled: u64,
    moving: u64,
    homes: u64,
    /// Of the warps that change: how many of them are stalled, and moving.
    stalls: u64,
    moves: u64,
    tangle: u64,
    /// Of the operations taken: chance of a release.
    release: u64,
}

impl Habits {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        let rate = |rng: &mut Rng| rng.pick(&[0, 2, 10, 50, 300]).unwrap_or(0);
        let share = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let few = rng.range(1, 3);
        // A slot number has at least one bit, so it may name one that is not built.
        let all = u64::MAX >> (64 - shape.slots.next_power_of_two().clamp(2, 64));
        Habits {
            slots: if rng.chance(500) { rng.subset(all, few) } else { all },
            live: rate(rng),
            stalled: 2 + rate(rng),
            moving: rate(rng),
            homes: share(rng, &[0, 0, 1, 100]),
            stalls: share(rng, &[100, 500, 900, 1000]),
            moves: share(rng, &[0, 0, 10, 100, 900]),
            tangle: share(rng, &[0, 0, 5, 100]),
            release: share(rng, &[0, 20, 300]),
        }
    }
}

pub struct Watch {
    line: Line,
    shape: Shape,
    habits: Habits,
    dead: Sink,
    takes: Duty,
    reset: usize,
    live: usize,
    homes: Vec<usize>,
    stalled: usize,
    moving: usize,
    /// valid, kind, fault and CTA slot.
    taken: [usize; 4],
    tangle: [usize; 2],
}

impl Watch {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        let taken = ["valid", "kind", "fault", "cta"].map(|part| line.input(&format!("taken_{part}")));
        let [valid, kind, fault, cta] = taken;
        Ok(Watch {
            dead: line.sink("dead")?,
            takes: Duty::source(&mut line.rng),
            reset: line.input("reset")?,
            live: line.input("live")?,
            homes: (0..).map_while(|b| line.input(&format!("warp_cta_{b}")).ok()).collect(),
            stalled: line.input("stalled")?,
            moving: line.input("moving")?,
            taken: [valid?, kind?, fault?, cta?],
            tangle: [line.input("tangle_valid")?, line.input("tangle_cta")?],
            habits: Habits::draw(&mut line.rng, shape),
            shape,
            line,
        })
    }

    /// Warps move into other CTA slots: all of them in a block each, or anywhere.
    fn settle(&mut self) {
        let Line { rng, inputs, .. } = &mut self.line;
        let in_blocks = rng.chance(500);
        let ctas = u64::from(self.habits.slots.count_ones()).max(1);
        let of = |rng: &mut Rng, warp: u64| {
            let at = if in_blocks { warp * ctas / self.shape.warps } else { rng.below(ctas) };
            (0..64).filter(|slot| self.habits.slots >> slot & 1 == 1).nth(at as usize).unwrap_or(0)
        };
        self.homes.iter().for_each(|home| inputs[*home] = 0);
        for warp in 0..self.shape.warps {
            let slot = of(rng, warp);
            self.homes.iter().enumerate().for_each(|(bit, home)| inputs[*home] |= (slot >> bit & 1) << warp);
        }
    }

    /// The warps of one CTA, or all.
    fn crowd(&mut self) -> u64 {
        let Line { rng, inputs, .. } = &mut self.line;
        let all = self.shape.all();
        if rng.chance(300) {
            return all;
        }
        let slot = rng.bit(self.habits.slots).unwrap_or(0);
        let differs = |(bit, home): (usize, &usize)| if slot >> bit & 1 == 1 { !inputs[*home] } else { inputs[*home] };
        all & !self.homes.iter().enumerate().map(differs).fold(0, |m, d| m | d)
    }

    /// Of a CTA's warps, or of all, about `share` thousandths get a bit of this input.
    fn redraw(&mut self, input: usize, rate: u64, share: u64) {
        if !self.line.rng.chance(rate) {
            return;
        }
        let crowd = self.crowd();
        let drawn = self.line.rng.sprinkle(crowd, share);
        let level = &mut self.line.inputs[input];
        *level = *level & !crowd | drawn;
    }

    /// Drives what `named` says: operations taken, and tangles.
    fn strobes(&mut self) {
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        let habits = &self.habits;
        let slot = |rng: &mut Rng| rng.bit(habits.slots).unwrap_or(0) as u64;
        let taken = if self.takes.step(rng) && rng.chance(500) {
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
            let kind = if rng.chance(habits.release) { Some(OpKind::Release) } else { rng.pick(&kinds) };
            let fault = if rng.chance(200) { rng.below(FaultCode::ALL.len() as u64) } else { 0 };
            kind.map(|kind| (kind, fault, slot(rng)))
        } else {
            None
        };
        let tangle = rng.chance(habits.tangle).then(|| slot(rng));
        inputs[self.taken[0]] = taken.is_some() as u64;
        inputs[self.tangle[0]] = tangle.is_some() as u64;
        if taken.is_some() || swarm.noise {
            let (kind, fault, cta) = taken.unwrap_or((OpKind::Release, 0, slot(rng)));
            (inputs[self.taken[1]], inputs[self.taken[2]], inputs[self.taken[3]]) = (kind as u64, fault, cta);
        }
        if tangle.is_some() || swarm.noise {
            inputs[self.tangle[1]] = tangle.unwrap_or(slot(rng));
        }
    }
}

impl Stimulus for Watch {
    fn next(&mut self, _: &[u64]) -> &[u64] {
        let started = self.line.inputs[self.live] != 0;
        self.line.begin(self.reset);
        self.strobes();
        self.line.drain(&mut self.dead);
        if !started || self.line.rng.chance(self.habits.homes) {
            self.settle();
        }
        let Habits { live, stalled, moving, stalls, moves, .. } = self.habits;
        let present = 1000 - self.line.swarm.gone;
        self.redraw(self.live, if started { live } else { 1000 }, present);
        self.redraw(self.stalled, stalled, stalls);
        self.redraw(self.moving, moving, moves);
        &self.line.inputs
    }
}
