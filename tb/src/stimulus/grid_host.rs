// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A host, which opens and closes grids with prerequisites, and a memory, which performs the flushes.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::Duty;
use super::Rng;

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    /// Mask of the grid slots in use.
    grids: u64,
    open: u64,
    close: u64,
    /// Minimum and maximum number of CTAs of a grid.
    ctas: [u64; 2],
    /// Probability that a grid is a prerequisite of a new grid.
    depends: u64,
    /// Probability that a grid may be launched early.
    early: u64,
    /// Probability that a requested flush is done.
    flush: u64,
    /// Probability of a request that the unit refuses.
    misuse: u64,
    /// Probability that a promise is broken.
    wild: u64,
}

impl Profile {
    fn draw(driver: &mut Driver, shape: Shape) -> Self {
        let (misuse, wild) = (driver.swarm.misuse, driver.swarm.broken);
        let rng = &mut driver.rng;
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let few = rng.range(1, 3);
        let all_grids = u64::MAX >> (64 - shape.grids.clamp(1, 64));
        Profile {
            grids: if rng.chance(300) { rng.subset(all_grids, few) } else { all_grids },
            open: pick(rng, &[10, 100, 1000]),
            close: pick(rng, &[10, 100, 1000]),
            ctas: rng.pick(&[[1, 1], [1, 4], [1, 20], [10, 60], [1, 300]]).unwrap_or([1, 1]),
            depends: pick(rng, &[0, 200, 500, 1000]),
            early: pick(rng, &[0, 500, 1000]),
            flush: pick(rng, &[10, 100, 1000]),
            misuse,
            wild,
        }
    }
}

pub struct Host {
    profile: Profile,
    shape: Shape,
    /// Ports of the strobe: `valid`, `grid`.
    flushed: [usize; 2],
    /// Ports of the strobe: `valid`, `grid`, `refused`.
    opened: [usize; 3],
    /// Output ports for the open grids and for the flushed grids.
    levels: [usize; 2],
    /// Ports of the flush channel: `valid`, `ready`, `grid`.
    requested: [usize; 3],
    open: Offer,
    close: Offer,
    flush: Sink,
    opens: Duty,
    /// The number of CTAs of the grid that is offered to be opened.
    offered: u64,
    /// The number of CTAs of the grid whose open request was transferred and is not yet answered.
    offered_ctas: u64,
    /// For each grid, the number of its CTAs that are still to be launched.
    pub unlaunched: Vec<u64>,
    /// Grids whose flush was requested and is not done.
    flushing: Vec<u64>,
}

impl Host {
    pub fn new(driver: &mut Driver, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Host {
            flushed: [driver.input("flushed_valid")?, driver.input("flushed_grid")?],
            opened: [driver.output("opened_valid")?, driver.output("opened_grid")?, driver.output("opened_refused")?],
            levels: [driver.output("open_grids")?, driver.output("flushed_grids")?],
            requested: [driver.output("flush_valid")?, driver.input("flush_ready")?, driver.output("flush_grid")?],
            open: driver.channel("open", &["grid", "ctas", "prerequisites", "early"])?,
            close: driver.channel("close", &["grid"])?,
            flush: driver.sink("flush")?,
            opens: Duty::source(&mut driver.rng),
            profile: Profile::draw(driver, shape),
            offered: 0,
            offered_ctas: 0,
            unlaunched: vec![0; shape.grids as usize],
            flushing: vec![],
            shape,
        })
    }

    /// The grid that the unit reported as opened in the previous cycle, if any.
    pub fn has_opened(&self, previous: &[u64]) -> Option<usize> {
        let [valid, grid, refused] = self.opened.map(|port| previous[port]);
        (valid == 1 && refused == 0).then_some(grid as usize)
    }

    /// Drives the inputs of the next cycle. `driver.inputs` must still hold the inputs of the previous cycle.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        let mut levels = [0; 2];
        match phase {
            Phase::Reset => {
                self.unlaunched.iter_mut().for_each(|unlaunched| *unlaunched = 0);
                self.flushing.clear();
                driver.drain(&mut self.flush);
                driver.shake(&mut self.open);
                driver.shake(&mut self.close);
                driver.inputs[self.flushed[0]] = driver.rng.below(2);
                return;
            }
            Phase::Fresh => {
                driver.idle(&mut self.open);
                driver.idle(&mut self.close);
            }
            Phase::Run => {
                self.look(driver, previous);
                levels = self.levels.map(|port| previous[port]);
            }
        }
        let [open, flushed] = levels;
        let flushing = self.flushing.iter().fold(0, |mask, grid| mask | 1 << grid);
        driver.drain(&mut self.flush);
        self.ask(driver, open | flushing | flushed, flushed);
        self.memory(driver);
    }

    /// Evaluates the unit's outputs of the previous cycle.
    fn look(&mut self, driver: &Driver, previous: &[u64]) {
        if let Some(grid) = self.has_opened(previous) {
            self.unlaunched[grid] = self.offered_ctas;
        }
        if self.open.was_taken(previous) {
            self.offered_ctas = self.offered;
        }
        self.close.was_taken(previous);
        let [valid, ready, grid] = self.requested;
        if previous[valid] == 1 && driver.inputs[ready] == 1 {
            self.flushing.push(previous[grid]);
        }
    }

    /// Offers a request of the host: `used` are the grids in use, `flushed` the flushed grids.
    fn ask(&mut self, driver: &mut Driver, used: u64, flushed: u64) {
        let Driver { rng, .. } = driver;
        let profile = &self.profile;
        let bad = rng.chance(profile.misuse);
        let grid = rng.bit(profile.grids & if bad { u64::MAX } else { !used });
        let grid = grid.filter(|_| self.opens.allows_event(rng) && rng.chance(profile.open));
        match grid {
            Some(grid) => {
                let [least, most] = profile.ctas;
                let ctas = if bad && rng.chance(300) { 0 } else { rng.range(least, most) };
                let huge = rng.chance(profile.wild) && rng.chance(100);
                let ctas = if huge { u64::from(u32::MAX) } else { ctas };
                let candidates = if rng.chance(200) { u64::MAX >> (64 - self.shape.grids) } else { used };
                let prerequisites = rng.sprinkle(candidates, profile.depends);
                let early = u64::from(rng.chance(profile.early));
                self.offered = ctas;
                driver.offer(&mut self.open, &[grid as u64, ctas, prerequisites, early]);
            }
            None => driver.idle(&mut self.open),
        }
        let Driver { rng, .. } = driver;
        let bad = rng.chance(profile.misuse);
        let grid = rng.bit(profile.grids & if bad { u64::MAX } else { flushed }).filter(|_| rng.chance(profile.close));
        match grid {
            Some(grid) => driver.offer(&mut self.close, &[grid as u64]),
            None => driver.idle(&mut self.close),
        }
    }

    /// Drives the strobe by which memory reports a flush as done.
    fn memory(&mut self, driver: &mut Driver) {
        let Driver { rng, swarm, inputs, .. } = driver;
        let done = rng.chance(self.profile.flush) && !self.flushing.is_empty();
        let done = done.then(|| self.flushing.swap_remove(rng.below(self.flushing.len() as u64) as usize));
        let done = if rng.chance(self.profile.wild / 2) { Some(rng.below(self.shape.grids)) } else { done };
        let [valid, grid] = self.flushed;
        inputs[valid] = u64::from(done.is_some());
        if done.is_some() || swarm.noise {
            inputs[grid] = done.unwrap_or_else(|| rng.below(self.shape.grids));
        }
    }
}
