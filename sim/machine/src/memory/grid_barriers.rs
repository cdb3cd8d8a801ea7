// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arrivals at the barriers of cooperative grids: atomic operations on the word of a workspace. A generation is complete when the
//! highest bit of the word changes.

use super::access::{Access, AccessEffect};
use super::bank::Bank;
use super::writer::Writer;
use bcu_program::window::{GRID_BARRIER, WORKSPACE, WORKSPACE_BYTES};

/// The bit of the word that changes with each generation.
const TURN: u64 = 1 << 31;

/// The barriers of all grids of a run.
#[derive(Debug, Default)]
pub(in super::super) struct GridBarriers {
    by_grid: Vec<GridBarrier>,
}

/// The barrier of one grid.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct GridBarrier {
    /// The number of complete generations.
    pub completed: usize,
    /// The arrivals in the open generation, in the order of their issue.
    pub arrivals: Vec<Writer>,
}

/// The grid to whose barrier a word in global memory belongs.
pub(in super::super) fn grid_of(bank: Bank, address: u64) -> Option<usize> {
    let inside = address.checked_sub(WORKSPACE + GRID_BARRIER.0)?;
    (bank == Bank::Global && inside % WORKSPACE_BYTES < GRID_BARRIER.1).then_some((inside / WORKSPACE_BYTES) as usize)
}

impl GridBarriers {
    /// Provides the barriers of the first `grids` grids; without any, no access is examined.
    pub fn provide(&mut self, grids: usize) {
        self.by_grid.resize(grids.max(self.by_grid.len()), GridBarrier::default());
    }

    pub fn get(&self, grid: usize) -> Option<&GridBarrier> {
        self.by_grid.get(grid)
    }

    /// Records the issue of an access that stores.
    pub fn issued(&mut self, access: &Access, writer: Writer) {
        if self.by_grid.is_empty() || !matches!(access.effect, AccessEffect::Atomic(..)) {
            return;
        }
        for part in &access.parts {
            let grid = part.address.and_then(|address| grid_of(part.bank, address));
            let barrier = grid.and_then(|grid| self.by_grid.get_mut(grid));
            barrier.into_iter().for_each(|barrier| barrier.arrivals.push(writer));
        }
    }

    /// Records that an atomic operation has changed a word.
    pub fn performed(&mut self, (bank, address): (Bank, u64), before: Option<u64>, after: Option<u64>) {
        if self.by_grid.is_empty() {
            return;
        }
        let barrier = grid_of(bank, address).and_then(|grid| self.by_grid.get_mut(grid));
        if let (Some(barrier), Some(before), Some(after)) = (barrier, before, after) {
            if (before ^ after) & TURN != 0 {
                barrier.completed += 1;
                barrier.arrivals.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_belongs_to_the_grid_of_its_workspace() {
        let word = |grid: u64| WORKSPACE + grid * WORKSPACE_BYTES + GRID_BARRIER.0;
        assert_eq!([0, 3].map(|grid| grid_of(Bank::Global, word(grid))), [Some(0), Some(3)]);
        assert_eq!([word(0) - 1, word(0) + GRID_BARRIER.1, 0].map(|at| grid_of(Bank::Global, at)), [None; 3]);
        assert_eq!(grid_of(Bank::Shared(0), word(0)), None);
    }

    #[test]
    fn a_generation_ends_when_the_highest_bit_changes() {
        let mut barriers = GridBarriers::default();
        let word = (Bank::Global, WORKSPACE + GRID_BARRIER.0);
        barriers.performed(word, Some(0), Some(TURN));
        assert!(barriers.get(0).is_none());
        barriers.provide(1);
        barriers.performed(word, Some(0), Some(1));
        barriers.performed(word, Some(1), Some(TURN));
        barriers.performed(word, Some(TURN), None);
        barriers.performed(word, Some(TURN), Some(0));
        assert_eq!(barriers.get(0).map(|barrier| barrier.completed), Some(2));
    }
}
