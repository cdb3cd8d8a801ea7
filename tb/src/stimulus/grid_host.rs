// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A host that opens grids which depend on each other and closes them, and a memory that is flushed.

use super::line::{Line, Offer, Phase, Sink};
use super::swarm::Duty;
use super::{Rng, Shape, StimulusError};

/// What a seed does; chances are in thousandths per cycle.
struct Habits {
    /// Grids in play.
    grids: u64,
    open: u64,
    close: u64,
    /// CTAs of a grid: least and most.
    ctas: [u64; 2],
    /// Chance of each grid to be a prerequisite, and that a grid may be launched early.
    depends: u64,
    early: u64,
    /// Chance that a flush is done.
    flush: u64,
    /// Requests that are refused.
    misuse: u64,
    /// Promises are broken.
    wild: u64,
}

impl Habits {
    fn draw(line: &mut Line, shape: Shape) -> Self {
        let (misuse, wild) = (line.swarm.misuse, line.swarm.broken);
        let rng = &mut line.rng;
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let few = rng.range(1, 3);
        let all = u64::MAX >> (64 - shape.grids.clamp(1, 64));
        Habits {
            grids: if rng.chance(300) { rng.subset(all, few) } else { all },
            open: one(rng, &[10, 100, 1000]),
            close: one(rng, &[10, 100, 1000]),
            ctas: rng.pick(&[[1, 1], [1, 4], [1, 20], [10, 60], [1, 300]]).unwrap_or([1, 1]),
            depends: one(rng, &[0, 200, 500, 1000]),
            early: one(rng, &[0, 500, 1000]),
            flush: one(rng, &[10, 100, 1000]),
            misuse,
            wild,
        }
    }
}

pub struct Host {
    habits: Habits,
    shape: Shape,
    /// valid, grid.
    flushed: [usize; 2],
    /// valid, grid, refused.
    opened: [usize; 3],
    /// The grids that are open, and those that are flushed.
    levels: [usize; 2],
    /// valid, ready, grid.
    requested: [usize; 3],
    open: Offer,
    close: Offer,
    flush: Sink,
    opens: Duty,
    /// The CTAs of the grid that is offered, of the one that waits for its answer; of each that were not launched yet.
    offered: u64,
    asked: u64,
    pub left: Vec<u64>,
    /// Grids whose flush was requested.
    flushing: Vec<u64>,
}

impl Host {
    pub fn new(line: &mut Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Host {
            flushed: [line.input("flushed_valid")?, line.input("flushed_grid")?],
            opened: [line.output("opened_valid")?, line.output("opened_grid")?, line.output("opened_refused")?],
            levels: [line.output("open_grids")?, line.output("flushed_grids")?],
            requested: [line.output("flush_valid")?, line.input("flush_ready")?, line.output("flush_grid")?],
            open: line.channel("open", &["grid", "ctas", "prerequisites", "early"])?,
            close: line.channel("close", &["grid"])?,
            flush: line.sink("flush")?,
            opens: Duty::source(&mut line.rng),
            habits: Habits::draw(line, shape),
            offered: 0,
            asked: 0,
            left: vec![0; shape.grids as usize],
            flushing: vec![],
            shape,
        })
    }

    /// The grid that the unit has shown as opened.
    pub fn has_opened(&self, previous: &[u64]) -> Option<usize> {
        let [valid, grid, refused] = self.opened.map(|port| previous[port]);
        (valid == 1 && refused == 0).then_some(grid as usize)
    }

    /// The next cycle; called before the inputs of the last one change.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64]) {
        let mut levels = [0; 2];
        match phase {
            Phase::Reset => {
                self.left.iter_mut().for_each(|left| *left = 0);
                self.flushing.clear();
                line.drain(&mut self.flush);
                line.shake(&mut self.open);
                line.shake(&mut self.close);
                line.inputs[self.flushed[0]] = line.rng.below(2);
                return;
            }
            Phase::Fresh => {
                line.idle(&mut self.open);
                line.idle(&mut self.close);
            }
            Phase::Run => {
                self.look(line, previous);
                levels = self.levels.map(|port| previous[port]);
            }
        }
        let [open, flushed] = levels;
        let flushing = self.flushing.iter().fold(0, |all, grid| all | 1 << grid);
        line.drain(&mut self.flush);
        self.ask(line, open | flushing | flushed, flushed);
        self.memory(line);
    }

    /// What the unit has shown in the cycle before.
    fn look(&mut self, line: &Line, previous: &[u64]) {
        if let Some(grid) = self.has_opened(previous) {
            self.left[grid] = self.asked;
        }
        if self.open.taken(previous) {
            self.asked = self.offered;
        }
        self.close.taken(previous);
        let [valid, ready, grid] = self.requested;
        if previous[valid] == 1 && line.inputs[ready] == 1 {
            self.flushing.push(previous[grid]);
        }
    }

    /// What the host asks for. `used` are the grids that are there, `flushed` those that are flushed.
    fn ask(&mut self, line: &mut Line, used: u64, flushed: u64) {
        let Line { rng, .. } = line;
        let habits = &self.habits;
        let bad = rng.chance(habits.misuse);
        let grid = rng.bit(habits.grids & if bad { u64::MAX } else { !used });
        let grid = grid.filter(|_| self.opens.step(rng) && rng.chance(habits.open));
        match grid {
            Some(grid) => {
                let [least, most] = habits.ctas;
                let ctas = if bad && rng.chance(300) { 0 } else { rng.range(least, most) };
                let huge = rng.chance(habits.wild) && rng.chance(100);
                let ctas = if huge { u64::from(u32::MAX) } else { ctas };
                let candidates = if rng.chance(200) { u64::MAX >> (64 - self.shape.grids) } else { used };
                let prerequisites = rng.sprinkle(candidates, habits.depends);
                let early = u64::from(rng.chance(habits.early));
                self.offered = ctas;
                line.offer(&mut self.open, &[grid as u64, ctas, prerequisites, early]);
            }
            None => line.idle(&mut self.open),
        }
        let Line { rng, .. } = line;
        let bad = rng.chance(habits.misuse);
        let grid = rng.bit(habits.grids & if bad { u64::MAX } else { flushed }).filter(|_| rng.chance(habits.close));
        match grid {
            Some(grid) => line.offer(&mut self.close, &[grid as u64]),
            None => line.idle(&mut self.close),
        }
    }

    /// What memory says.
    fn memory(&mut self, line: &mut Line) {
        let Line { rng, swarm, inputs, .. } = line;
        let done = rng.chance(self.habits.flush) && !self.flushing.is_empty();
        let done = done.then(|| self.flushing.swap_remove(rng.below(self.flushing.len() as u64) as usize));
        let done = if rng.chance(self.habits.wild / 2) { Some(rng.below(self.shape.grids)) } else { done };
        let [valid, grid] = self.flushed;
        inputs[valid] = u64::from(done.is_some());
        if done.is_some() || swarm.noise {
            inputs[grid] = done.unwrap_or_else(|| rng.below(self.shape.grids));
        }
    }
}
