// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The grids of a run that overlap, as the host of `grid_hub` has them (`docs/contract/grids.md`): each is opened behind those before it, its CTAs
//! are launched when the hub lets them, and it is flushed and closed when they have ended.
//!
//! A grid alone needs no slot: nobody depends on it.

use super::wires::Hub;

/// Where a grid is in its life; those in between hold this slot of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Opening(usize),
    Open(usize),
    /// What its CTAs wrote is made visible until this cycle.
    Flushing(usize, u64),
    Flushed(usize),
    Closing(usize),
    Over,
}

/// One grid.
#[derive(Clone, Debug)]
struct Grid {
    ctas: usize,
    stage: Stage,
    /// Multiprocessors that have shown it as opened, one bit each.
    opened: u64,
    /// The first cycle in which a CTA of it was given to a multiprocessor, and that in which the hub took it as flushed.
    began: Option<u64>,
    ended: Option<u64>,
}

/// All of a run.
pub(super) struct Grids {
    /// None of a run of one grid.
    grids: Vec<Grid>,
    /// Cycles that it takes to make visible what a grid wrote.
    flush: u64,
    slots: usize,
    may_launch: u64,
}

impl Grids {
    /// `ctas` of each grid, `slots` of the hub, `flush` cycles until everybody sees what a grid wrote.
    pub fn new(ctas: &[Vec<usize>], slots: usize, flush: u64) -> Grids {
        let ctas = if ctas.len() > 1 { ctas } else { &[] };
        let grid = |ctas: &Vec<usize>| Grid { ctas: ctas.len(), stage: Stage::Waiting, opened: 0, began: None, ended: None };
        Grids { grids: ctas.iter().map(grid).collect(), flush, slots, may_launch: 0 }
    }

    /// Every grid has come and gone.
    pub fn over(&self) -> bool {
        self.grids.iter().all(|grid| grid.stage == Stage::Over)
    }

    /// Memory makes visible what a grid wrote.
    pub fn flushes(&self) -> bool {
        self.grids.iter().any(|grid| matches!(grid.stage, Stage::Flushing(..)))
    }

    /// The cycles of a grid: its first CTA is given to a multiprocessor, and all that it wrote is visible.
    pub fn cycles(&self, grid: usize) -> Option<[Option<u64>; 2]> {
        self.grids.get(grid).map(|grid| [grid.began, grid.ended])
    }

    /// Those before this one that have not ended.
    pub fn before(&self, grid: usize) -> Vec<usize> {
        let before = self.grids.iter().take(grid).enumerate();
        before.filter(|(_, grid)| grid.ended.is_none()).map(|(number, _)| number).collect()
    }

    /// The slot of a grid; `None` of one alone.
    pub fn slot(&self, grid: usize) -> Option<usize> {
        self.grids.get(grid).and_then(|grid| grid.stage.slot())
    }

    /// CTAs of a grid may be launched on this multiprocessor.
    pub fn admits(&self, grid: usize, sm: usize) -> bool {
        self.grids.get(grid).is_none_or(|grid| match grid.stage {
            Stage::Open(slot) => grid.opened >> sm & self.may_launch >> slot & 1 == 1,
            _ => false,
        })
    }

    /// A CTA of it is given to a multiprocessor.
    pub fn launches(&mut self, grid: usize, cycle: u64) {
        self.grids.get_mut(grid).into_iter().for_each(|grid| grid.began = grid.began.or(Some(cycle)));
    }

    /// A multiprocessor shows that the grid in this slot is opened.
    pub fn opened(&mut self, sm: usize, slot: usize) {
        self.of_slot(slot).into_iter().for_each(|grid| grid.opened |= 1 << sm);
    }

    fn of_slot(&mut self, slot: usize) -> Option<&mut Grid> {
        self.grids.iter_mut().find(|grid| grid.stage.slot() == Some(slot))
    }

    /// What the hub has shown in `cycle`, and what stands at its inputs in the next; true if anything happened.
    pub fn react(&mut self, cycle: u64, hub: &mut Hub) -> bool {
        let shown = |port| hub.get(port) == 1;
        let at = hub.at;
        self.may_launch = hub.get(at.may_launch);
        let opened = shown(at.opened_valid).then(|| hub.get(at.opened_grid) as usize);
        let closed = shown(at.closed_valid).then(|| hub.get(at.closed_grid) as usize);
        let flush = shown(at.flush_valid).then(|| hub.get(at.flush_grid) as usize);
        let flushed = hub.get(at.flushed_grids);
        let visible = cycle + self.flush;
        for grid in &mut self.grids {
            grid.stage = match grid.stage {
                Stage::Opening(slot) if opened == Some(slot) => Stage::Open(slot),
                Stage::Open(slot) if flush == Some(slot) => Stage::Flushing(slot, visible),
                Stage::Flushing(slot, _) if flushed >> slot & 1 == 1 => {
                    grid.ended = Some(cycle);
                    Stage::Flushed(slot)
                }
                Stage::Closing(slot) if closed == Some(slot) => Stage::Over,
                stage => stage,
            };
        }
        for valid in [at.open_valid, at.close_valid, at.flushed_valid] {
            hub.set(valid, 0);
        }
        hub.set(at.flush_ready, 1);
        self.offer(cycle, hub, opened.is_some() || closed.is_some() || flush.is_some())
    }

    /// Requests to the hub, which takes each in the cycle in which it stands there.
    fn offer(&mut self, cycle: u64, hub: &mut Hub, mut moved: bool) -> bool {
        let at = hub.at;
        let held: u64 = self.grids.iter().filter_map(|grid| grid.stage.slot()).map(|slot| 1 << slot).sum();
        let opening = self.grids.iter().any(|grid| matches!(grid.stage, Stage::Opening(_)));
        let next = self.grids.iter_mut().find(|grid| grid.stage == Stage::Waiting);
        let free = (0..self.slots).find(|slot| held >> slot & 1 == 0);
        if let (Some(grid), Some(slot), false) = (next, free, opening) {
            grid.stage = Stage::Opening(slot);
            let ctas = grid.ctas as u64;
            let values = [(at.open_valid, 1), (at.open_grid, slot as u64), (at.open_ctas, ctas), (at.open_prerequisites, held)];
            values.into_iter().for_each(|(port, value)| hub.set(port, value));
            hub.set(at.open_early, 1);
            moved = true;
        }
        let due = self.grids.iter().find_map(|grid| match grid.stage {
            Stage::Flushing(slot, visible) if visible == cycle => Some(slot),
            _ => None,
        });
        if let Some(slot) = due {
            hub.set(at.flushed_valid, 1);
            hub.set(at.flushed_grid, slot as u64);
        }
        let ended = self.grids.iter_mut().find_map(|grid| match grid.stage {
            Stage::Flushed(slot) => Some((grid, slot)),
            _ => None,
        });
        if let Some((grid, slot)) = ended {
            grid.stage = Stage::Closing(slot);
            hub.set(at.close_valid, 1);
            hub.set(at.close_grid, slot as u64);
            moved = true;
        }
        moved || due.is_some()
    }
}

impl Stage {
    /// The slot of the hub that it holds.
    fn slot(self) -> Option<usize> {
        match self {
            Stage::Opening(slot)
            | Stage::Open(slot)
            | Stage::Flushing(slot, _)
            | Stage::Flushed(slot)
            | Stage::Closing(slot) => Some(slot),
            Stage::Waiting | Stage::Over => None,
        }
    }
}
