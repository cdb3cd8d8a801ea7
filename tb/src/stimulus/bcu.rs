// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for the whole unit: plays the issue side of an SM and the launcher of CTAs.

use super::decode::{instruction, FIELDS};
use super::line::{Line, Offer, Phase, Sink};
use super::picture::{excess, Arrival, Launch, Picture, Wish};
use super::residency::{Gates, Spare};
use super::swarm::Misuse;
use super::{Shape, Stimulus, StimulusError};

pub struct Bcu {
    line: Line,
    picture: Picture,
    gates: Gates,
    instr: Offer,
    /// What the instruction means if it makes sense.
    arrival: Option<Arrival>,
    fault: Sink,
    reset: usize,
    live: usize,
    blocked: usize,
    /// A warp whose instruction was taken in the cycle before and is not yet seen in `blocked`.
    fresh: u64,
}

impl Bcu {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Bcu {
            gates: Gates::new(&line)?,
            instr: line.channel("instr", &FIELDS)?,
            arrival: None,
            fault: line.sink("fault")?,
            reset: line.input("reset")?,
            live: line.output("live")?,
            blocked: line.output("blocked")?,
            picture: Picture::new(shape),
            fresh: 0,
            line,
        })
    }

    /// Begins one operation, on whatever channel it belongs to.
    fn choose(&mut self, live: u64, blocked: u64) {
        let shape = self.picture.shape;
        let Line { rng, swarm, .. } = &mut self.line;
        let offered = self.arrival.map_or(0, |a| 1 << a.warp) | self.gates.exiting();
        let stopped = blocked | self.fresh | offered | !live;
        let Some(wish) = self.picture.wish(rng, swarm, stopped) else {
            return;
        };
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        let spare = Spare { absent: shape.all() & !live, blocked: blocked & live };
        match (wish, misuse) {
            (_, Some(Misuse::Occupied | Misuse::Empty)) | (Wish::Exit { .. }, Some(Misuse::Ghost | Misuse::Blocked)) => {
                let wish = match misuse {
                    Some(Misuse::Empty) => Wish::Release { slot: 0 },
                    Some(Misuse::Occupied) => {
                        let warps = rng.sprinkle(shape.all(), 200);
                        Wish::Launch(Launch { slot: 0, warps, exited: 0, barriers: rng.below(32) })
                    }
                    _ => wish,
                };
                self.gates.offer(&mut self.line, shape, wish, misuse, spare);
            }
            (Wish::Arrive(arrival), _) => {
                if self.instr.free() {
                    self.issue(arrival, misuse, stopped, spare);
                }
            }
            (Wish::Access { slot, warp }, _) => {
                let arrival = Arrival { slot, warp, id: 0, count: 0, sync: true };
                if self.instr.free() {
                    self.issue(arrival, Some(Misuse::Unbuilt), stopped, spare);
                }
            }
            _ => {
                self.gates.offer(&mut self.line, shape, wish, None, spare);
            }
        }
    }

    /// Offers an arrival as an instruction, spoiled as `misuse` says.
    fn issue(&mut self, arrival: Arrival, misuse: Option<Misuse>, stopped: u64, spare: Spare) {
        let shape = self.picture.shape;
        let rng = &mut self.line.rng;
        let mut a = arrival;
        let cta = self.picture.cta(a.slot);
        let launched = cta.map_or(0, |c| c.launched.count_ones() as u64);
        match misuse {
            Some(Misuse::Id) => a.id = rng.range(cta.map_or(0, |c| c.declared), 15).min(15),
            Some(Misuse::Zero) => (a.sync, a.count) = (false, 0),
            Some(Misuse::Multiple) => a.count += rng.range(1, shape.lanes.max(2) - 1),
            Some(Misuse::Exceeds) => a.count = excess(rng, shape, launched),
            Some(Misuse::Ghost) => a.warp = rng.bit(spare.absent).unwrap_or(a.warp),
            Some(Misuse::Blocked) => a.warp = rng.bit(spare.blocked).unwrap_or(a.warp),
            Some(Misuse::Double | Misuse::Mismatch) => {
                if let Some((slot, id, warps, expected)) = self.picture.arrived(rng, stopped) {
                    let double = misuse == Some(Misuse::Double);
                    let able = self.picture.cta(slot).map_or(0, |c| c.live & !stopped);
                    let warp = rng.bit(if double { warps } else { able }).unwrap_or(a.warp);
                    let count = shape.lanes * if double { expected } else { rng.range(1, launched.max(1)) };
                    a = Arrival { slot, warp, id, count, sync: rng.chance(500) };
                }
            }
            _ => (),
        }
        let values = instruction(&mut self.line, shape, misuse, a.warp as u64, (a.sync, a.id, a.count.min(4095)));
        self.arrival = misuse.is_none().then_some(a);
        self.line.offer(&mut self.instr, &values);
    }
}

impl Stimulus for Bcu {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        self.fresh = 0;
        let phase = self.line.begin(self.reset);
        self.line.drain(&mut self.fault);
        match phase {
            Phase::Reset => {
                self.picture.clear();
                self.arrival = None;
                self.gates.shake(&mut self.line);
                self.line.shake(&mut self.instr);
                return &self.line.inputs;
            }
            Phase::Fresh => {
                self.gates.idle(&mut self.line);
                self.line.idle(&mut self.instr);
            }
            Phase::Run => {
                if self.instr.taken(previous) {
                    self.line.idle(&mut self.instr);
                    if let Some(arrival) = self.arrival.take() {
                        self.picture.note(Wish::Arrive(arrival), &mut self.line.rng, &self.line.swarm);
                        self.fresh = (arrival.sync as u64) << arrival.warp;
                    }
                }
                self.gates.note(&mut self.line, &mut self.picture, previous);
            }
        }
        if self.line.swarm.source.step(&mut self.line.rng) {
            let (live, blocked) = if phase == Phase::Fresh { (0, 0) } else { (previous[self.live], previous[self.blocked]) };
            self.choose(live, blocked);
            if self.line.rng.chance(300) {
                self.choose(live, blocked);
            }
        }
        &self.line.inputs
    }
}
