// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `residency`: launches, exits and retirements against an operation port that stalls, with `blocked` and
//! `clearing` as the barriers would drive them, or at random.

use super::line::{Line, Offer, Phase, Sink};
use super::picture::Picture;
use super::swarm::{Duty, Misuse};
use super::wish::{Launch, Wish};
use super::{Shape, Stimulus, StimulusError};

/// Fields of the three channels.
pub const LAUNCH: [&str; 4] = ["cta", "warps", "exited", "barriers"];
pub const RETIRE: [&str; 2] = ["cta", "saved"];
pub const EXIT: [&str; 1] = ["warp"];

/// The three channels into `residency`, alone or in the whole unit.
pub struct Gates {
    pub launch: Offer,
    pub retire: Offer,
    pub exit: Offer,
    /// What the offers mean if they make sense.
    wishes: [Option<Wish>; 3],
}

impl Gates {
    pub fn new(line: &Line) -> Result<Self, StimulusError> {
        let (launch, retire) = (line.channel("launch", &LAUNCH)?, line.channel("retire", &RETIRE)?);
        Ok(Gates { launch, retire, exit: line.channel("exit", &EXIT)?, wishes: [None; 3] })
    }

    pub fn shake(&mut self, line: &mut Line) {
        [&mut self.launch, &mut self.retire, &mut self.exit].into_iter().for_each(|c| line.shake(c));
    }

    pub fn idle(&mut self, line: &mut Line) {
        [&mut self.launch, &mut self.retire, &mut self.exit].into_iter().for_each(|c| line.idle(c));
    }

    /// The warp that offers to exit, if it makes sense.
    pub fn exiting(&self) -> u64 {
        match self.wishes[0] {
            Some(Wish::Exit { warp, .. }) => 1 << warp,
            _ => 0,
        }
    }

    /// Takes notice of what was taken in the cycle before, in the order in which the unit handles it.
    pub fn note(&mut self, line: &mut Line, picture: &mut Picture, outputs: &[u64]) {
        for (channel, wish) in [&mut self.exit, &mut self.retire, &mut self.launch].into_iter().zip(&mut self.wishes) {
            if channel.taken(outputs) {
                line.idle(channel);
                if let Some(wish) = wish.take() {
                    picture.note(wish, &mut line.rng, &line.swarm);
                }
            }
        }
    }

    /// Offers an exit, a retirement or a launch, spoiled as `misuse` says; false if its channel is not free.
    pub fn offer(&mut self, line: &mut Line, shape: Shape, wish: Wish, misuse: Option<Misuse>, spare: Spare) -> bool {
        let honest = misuse.is_none().then_some(wish);
        let built = if line.rng.chance(700) { shape.slots } else { 64 };
        match wish {
            Wish::Exit { warp, .. } if self.exit.free() => {
                let warp = match misuse {
                    Some(Misuse::Ghost) => line.rng.bit(spare.absent).unwrap_or(warp),
                    Some(Misuse::Blocked) => line.rng.bit(spare.blocked).unwrap_or(warp),
                    _ => warp,
                };
                self.wishes[0] = honest;
                line.offer(&mut self.exit, &[warp as u64]);
            }
            Wish::Release { slot, saved } if self.retire.free() => {
                let cta = if misuse == Some(Misuse::Empty) { line.rng.below(built) } else { slot as u64 };
                self.wishes[1] = honest;
                line.offer(&mut self.retire, &[cta, saved as u64]);
            }
            Wish::Launch(l) if self.launch.free() => {
                let mut l = l;
                if misuse == Some(Misuse::Occupied) {
                    l.slot = line.rng.below(built) as usize;
                    l.warps |= line.rng.sprinkle(shape.all(), 100);
                }
                let noise = if line.rng.chance(900) { 0 } else { line.rng.sprinkle(shape.all(), 200) };
                self.wishes[2] = honest;
                line.offer(&mut self.launch, &[l.slot as u64, l.warps, l.exited | noise & !l.warps, l.barriers]);
            }
            _ => return false,
        }
        true
    }
}

/// Warps to misuse.
#[derive(Clone, Copy, Debug)]
pub struct Spare {
    pub absent: u64,
    pub blocked: u64,
}

pub struct Residency {
    line: Line,
    picture: Picture,
    gates: Gates,
    op: Sink,
    reset: usize,
    blocked: usize,
    clearing: usize,
    live: usize,
    clear: Duty,
}

impl Residency {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Residency {
            gates: Gates::new(&line)?,
            op: line.sink("op")?,
            reset: line.input("reset")?,
            blocked: line.input("blocked")?,
            clearing: line.input("clearing")?,
            live: line.output("live")?,
            clear: Duty::sink(&mut line.rng),
            picture: Picture::new(shape),
            line,
        })
    }

    fn choose(&mut self, live: u64) {
        let shape = self.picture.shape;
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        let blocked = inputs[self.blocked];
        let spare = Spare { absent: shape.all() & !live, blocked: shape.all() & blocked };
        let Some(wish) = self.picture.wish(rng, swarm, blocked) else {
            return;
        };
        // Arrivals and state words are none of this unit's business; they age the CTA.
        if let Wish::Arrive(_) | Wish::Read(_) | Wish::Write(_) = wish {
            self.picture.note(wish, rng, swarm);
        }
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        let wish = match misuse {
            Some(Misuse::Occupied) => {
                let warps = rng.sprinkle(shape.all(), 200);
                Wish::Launch(Launch { slot: 0, warps, exited: 0, barriers: rng.below(32) })
            }
            Some(Misuse::Empty) => Wish::Release { slot: 0, saved: rng.chance(swarm.saved) },
            Some(Misuse::Ghost | Misuse::Blocked) => Wish::Exit { slot: 0, warp: 0 },
            _ => wish,
        };
        let misuse = misuse.filter(|m| [Misuse::Occupied, Misuse::Empty, Misuse::Ghost, Misuse::Blocked].contains(m));
        self.gates.offer(&mut self.line, shape, wish, misuse, spare);
    }
}

impl Stimulus for Residency {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.line.begin(self.reset);
        self.line.drain(&mut self.op);
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        if rng.chance(swarm.change) {
            let waiting = rng.pick(&[0, 100, 500]).unwrap_or(0);
            inputs[self.blocked] = rng.sprinkle(self.picture.shape.all(), waiting);
        }
        inputs[self.clearing] = !self.clear.step(rng) as u64;
        match phase {
            Phase::Reset => {
                self.picture.clear();
                self.gates.shake(&mut self.line);
                return &self.line.inputs;
            }
            Phase::Fresh => self.gates.idle(&mut self.line),
            Phase::Run => self.gates.note(&mut self.line, &mut self.picture, previous),
        }
        if self.line.swarm.source.step(&mut self.line.rng) {
            let live = if phase == Phase::Fresh { 0 } else { previous[self.live] };
            self.choose(live);
            // More than one channel may begin in the same cycle.
            while self.line.rng.chance(300) {
                self.choose(live);
            }
        }
        &self.line.inputs
    }
}
