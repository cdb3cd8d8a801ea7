// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `grid`: CTAs of grids launch and retire, their warps issue launch_dependents and waits, and the hub answers over a
//! link.

mod checks;
use super::base::{has_base, Base, UnitUser};
use super::pins::{Drain, Offer, Pace, Shown};
use super::residents::Residents;
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, NoPort, Output};

#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    is_busy: bool,
    /// The cycle since which the warp waits.
    waits: Option<u64>,
    /// The number of cycles for which the unit could have released the warp and has not done so.
    late: u64,
}

/// The state of a CTA as a member of its grid; `grid` is `None` for a CTA without a grid.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    grid: Option<u64>,
    has_asked: bool,
    has_issued: bool,
    /// The CTA's Ended message was transferred.
    is_over: bool,
    idle: u64,
}

/// The hub's state of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Unused,
    /// `Opening`: Opened is in flight. `Open`: `opened` was output. `Ready`: Ready was received.
    Opening,
    Open,
    Ready,
}

#[derive(Clone, Copy, Debug, Default)]
struct Grid {
    stage: Stage,
    /// `due`: the cycle in which the hub sends Ready. `closes`: the cycle from which this multiprocessor launches no further CTA of the
    /// grid.
    due: u64,
    closes: u64,
    gets_ready: bool,
}

pub struct GridUser {
    rng: Rng,
    base: Base,
    shape: Shape,
    residents: Residents,
    members: Vec<Member>,
    warps: Vec<Warp>,
    grids: Vec<Grid>,
    op: Offer,
    offered: (usize, usize, u64),
    launch: Offer,
    message: Offer,
    opening: Option<u64>,
    fault: Drain<3>,
    out: Drain<2>,
    standing: Option<[u64; 2]>,
    /// The grid whose Ended message was transferred in the previous cycle.
    ending: Option<u64>,
    out_pace: Pace,
    pace: Pace,
    commit: Shown<2>,
    /// Warps whose operation was transferred, with the cycle of its commit.
    commits: Vec<(u64, usize)>,
    release: Shown<1>,
    opened: Shown<1>,
    waiting: Output,
    freed: Output,
    exits: u64,
    launch_dependents_rate: u64,
    patience: u64,
    most_warps: u64,
}

impl GridUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<GridUser, NoPort> {
        let mut rng = Rng::new(seed, "legal grid");
        Ok(GridUser {
            base: Base::new(ports, &mut rng)?,
            residents: Residents::new(ports, shape)?,
            members: vec![Member::default(); shape.slots as usize],
            warps: vec![Warp::default(); 64],
            grids: vec![Grid::default(); shape.grids as usize],
            op: Offer::new(ports, "op", &["kind", "fault", "warp", "cta"])?,
            offered: (0, 0, 0),
            launch: Offer::strobe(ports, "launch", &["cta", "has_grid", "grid"])?,
            message: Offer::strobe(ports, "grid_in", &["kind", "grid"])?,
            opening: None,
            fault: Drain::new(ports, "fault", ["code", "warp", "cta"])?,
            out: Drain::new(ports, "grid_out", ["kind", "grid"])?,
            standing: None,
            ending: None,
            out_pace: Pace::draw(&mut rng),
            pace: Pace::draw(&mut rng),
            commit: Shown::new(ports, "commit", ["warps", "refused"])?,
            commits: vec![],
            release: Shown::new(ports, "release", ["warps"])?,
            opened: Shown::new(ports, "opened", ["grid"])?,
            waiting: ports.output("waiting")?,
            freed: ports.output("freed")?,
            exits: rng.pick(&[5, 50, 300]).unwrap_or(5),
            launch_dependents_rate: rng.pick(&[50, 500, 900]).unwrap_or(50),
            patience: rng.pick(&[5, 100, 600]).unwrap_or(5),
            most_warps: rng.pick(&[1, 3, shape.warps]).unwrap_or(1).min(shape.warps),
            shape,
            rng,
        })
    }

    fn slot_of(&self, warp: usize) -> Option<usize> {
        (0..self.members.len()).find(|slot| self.residents.slots[*slot].is_some_and(|cta| cta.live >> warp & 1 == 1))
    }

    /// Simulates the hub: it opens grids, sends Ready for them, and frees them, each after a random time.
    fn hub(&mut self) {
        let cycle = self.base.ledger.cycle;
        self.message.take(&[]);
        self.message.begin(&mut self.base.pins);
        let number = self.rng.below(self.grids.len() as u64);
        let patience = self.patience;
        let used = (0..self.members.len()).any(|slot| self.members[slot].grid == Some(number) && !self.members[slot].is_over);
        let grid = &mut self.grids[number as usize];
        let next = match grid.stage {
            Stage::Unused if self.rng.chance(100) => {
                *grid = Grid {
                    stage: Stage::Opening,
                    due: cycle + 1 + self.rng.below(patience),
                    closes: cycle + 20 + self.rng.below(10 * patience),
                    gets_ready: self.rng.chance(900),
                };
                Some(0)
            }
            Stage::Opening => {
                grid.stage = Stage::Open;
                None
            }
            Stage::Open if grid.due <= cycle && (grid.gets_ready || used) => {
                grid.stage = Stage::Ready;
                Some(1)
            }
            // All CTAs of the grid have ended, on this and on all other multiprocessors.
            Stage::Open | Stage::Ready if grid.closes <= cycle && !used => {
                grid.stage = Stage::Unused;
                None
            }
            _ => None,
        };
        if let Some(kind) = next {
            self.message.put(&mut self.base.pins, &[kind, number]);
            self.opening = (kind == 0).then_some(number);
            self.base.ledger.count(if kind == 0 { "grids opened" } else { "grids ready" });
        }
    }

    fn launches(&mut self, outputs: &[u64]) {
        self.launch.take(&[]);
        self.launch.begin(&mut self.base.pins);
        let cycle = self.base.ledger.cycle;
        let (free_warps, slots) = self.residents.free_slots(self.freed.read(outputs));
        if free_warps == 0 || !self.rng.chance(100) {
            return;
        }
        let Some(slot) = self.rng.pick(&slots) else { return };
        // A grid may be used for a launch if `opened` was output for it and not all of its CTAs have ended.
        let is_open = |number: &u64| {
            let grid = self.grids[*number as usize];
            matches!(grid.stage, Stage::Open | Stage::Ready) && grid.closes > cycle
        };
        let open: Vec<u64> = (0..self.grids.len() as u64).filter(is_open).collect();
        let grid = if self.rng.chance(800) { self.rng.pick(&open) } else { None };
        let warps = self.residents.launch(&mut self.rng, slot, free_warps, self.most_warps, cycle);
        for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
            self.warps[warp] = Warp::default();
        }
        self.members[slot] = Member { grid, ..Member::default() };
        let any = self.rng.below(self.shape.grids);
        self.launch.put(&mut self.base.pins, &[slot as u64, grid.is_some().into(), grid.unwrap_or(any)]);
        self.base.ledger.count("launches");
    }

    /// Lets a warp exit or offer an operation: kind 0 is launch_dependents, kind 1 a wait.
    fn operate(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        self.op.begin(&mut self.base.pins);
        let is_here = |slot: &usize| self.residents.slots[*slot].is_some_and(|cta| cta.live != 0 && cta.from <= cycle);
        let live_slots: Vec<usize> = (0..self.members.len()).filter(is_here).collect();
        if let (false, true, Some(slot)) =
            (self.op.is_pending(), self.pace.allows_event(&mut self.rng), self.rng.pick(&live_slots))
        {
            let live = self.residents.slots[slot].map_or(0, |cta| cta.live);
            let able = |warp: &usize| live >> warp & 1 == 1 && !self.warps[*warp].is_busy && self.warps[*warp].waits.is_none();
            let able: Vec<usize> = (0..64).filter(able).collect();
            if let Some(warp) = self.rng.pick(&able) {
                if self.rng.chance(self.exits) {
                    self.residents.exit(&mut self.rng, slot, 1 << warp, cycle);
                    self.base.ledger.count("exits");
                } else {
                    let kind = u64::from(!self.rng.chance(self.launch_dependents_rate));
                    self.warps[warp].is_busy = true;
                    self.offered = (warp, slot, kind);
                    self.op.put(&mut self.base.pins, &[kind, 0, warp as u64, slot as u64]);
                }
            }
        }
        if self.op.take(outputs) {
            let (warp, slot, kind) = self.offered;
            match kind {
                0 => self.members[slot].has_asked = true,
                _ => self.warps[warp].waits = Some(cycle),
            }
            self.commits.push((cycle + 2, warp));
            self.base.ledger.count("operations");
        }
        for slot in 0..self.members.len() {
            if let Some(cta) = self.residents.slots[slot].as_mut().filter(|cta| cta.ended < cycle) {
                cta.is_gone = true;
            }
        }
    }
}

impl UnitUser for GridUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        let ready = self.rng.chance(500);
        self.fault.drive(&mut self.base.pins, outputs, ready);
        self.messages(outputs);
        self.hub();
        self.launches(outputs);
        self.operate(outputs);
        self.residents.drive(&mut self.base.pins, self.base.ledger.cycle);
    }
}
