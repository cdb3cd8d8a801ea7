// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `grid_hub`: a host that opens grids which depend on each other and closes them, multiprocessors that execute their CTAs, and a memory
//! that is flushed.

use super::line::{Line, Offer, Phase, Sink};
use super::swarm::Duty;
use super::{Rng, Shape, Stimulus, StimulusError};
use bcu_hw::unit::grid::ports::GridMessageKind;

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
    /// CTAs that a multiprocessor holds at most; of each, chances that one comes, issues, ends.
    most: usize,
    launch: u64,
    issue: u64,
    end: u64,
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
            most: one(rng, &[1, 4, 32]) as usize,
            launch: one(rng, &[50, 500, 1000]),
            issue: one(rng, &[20, 300, 1000]),
            end: one(rng, &[20, 300, 1000]),
            flush: one(rng, &[10, 100, 1000]),
            misuse,
            wild,
        }
    }
}

/// A CTA on a multiprocessor.
#[derive(Clone, Copy)]
struct Cta {
    grid: usize,
    issued: bool,
}

/// Where the ports are.
struct Places {
    reset: usize,
    /// valid, kind, grid of each multiprocessor.
    from: Vec<[usize; 3]>,
    /// valid, grid.
    flushed: [usize; 2],
    /// valid, grid, refused.
    opened: [usize; 3],
    may_launch: usize,
    open_grids: usize,
    flushed_grids: usize,
    /// valid, ready, grid.
    flush: [usize; 3],
}

pub struct GridHub {
    line: Line,
    habits: Habits,
    shape: Shape,
    at: Places,
    open: Offer,
    close: Offer,
    flush: Sink,
    opens: Duty,
    /// The CTAs of the grid that is offered, of the one that waits for its answer; of each that were not launched yet.
    offered: u64,
    asked: u64,
    left: Vec<u64>,
    sms: Vec<Vec<Cta>>,
    /// Grids whose flush was requested.
    flushing: Vec<u64>,
}

impl GridHub {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        let from = |sm: u64| {
            let [valid, kind, grid] = ["valid", "kind", "grid"].map(|part| line.input(&format!("from_{sm}_{part}")));
            Ok::<_, StimulusError>([valid?, kind?, grid?])
        };
        let at = Places {
            reset: line.input("reset")?,
            from: (0..shape.sms).map(from).collect::<Result<_, _>>()?,
            flushed: [line.input("flushed_valid")?, line.input("flushed_grid")?],
            opened: [line.output("opened_valid")?, line.output("opened_grid")?, line.output("opened_refused")?],
            may_launch: line.output("may_launch")?,
            open_grids: line.output("open_grids")?,
            flushed_grids: line.output("flushed_grids")?,
            flush: [line.output("flush_valid")?, line.input("flush_ready")?, line.output("flush_grid")?],
        };
        Ok(GridHub {
            at,
            open: line.channel("open", &["grid", "ctas", "prerequisites", "early"])?,
            close: line.channel("close", &["grid"])?,
            flush: line.sink("flush")?,
            opens: Duty::source(&mut line.rng),
            habits: Habits::draw(&mut line, shape),
            offered: 0,
            asked: 0,
            left: vec![0; shape.grids as usize],
            sms: vec![vec![]; shape.sms as usize],
            flushing: vec![],
            shape,
            line,
        })
    }

    fn forget(&mut self) {
        self.left.iter_mut().for_each(|left| *left = 0);
        self.sms.iter_mut().for_each(Vec::clear);
        self.flushing.clear();
    }

    /// What the unit has shown in the cycle before.
    fn look(&mut self, previous: &[u64]) {
        let [valid, grid, refused] = self.at.opened.map(|port| previous[port]);
        if valid == 1 && refused == 0 {
            self.left[grid as usize] = self.asked;
        }
        if self.open.taken(previous) {
            self.asked = self.offered;
        }
        self.close.taken(previous);
        let [valid, ready, grid] = self.at.flush;
        if previous[valid] == 1 && self.line.inputs[ready] == 1 {
            self.flushing.push(previous[grid]);
        }
    }

    /// What the host asks for. `used` are the grids that are there, `flushed` those that are flushed.
    fn host(&mut self, used: u64, flushed: u64) {
        let Line { rng, .. } = &mut self.line;
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
                self.line.offer(&mut self.open, &[grid as u64, ctas, prerequisites, early]);
            }
            None => self.line.idle(&mut self.open),
        }
        let Line { rng, .. } = &mut self.line;
        let bad = rng.chance(habits.misuse);
        let grid = rng.bit(habits.grids & if bad { u64::MAX } else { flushed }).filter(|_| rng.chance(habits.close));
        match grid {
            Some(grid) => self.line.offer(&mut self.close, &[grid as u64]),
            None => self.line.idle(&mut self.close),
        }
    }

    /// What the multiprocessors do.
    fn execute(&mut self, may_launch: u64) {
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        let habits = &self.habits;
        for (ctas, places) in self.sms.iter_mut().zip(&self.at.from) {
            let left = &mut self.left;
            let waiting = (0..left.len()).filter(|grid| left[*grid] > 0).fold(0, |all: u64, grid| all | 1 << grid);
            if let Some(grid) = rng.bit(waiting & may_launch).filter(|_| rng.chance(habits.launch)) {
                if ctas.len() < habits.most {
                    left[grid] -= 1;
                    ctas.push(Cta { grid, issued: false });
                }
            }
            let at = rng.below(ctas.len() as u64) as usize;
            let mut message = None;
            if let Some(cta) = ctas.get_mut(at) {
                if !cta.issued && rng.chance(habits.issue) {
                    cta.issued = true;
                    message = Some((GridMessageKind::Issued, cta.grid as u64));
                } else if cta.issued && rng.chance(habits.end) {
                    message = Some((GridMessageKind::Ended, cta.grid as u64));
                    ctas.swap_remove(at);
                }
            }
            if rng.chance(habits.wild / 10) {
                message = rng.pick(GridMessageKind::ALL).map(|kind| (kind, rng.below(self.shape.grids)));
            }
            let [valid, kind, grid] = *places;
            inputs[valid] = u64::from(message.is_some());
            if message.is_some() || swarm.noise {
                let any = (GridMessageKind::Issued, rng.below(self.shape.grids));
                let (of, number) = message.unwrap_or(any);
                (inputs[kind], inputs[grid]) = (of as u64, number);
            }
        }
    }

    /// What memory says.
    fn memory(&mut self) {
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        let done = rng.chance(self.habits.flush) && !self.flushing.is_empty();
        let done = done.then(|| self.flushing.swap_remove(rng.below(self.flushing.len() as u64) as usize));
        let done = if rng.chance(self.habits.wild / 2) { Some(rng.below(self.shape.grids)) } else { done };
        let [valid, grid] = self.at.flushed;
        inputs[valid] = u64::from(done.is_some());
        if done.is_some() || swarm.noise {
            inputs[grid] = done.unwrap_or_else(|| rng.below(self.shape.grids));
        }
    }
}

impl Stimulus for GridHub {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.line.begin(self.at.reset);
        let mut levels = [0; 3];
        match phase {
            Phase::Reset => {
                self.forget();
                self.line.drain(&mut self.flush);
                self.line.shake(&mut self.open);
                self.line.shake(&mut self.close);
                let Line { rng, inputs, .. } = &mut self.line;
                let strobes = self.at.from.iter().map(|[valid, ..]| *valid).chain([self.at.flushed[0]]);
                strobes.for_each(|valid| inputs[valid] = rng.below(2));
                return &self.line.inputs;
            }
            Phase::Fresh => {
                self.line.idle(&mut self.open);
                self.line.idle(&mut self.close);
            }
            Phase::Run => {
                self.look(previous);
                levels = [self.at.may_launch, self.at.open_grids, self.at.flushed_grids].map(|port| previous[port]);
            }
        }
        let [may_launch, open, flushed] = levels;
        let flushing = self.flushing.iter().fold(0, |all, grid| all | 1 << grid);
        self.line.drain(&mut self.flush);
        self.host(open | flushing | flushed, flushed);
        self.execute(may_launch);
        self.memory();
        &self.line.inputs
    }
}
