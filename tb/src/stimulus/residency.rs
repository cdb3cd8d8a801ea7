// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `residency`: launches, exits and retirements against an operation port that stalls, with `blocked` and
//! `clearing` as the barriers would drive them, or at random.

use super::line::{Line, Offer, Phase, Sink};
use super::picture::Picture;
use super::swarm::{Duty, Misuse};
use super::wish::{any_slot, Launch, Wish};
use super::{Shape, Stimulus, StimulusError};
use bcu_hw::unit::op::OpKind;

/// Fields of the three channels.
pub const LAUNCH: [&str; 10] = ["cta", "warps", "exited", "barriers", "lanes", "cluster", "rank", "size", "of_grid", "grid"];
pub const RETIRE: [&str; 2] = ["cta", "saved"];
pub const EXIT: [&str; 2] = ["warp", "lanes"];

/// The three channels into `residency`, alone or in the whole unit.
pub struct Gates {
    pub launch: Offer,
    pub retire: Offer,
    pub exit: Offer,
    /// What the offers mean if they make sense, and their lanes.
    wishes: [Option<(Wish, u64)>; 3],
    /// The launch that was taken in the cycle before, if it makes sense.
    fresh: Option<Launch>,
    /// Chance that something follows it at once.
    haste: u64,
}

impl Gates {
    pub fn new(line: &mut Line) -> Result<Self, StimulusError> {
        let (launch, retire) = (line.channel("launch", &LAUNCH)?, line.channel("retire", &RETIRE)?);
        let haste = line.rng.pick(&[0, 0, 100, 400]).unwrap_or(0);
        Ok(Gates { launch, retire, exit: line.channel("exit", &EXIT)?, wishes: [None; 3], fresh: None, haste })
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
            Some((Wish::Exit { warp, .. }, _)) => 1 << warp,
            _ => 0,
        }
    }

    /// What was taken in the cycle before and makes sense, with its lanes, in the order in which the unit handles it.
    pub fn taken(&mut self, line: &mut Line, outputs: &[u64]) -> Vec<(Wish, u64)> {
        let mut taken = vec![];
        for (channel, wish) in [&mut self.exit, &mut self.retire, &mut self.launch].into_iter().zip(&mut self.wishes) {
            if channel.taken(outputs) {
                line.idle(channel);
                taken.extend(wish.take());
            }
        }
        self.fresh = taken.iter().find_map(|(wish, _)| if let Wish::Launch(launch) = wish { Some(*launch) } else { None });
        taken
    }

    /// Offers, now and then, a retirement or an exit of the CTA whose launch was taken in the cycle before.
    pub fn follow(&mut self, line: &mut Line, shape: Shape, spare: Spare) {
        let Some(launch) = self.fresh.filter(|_| line.rng.chance(self.haste)) else { return };
        if line.rng.chance(600) {
            let saved = line.rng.chance(300) && !launch.place.binds(shape);
            self.offer(line, shape, Wish::Release { slot: launch.slot, saved }, 0, None, spare);
        }
        if let Some(warp) = line.rng.bit(launch.warps & !launch.exited).filter(|_| line.rng.chance(400)) {
            self.offer(line, shape, Wish::Exit { slot: launch.slot, warp: warp as usize }, u64::MAX, None, spare);
        }
    }

    /// Offers an exit and a launch that are wrong, beside a retirement.
    pub fn all(&mut self, line: &mut Line, shape: Shape, launch: Option<Launch>, spare: Spare) {
        let lanes = line.rng.draw();
        if let Some(launch) = launch {
            self.offer(line, shape, Wish::Launch(launch), lanes, Some(Misuse::Occupied), spare);
        }
        self.offer(line, shape, Wish::Exit { slot: 0, warp: 0 }, lanes, Some(Misuse::Ghost), spare);
    }

    /// Offers an exit of `lanes`, a retirement or a launch with `lanes` in its last warp, spoiled as `misuse` says, if its channel
    /// is free.
    pub fn offer(&mut self, line: &mut Line, shape: Shape, wish: Wish, lanes: u64, misuse: Option<Misuse>, spare: Spare) {
        let honest = misuse.is_none().then_some((wish, lanes));
        match wish {
            Wish::Exit { warp, .. } if self.exit.free() => {
                let warp = match misuse {
                    Some(Misuse::Ghost) => line.rng.bit(spare.absent).unwrap_or(warp),
                    Some(Misuse::Blocked) => line.rng.bit(spare.blocked).unwrap_or(warp),
                    _ => warp,
                };
                self.wishes[0] = honest;
                line.offer(&mut self.exit, &[warp as u64, lanes]);
            }
            Wish::Release { slot, saved } if self.retire.free() => {
                let cta = if misuse == Some(Misuse::Empty) { any_slot(&mut line.rng, shape) } else { slot as u64 };
                self.wishes[1] = honest;
                line.offer(&mut self.retire, &[cta, saved as u64]);
            }
            Wish::Launch(l) if self.launch.free() => {
                let noise = if line.rng.chance(900) { 0 } else { line.rng.sprinkle(shape.all(), 200) };
                self.wishes[2] = honest;
                let [cluster, rank, size] = l.place.seat;
                let exited = l.exited | noise & !l.warps;
                let (of_grid, grid) = (u64::from(l.place.grid.is_some()), l.place.grid.unwrap_or_else(|| line.rng.draw()));
                let values = [l.slot as u64, l.warps, exited, l.barriers, lanes, cluster, rank, size, of_grid, grid];
                line.offer(&mut self.launch, &values);
            }
            _ => (),
        }
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
    front: usize,
    clearing: usize,
    launching: usize,
    live: usize,
    clear: Duty,
    /// No launch is on its way.
    clear_way: Duty,
    /// Of the operation port: ready, then valid, kind, fault and warp.
    op_ready: usize,
    seen: [usize; 4],
    /// valid and warp.
    gone: [usize; 2],
    in_flight: usize,
    copying: usize,
    flushed: Flush,
    /// Warps whose last lanes are on their way out.
    due: Vec<u64>,
    /// Chance that an exit is of some lanes only, and that a warp goes out of turn.
    piecewise: u64,
    astray: u64,
}

impl Residency {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Residency {
            gates: Gates::new(&mut line)?,
            op: line.sink("op")?,
            reset: line.input("reset")?,
            blocked: line.input("blocked")?,
            front: line.input("front")?,
            clearing: line.input("clearing")?,
            launching: line.input("launching")?,
            live: line.output("live")?,
            clear: Duty::sink(&mut line.rng),
            clear_way: Duty::sink(&mut line.rng),
            op_ready: line.input("op_ready")?,
            seen: [line.output("op_valid")?, line.output("op_kind")?, line.output("op_fault")?, line.output("op_warp")?],
            gone: [line.input("gone_valid")?, line.input("gone_warp")?],
            in_flight: line.input("in_flight")?,
            copying: line.input("copying")?,
            flushed: Flush::new(&mut line)?,
            due: vec![],
            piecewise: line.rng.pick(&[0, 0, 500]).unwrap_or(0),
            astray: line.rng.pick(&[0, 0, 10, 100]).unwrap_or(0),
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
        if let Wish::Arrive(_) | Wish::Read(_) | Wish::Write(_) | Wish::Fence { .. } = wish {
            self.picture.note(wish, rng, swarm);
        }
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        let wish = match misuse {
            Some(Misuse::Occupied) => Wish::Launch(Launch::anywhere(rng, shape)),
            Some(Misuse::Empty) => Wish::Release { slot: 0, saved: rng.chance(swarm.saved) },
            Some(Misuse::Ghost | Misuse::Blocked) => Wish::Exit { slot: 0, warp: 0 },
            _ => wish,
        };
        let misuse = misuse.filter(|m| [Misuse::Occupied, Misuse::Empty, Misuse::Ghost, Misuse::Blocked].contains(m));
        let any = self.line.rng.draw();
        let lanes = self.line.rng.pick(&[any, any, any, 0]).unwrap_or(any);
        self.gates.offer(&mut self.line, shape, wish, lanes, misuse, spare);
    }

    /// Drives `gone`: the warp of an exit that was passed on goes some time later, in order.
    fn go(&mut self, phase: Phase, previous: &[u64]) {
        let Line { rng, inputs, swarm, .. } = &mut self.line;
        if phase != Phase::Run {
            self.due.clear();
        } else {
            let [valid, kind, fault, warp] = self.seen.map(|at| previous[at]);
            let goes = valid == 1 && inputs[self.op_ready] == 1 && kind == OpKind::Exit as u64 && fault == 0;
            self.due.extend((goes && !rng.chance(self.piecewise)).then_some(warp));
        }
        let idle = if swarm.noise { rng.below(self.picture.shape.warps) } else { inputs[self.gone[1]] };
        let gone = if !self.due.is_empty() && rng.chance(400) {
            Some(self.due.remove(0))
        } else {
            rng.chance(self.astray).then(|| rng.below(self.picture.shape.warps))
        };
        inputs[self.gone[0]] = gone.is_some() as u64;
        inputs[self.gone[1]] = gone.unwrap_or(idle);
    }
}

/// What `mbarrier` would say: that nothing is left there of a CTA that left, some time after its release was offered.
struct Flush {
    /// Of the operation port: valid, kind, fault, CTA slot.
    seen: [usize; 4],
    ready: usize,
    /// valid and CTA slot.
    strobe: [usize; 2],
    due: Vec<u64>,
    /// In thousandths per cycle: chance that one is flushed, and that a slot is out of turn.
    soon: u64,
    astray: u64,
}

impl Flush {
    fn new(line: &mut Line) -> Result<Self, StimulusError> {
        Ok(Flush {
            seen: [line.output("op_valid")?, line.output("op_kind")?, line.output("op_fault")?, line.output("op_cta")?],
            ready: line.input("op_ready")?,
            strobe: [line.input("flushed_valid")?, line.input("flushed_cta")?],
            due: vec![],
            soon: line.rng.pick(&[10, 200, 1000]).unwrap_or(1000),
            astray: line.rng.pick(&[0, 0, 0, 10]).unwrap_or(0),
        })
    }

    fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64], shape: Shape) {
        let Line { rng, inputs, swarm, .. } = line;
        if phase != Phase::Run {
            self.due.clear();
        } else {
            let [valid, kind, fault, cta] = self.seen.map(|at| previous[at]);
            let leaves = valid == 1 && inputs[self.ready] == 1 && kind == OpKind::Release as u64 && fault == 0;
            self.due.extend(leaves.then_some(cta));
        }
        let idle = if swarm.noise { rng.below(shape.slots) } else { inputs[self.strobe[1]] };
        // In any order: an empty slot has nothing to flush.
        let next = if rng.chance(self.soon) { (!self.due.is_empty()).then(|| rng.below(self.due.len() as u64)) } else { None };
        let flushed = next.map(|at| self.due.remove(at as usize));
        let flushed = flushed.or_else(|| rng.chance(self.astray).then(|| rng.below(shape.slots)));
        inputs[self.strobe[0]] = flushed.is_some() as u64;
        inputs[self.strobe[1]] = flushed.unwrap_or(idle);
    }
}

impl Stimulus for Residency {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.line.begin(self.reset);
        self.go(phase, previous);
        self.flushed.drive(&mut self.line, phase, previous, self.picture.shape);
        self.line.drain(&mut self.op);
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        if rng.chance(swarm.change) {
            let waiting = rng.pick(&[0, 100, 500]).unwrap_or(0);
            inputs[self.blocked] = rng.sprinkle(self.picture.shape.all(), waiting);
            let entering = rng.pick(&[0, 0, 100, 500]).unwrap_or(0);
            inputs[self.front] = rng.sprinkle(self.picture.shape.all(), entering);
            let flying = rng.pick(&[0, 0, 100, 500]).unwrap_or(0);
            inputs[self.copying] = rng.sprinkle(u64::MAX >> (64 - self.picture.shape.slots), flying);
            inputs[self.in_flight] = rng.sprinkle(self.picture.shape.all(), flying);
        }
        inputs[self.clearing] = !self.clear.step(rng) as u64;
        inputs[self.launching] = !self.clear_way.step(rng) as u64;
        match phase {
            Phase::Reset => {
                self.picture.clear();
                self.gates.shake(&mut self.line);
                return &self.line.inputs;
            }
            Phase::Fresh => self.gates.idle(&mut self.line),
            Phase::Run => {
                let taken = self.gates.taken(&mut self.line, previous);
                let Line { rng, swarm, .. } = &mut self.line;
                taken.into_iter().for_each(|(wish, _)| self.picture.note(wish, rng, swarm));
            }
        }
        if self.line.swarm.source.step(&mut self.line.rng) {
            let live = if phase == Phase::Fresh { 0 } else { previous[self.live] };
            self.gates.follow(&mut self.line, self.picture.shape, Spare { absent: 0, blocked: 0 });
            self.choose(live);
            // More than one channel may begin in the same cycle.
            while self.line.rng.chance(300) {
                self.choose(live);
            }
        }
        &self.line.inputs
    }
}
