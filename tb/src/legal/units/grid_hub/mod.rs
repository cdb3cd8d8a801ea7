// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `grid_hub`: a host opens and closes grids, multiprocessors behind links run the CTAs of the grids, and a memory
//! performs flushes.

mod checks;
use super::base::{has_base, Base, UnitUser};
use super::pins::{Drain, Offer, Pace, Shown};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, NoPort, Output};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Unused,
    Open,
    /// `Flushing`: the grid was transferred on `flush`, and the answer is outstanding. `Flushed`: the answer was given.
    Flushing,
    Flushed,
    Closing,
}

#[derive(Clone, Debug, Default)]
struct Grid {
    stage: Stage,
    ctas: u64,
    early: bool,
    /// The grid's prerequisites that are not flushed, one bit for each grid slot.
    prerequisites: u64,
    /// Number of the grid's CTAs that were launched.
    launched: u64,
    /// Number of the grid's CTAs from which the hub has received LaunchedDependents.
    issued: u64,
    /// Number of the grid's CTAs from which the hub has received Ended.
    ended: u64,
    is_told: bool,
    is_told_ready: bool,
    /// Multiprocessors that have received Opened; one bit per multiprocessor.
    opened_at: u64,
    /// The cycle in which memory answers the grid's `flush`.
    answer: u64,
    /// Numbers of cycles for which the following have been due: Opened, Ready, the grid's bit in `may_launch`, and the grid's flush.
    idle: [u64; 4],
}

/// A CTA on a multiprocessor.
#[derive(Clone, Copy, Debug)]
struct Cta {
    grid: usize,
    sm: usize,
    has_issued: bool,
}

#[derive(Clone, Debug, Default)]
struct Link {
    up: VecDeque<(u64, [u64; 2])>,
    down: VecDeque<(u64, [u64; 2])>,
    latency: u64,
}

pub struct GridHubUser {
    rng: Rng,
    base: Base,
    from: Vec<Offer>,
    to: Vec<Shown<2>>,
    links: Vec<Link>,
    grids: Vec<Grid>,
    ctas: Vec<Cta>,
    open: Offer,
    opening: Option<(usize, Grid)>,
    close: Offer,
    closing: Option<usize>,
    opened: Shown<2>,
    closed: Shown<2>,
    expected_open: Option<[u64; 2]>,
    expected_close: Option<[u64; 2]>,
    flush: Drain<1>,
    flush_pace: Pace,
    flushed: Offer,
    /// `may_launch`, `open_grids`, `flushed_grids`.
    levels: [Output; 3],
    activity: u64,
    latency: u64,
}

impl GridHubUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<GridHubUser, NoPort> {
        let mut rng = Rng::new(seed, "legal grid_hub");
        let from = (0..shape.sms).map(|sm| Offer::strobe(ports, &format!("from_{sm}"), &["kind", "grid"]));
        let to = (0..shape.sms).map(|sm| Shown::new(ports, &format!("to_{sm}"), ["kind", "grid"]));
        let link = |rng: &mut Rng| Link { latency: rng.pick(&[0, 1, 5, 60]).unwrap_or(0), ..Link::default() };
        Ok(GridHubUser {
            base: Base::new(ports, &mut rng)?,
            from: from.collect::<Result<_, _>>()?,
            to: to.collect::<Result<_, _>>()?,
            links: (0..shape.sms).map(|_| link(&mut rng)).collect(),
            grids: vec![Grid::default(); shape.grids as usize],
            ctas: vec![],
            open: Offer::new(ports, "open", &["grid", "ctas", "prerequisites", "early"])?,
            opening: None,
            close: Offer::new(ports, "close", &["grid"])?,
            closing: None,
            opened: Shown::new(ports, "opened", ["grid", "refused"])?,
            closed: Shown::new(ports, "closed", ["grid", "refused"])?,
            expected_open: None,
            expected_close: None,
            flush: Drain::new(ports, "flush", ["grid"])?,
            flush_pace: Pace::draw(&mut rng),
            flushed: Offer::strobe(ports, "flushed", &["grid"])?,
            levels: [ports.output("may_launch")?, ports.output("open_grids")?, ports.output("flushed_grids")?],
            activity: rng.pick(&[20, 200, 800]).unwrap_or(20),
            latency: rng.pick(&[0, 10, 100]).unwrap_or(0),
            rng,
        })
    }

    /// Simulates the host, which opens a free grid slot and closes a flushed grid.
    fn host(&mut self, outputs: &[u64], answered: Option<usize>) {
        self.open.begin(&mut self.base.pins);
        self.close.begin(&mut self.base.pins);
        let number = self.rng.below(self.grids.len() as u64) as usize;
        // The Opened message of the previous grid in this grid slot must have arrived everywhere before the slot is used again.
        let arrived = self.links.iter().all(|link| link.down.iter().all(|(_, [_, grid])| *grid as usize != number));
        if !self.open.is_pending() && self.grids[number].stage == Stage::Unused && arrived && self.rng.chance(100) {
            let ctas = self.rng.range(1, 20);
            let prerequisites = self.rng.sprinkle((1 << self.grids.len()) - 1, 400) & !(1 << number);
            let early = self.rng.chance(600);
            self.open.put(&mut self.base.pins, &[number as u64, ctas, prerequisites, early.into()]);
            self.opening = Some((number, Grid { stage: Stage::Open, ctas, early, prerequisites, ..Grid::default() }));
        }
        let number = self.rng.below(self.grids.len() as u64) as usize;
        if !self.close.is_pending() && self.grids[number].stage == Stage::Flushed && self.rng.chance(100) {
            self.close.put(&mut self.base.pins, &[number as u64]);
            self.grids[number].stage = Stage::Closing;
            self.closing = Some(number);
        }
        if let (true, Some((number, mut grid))) = (self.open.take(outputs), self.opening.take()) {
            let runs = |prerequisite: &usize| {
                matches!(self.grids[*prerequisite].stage, Stage::Open | Stage::Flushing) && answered != Some(*prerequisite)
            };
            grid.prerequisites &= (0..self.grids.len()).filter(runs).fold(0, |mask, prerequisite| mask | 1 << prerequisite);
            self.grids[number] = grid;
            self.expected_open = Some([number as u64, 0]);
        }
        if let (true, Some(number)) = (self.close.take(outputs), self.closing.take()) {
            self.grids[number].stage = Stage::Unused;
            self.expected_close = Some([number as u64, 0]);
        }
    }

    /// Simulates the memory that performs flushes; returns the grid whose flush is answered in this cycle.
    fn memory(&mut self, outputs: &[u64]) -> Option<usize> {
        let cycle = self.base.ledger.cycle;
        self.flushed.take(&[]);
        self.flushed.begin(&mut self.base.pins);
        let due = (0..self.grids.len())
            .filter(|grid| self.grids[*grid].stage == Stage::Flushing && self.grids[*grid].answer <= cycle);
        let due: Vec<usize> = due.collect();
        let answered = self.rng.pick(&due);
        if let Some(number) = answered {
            self.flushed.put(&mut self.base.pins, &[number as u64]);
        }
        let ready = self.flush_pace.allows_event(&mut self.rng);
        if let Some([number]) = self.flush.drive(&mut self.base.pins, outputs, ready) {
            let grid = &mut self.grids[number as usize];
            if grid.stage != Stage::Open || grid.ended < grid.ctas {
                let grid = grid.clone();
                self.base.ledger.fail(|| format!("grid {number} is to be flushed: {grid:?}"));
            }
            let grid = &mut self.grids[number as usize];
            grid.stage = Stage::Flushing;
            grid.answer = cycle + 1 + self.rng.below(self.latency + 1);
            self.base.ledger.count("flushes");
        }
        answered
    }

    /// Simulates the CTAs, which launch, issue launch_dependents and end, and delivers the messages of the links in order.
    fn multiprocessors(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        let may_launch = self.levels[0].read(outputs);
        for sm in 0..self.links.len() {
            let number = self.rng.below(self.grids.len() as u64) as usize;
            let grid = &mut self.grids[number];
            let may = may_launch >> number & 1 == 1
                && grid.opened_at >> sm & 1 == 1
                && grid.stage == Stage::Open
                && grid.launched < grid.ctas;
            if may && self.ctas.iter().filter(|cta| cta.sm == sm).count() < 16 && self.rng.chance(self.activity) {
                grid.launched += 1;
                self.ctas.push(Cta { grid: number, sm, has_issued: false });
                self.base.ledger.count("CTAs");
            }
            let mine: Vec<usize> = (0..self.ctas.len()).filter(|cta| self.ctas[*cta].sm == sm).collect();
            if let Some(place) = self.rng.pick(&mine).filter(|_| self.rng.chance(self.activity)) {
                let cta = self.ctas[place];
                let kind = u64::from(cta.has_issued);
                match cta.has_issued {
                    true => drop(self.ctas.swap_remove(place)),
                    false => self.ctas[place].has_issued = true,
                }
                let link = &mut self.links[sm];
                link.up.push_back((cycle + self.rng.below(link.latency + 1), [kind, cta.grid as u64]));
            }
            self.from[sm].take(&[]);
            self.from[sm].begin(&mut self.base.pins);
            let link = &mut self.links[sm];
            if let Some((_, [kind, number])) = link.up.pop_front_if(|(due, _)| *due <= cycle) {
                self.from[sm].put(&mut self.base.pins, &[kind, number]);
                let grid = &mut self.grids[number as usize];
                *(if kind == 0 { &mut grid.issued } else { &mut grid.ended }) += 1;
                self.base.ledger.count("messages");
            }
            if let Some((_, [0, number])) = link.down.pop_front_if(|(due, _)| *due <= cycle) {
                self.grids[number as usize].opened_at |= 1 << sm;
            }
        }
    }
}

impl UnitUser for GridHubUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        let answered = self.memory(outputs);
        self.host(outputs, answered);
        self.multiprocessors(outputs);
        if let Some(number) = answered {
            self.grids[number].stage = Stage::Flushed;
            self.grids.iter_mut().for_each(|grid| grid.prerequisites &= !(1 << number));
        }
    }
}
