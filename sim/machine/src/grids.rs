// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The overlapping grids of a run. This module is the host of `grid_hub` (`docs/contract/grids.md`). It opens the grids in order, launches
//! CTAs only when the hub permits it, performs the flush of each grid that has ended, and then closes the grid.
//!
//! A single grid needs no grid slot, since no other grid depends on it.

use super::wires::Hub;

/// The stage of a grid. From `Opening` until it is closed, a grid holds a grid slot of the hub; the stage contains the number of this slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Opening(usize),
    Open(usize),
    /// The grid slot of the hub, and the cycle in which the stores of the grid's CTAs become visible.
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
    /// The multiprocessors that have reported the grid as opened, one bit per multiprocessor.
    opened: u64,
    /// The cycle in which the first CTA of the grid was placed on a multiprocessor.
    began: Option<u64>,
    /// The cycle in which the hub reported the grid as flushed.
    ended: Option<u64>,
}

/// All grids of a run.
pub(super) struct Grids {
    /// All grids in order; empty for a run of one grid.
    grids: Vec<Grid>,
    /// The number of cycles from the start of a flush until the stores of the grid are visible.
    flush: u64,
    /// The number of grid slots of the hub.
    slots: usize,
    /// The output `may_launch` of the hub: one bit per grid slot, 1 if CTAs of its grid may be launched.
    may_launch: u64,
}

impl Grids {
    /// `ctas` are the CTAs of each grid, and `slots` is the number of grid slots of the hub. The stores of a grid are visible everywhere
    /// `flush` cycles after the start of its flush.
    pub fn new(ctas: &[Vec<usize>], slots: usize, flush: u64) -> Grids {
        let ctas = if ctas.len() > 1 { ctas } else { &[] };
        let grid = |ctas: &Vec<usize>| Grid { ctas: ctas.len(), stage: Stage::Waiting, opened: 0, began: None, ended: None };
        Grids { grids: ctas.iter().map(grid).collect(), flush, slots, may_launch: 0 }
    }

    /// Whether all grids are closed; true for a run of one grid.
    pub fn over(&self) -> bool {
        self.grids.iter().all(|grid| grid.stage == Stage::Over)
    }

    /// Whether a flush is in progress, so that the stores of a grid are not visible everywhere yet.
    pub fn flushes(&self) -> bool {
        self.grids.iter().any(|grid| matches!(grid.stage, Stage::Flushing(..)))
    }

    /// The start and end of a grid: the cycle of its first CTA, and the cycle from which all its stores are visible.
    pub fn cycles(&self, grid: usize) -> Option<[Option<u64>; 2]> {
        self.grids.get(grid).map(|grid| [grid.began, grid.ended])
    }

    /// The grids before `grid` that have not ended.
    pub fn before(&self, grid: usize) -> Vec<usize> {
        let before = self.grids.iter().take(grid).enumerate();
        before.filter(|(_, grid)| grid.ended.is_none()).map(|(number, _)| number).collect()
    }

    /// The grid slot that a grid holds in the hub; `None` if the grid is not open, or if the run has one grid.
    pub fn slot(&self, grid: usize) -> Option<usize> {
        self.grids.get(grid).and_then(|grid| grid.stage.slot())
    }

    /// Whether CTAs of grid `grid` may be launched on multiprocessor `sm`.
    pub fn admits(&self, grid: usize, sm: usize) -> bool {
        self.grids.get(grid).is_none_or(|grid| match grid.stage {
            Stage::Open(slot) => grid.opened >> sm & self.may_launch >> slot & 1 == 1,
            _ => false,
        })
    }

    /// Records in `cycle` that a CTA of grid `grid` is placed on a multiprocessor.
    pub fn launches(&mut self, grid: usize, cycle: u64) {
        self.grids.get_mut(grid).into_iter().for_each(|grid| grid.began = grid.began.or(Some(cycle)));
    }

    /// Records that multiprocessor `sm` has reported the grid in grid slot `slot` of the hub as opened.
    pub fn opened(&mut self, sm: usize, slot: usize) {
        self.of_slot(slot).into_iter().for_each(|grid| grid.opened |= 1 << sm);
    }

    fn of_slot(&mut self, slot: usize) -> Option<&mut Grid> {
        self.grids.iter_mut().find(|grid| grid.stage.slot() == Some(slot))
    }

    /// The first cycle in which stores of a grid become visible; `None` while a request to the hub is in progress.
    pub fn next_event(&self) -> Option<u64> {
        let mut first = u64::MAX;
        for grid in &self.grids {
            match grid.stage {
                Stage::Flushing(_, visible) => first = first.min(visible),
                Stage::Opening(_) | Stage::Flushed(_) | Stage::Closing(_) => return None,
                Stage::Waiting | Stage::Open(_) | Stage::Over => {}
            }
        }
        Some(first)
    }

    /// Processes the outputs of the hub in `cycle`, and drives its inputs for the next cycle; returns whether there was an event.
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

    /// Drives the requests to the hub. The hub accepts a request in the cycle of its offer.
    fn offer(&mut self, cycle: u64, hub: &mut Hub, mut moved: bool) -> bool {
        let at = hub.at;
        let occupied: u64 = self.grids.iter().filter_map(|grid| grid.stage.slot()).map(|slot| 1 << slot).sum();
        let opening = self.grids.iter().any(|grid| matches!(grid.stage, Stage::Opening(_)));
        let next = self.grids.iter_mut().find(|grid| grid.stage == Stage::Waiting);
        let free_slot = (0..self.slots).find(|slot| occupied >> slot & 1 == 0);
        if let (Some(grid), Some(slot), false) = (next, free_slot, opening) {
            grid.stage = Stage::Opening(slot);
            let ctas = grid.ctas as u64;
            let values =
                [(at.open_valid, 1), (at.open_grid, slot as u64), (at.open_ctas, ctas), (at.open_prerequisites, occupied)];
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
    /// The grid slot of the hub that a grid holds in this stage.
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
