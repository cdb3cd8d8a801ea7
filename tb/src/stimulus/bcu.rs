// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for the whole unit: plays the issue side of an SM and the launcher of CTAs.

use super::decode::{instruction, FIELDS};
use super::line::{Level, Line, Offer, Phase, Sink, Strobe};
use super::picture::Picture;
use super::residency::{Gates, Spare};
use super::swarm::Misuse;
use super::wish::{excess, Access, Arrival, Launch, Wish};
use super::word::Meaning;
use super::{Shape, Stimulus, StimulusError};
use bcu_hw::unit::op::StateWord;

pub struct Bcu {
    line: Line,
    picture: Picture,
    gates: Gates,
    instr: Offer,
    /// What the instruction means if it makes sense.
    issued: Option<Wish>,
    fault: Sink,
    policy: Level,
    writeback: Strobe,
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
            issued: None,
            fault: line.sink("fault")?,
            policy: line.level("fault_policy")?,
            writeback: Strobe::new(&line, "writeback")?,
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
        let offered = match self.issued {
            Some(Wish::Arrive(a)) => 1 << a.warp,
            _ => 0,
        };
        let offered = offered | self.gates.exiting();
        let stopped = blocked | self.fresh | offered | !live;
        let Some(wish) = self.picture.wish(rng, swarm, stopped) else {
            return;
        };
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        let spare = Spare { absent: shape.all() & !live, blocked: blocked & live };
        match (wish, misuse) {
            (_, Some(Misuse::Occupied | Misuse::Empty)) | (Wish::Exit { .. }, Some(Misuse::Ghost | Misuse::Blocked)) => {
                let wish = match misuse {
                    Some(Misuse::Empty) => Wish::Release { slot: 0, saved: rng.chance(swarm.saved) },
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
            (_, Some(Misuse::Result | Misuse::Word)) => {
                let wish = misuse.and_then(|m| self.picture.bad_access(rng, m));
                if let Some(Wish::Read(a) | Wish::Write(a)) = wish.filter(|_| self.instr.free()) {
                    self.access(wish, a, misuse);
                }
            }
            (Wish::Read(a) | Wish::Write(a), _) => {
                if self.instr.free() {
                    self.access(Some(wish), a, misuse);
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
            Some(m @ (Misuse::Double | Misuse::Mismatch | Misuse::Kind)) => {
                a = self.picture.clash(rng, m, stopped).unwrap_or(a);
            }
            _ => (),
        }
        let Arrival { sync, id, .. } = a;
        let count = a.count.min(4095);
        let meaning = match a.redop.filter(|_| a.sync) {
            Some(redop) => Meaning::Reduce { redop, id, count },
            None => Meaning::Bar { sync, id, count },
        };
        let values = instruction(&mut self.line, shape, misuse, a.warp as u64, meaning);
        self.issued = misuse.is_none().then_some(Wish::Arrive(a));
        self.line.offer(&mut self.instr, &values);
    }

    /// Offers a B2R or R2B; `wish` is what it means, if the picture is to take notice.
    fn access(&mut self, wish: Option<Wish>, a: Access, misuse: Option<Misuse>) {
        let Access { warp, state, data, mut id, .. } = a;
        if misuse == Some(Misuse::Id) && state == StateWord::Barrier {
            id = self.line.rng.range(self.picture.cta(a.slot).map_or(0, |c| c.declared), 15).min(15);
        }
        let meaning = match wish {
            Some(Wish::Write(_)) => Meaning::Write { state, id, data },
            _ => Meaning::Read { state, id },
        };
        let shape = self.picture.shape;
        let values = instruction(&mut self.line, shape, misuse, warp as u64, meaning);
        self.issued = wish.filter(|_| misuse.is_none());
        self.line.offer(&mut self.instr, &values);
    }
}

impl Stimulus for Bcu {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        self.fresh = 0;
        let phase = self.line.begin(self.reset);
        self.line.drain(&mut self.fault);
        self.line.set_policy(&self.policy);
        match phase {
            Phase::Reset => {
                self.picture.clear();
                self.issued = None;
                self.gates.shake(&mut self.line);
                self.line.shake(&mut self.instr);
                return &self.line.inputs;
            }
            Phase::Fresh => {
                self.gates.idle(&mut self.line);
                self.line.idle(&mut self.instr);
            }
            Phase::Run => {
                if let Some((warp, value)) = self.writeback.read(previous) {
                    self.picture.has_read(warp, value);
                }
                if self.instr.taken(previous) {
                    self.line.idle(&mut self.instr);
                    if let Some(wish) = self.issued.take() {
                        self.picture.note(wish, &mut self.line.rng, &self.line.swarm);
                        if let Wish::Arrive(Arrival { warp, sync: true, .. }) = wish {
                            self.fresh = 1 << warp;
                        }
                    }
                }
                self.gates.note(&mut self.line, &mut self.picture, previous);
            }
        }
        if self.line.swarm.source.step(&mut self.line.rng) {
            let (live, blocked) = if phase == Phase::Fresh { (0, 0) } else { (previous[self.live], previous[self.blocked]) };
            self.choose(live, blocked);
            while self.line.rng.chance(300) {
                self.choose(live, blocked);
            }
        }
        &self.line.inputs
    }
}
