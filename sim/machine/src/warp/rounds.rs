// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Detects whether a warp repeats a loop in which it only reads memory.

use super::super::memory::{grid_of, Access, Bank};
use super::spin::Spin;
use super::threads::{bits, At};
use super::{Chosen, Warp};
use std::hash::{DefaultHasher, Hash, Hasher};

impl Warp {
    /// Records that the warp has executed a branch; `changes` is the number of changes in the machine so far (`Gpu::changes`).
    pub fn complete_round(&mut self, chosen: Chosen, changes: u64) {
        // A round is recorded only if no other group of lanes can issue, because such a group might change the values that these lanes
        // read.
        if self.scoreboard.is_empty() && self.runnable_groups() <= 1 {
            let digest = self.digest();
            Spin::complete_round(&mut self.spin, chosen.at, digest, changes);
        }
    }

    /// Whether the warp has spun since the last change in the machine; `changes` is the number of changes so far.
    pub fn spins(&self, changes: u64) -> bool {
        self.spin.as_ref().is_some_and(|spin| spin.is_spinning(changes))
    }

    /// Records a read of memory, in case the warp is in a loop.
    pub fn reads(&mut self, at: At, access: &Access) {
        self.spin.iter_mut().for_each(|spin| spin.reads(at, access));
    }

    /// Whether a possible loop of the warp is being watched.
    pub fn is_watched(&self) -> bool {
        self.spin.is_some() || self.poll.is_some()
    }

    /// Ends the search for a loop, because the warp has read a value that changes by itself: the time, or a random choice.
    pub fn end_spin(&mut self) {
        (self.spin, self.poll) = (None, None);
    }

    /// The words that the warp reads in each round of the loop.
    pub fn spun_words(&self) -> &[(At, Bank, u64, u64)] {
        self.spin.as_ref().map_or(&[], Spin::words)
    }

    /// The load of the loop that reads the barrier of the warp's cooperative grid.
    pub fn polled_grid_barrier(&self) -> Option<At> {
        let is_barrier = |bank: Bank, address: u64| grid_of(bank, address) == Some(self.grid);
        self.program.grid.cooperative.then_some(())?;
        self.spun_words().iter().find(|(_, bank, address, _)| is_barrier(*bank, *address)).map(|(at, ..)| *at)
    }

    /// The branch that ends a round of the loop.
    pub fn spins_at(&self) -> Option<At> {
        self.spin.as_ref().map(Spin::branch)
    }

    /// The number of groups of lanes that could issue.
    fn runnable_groups(&self) -> usize {
        self.threads.groups_in(self.lanes & !self.waiting).iter().filter(|group| !self.incomplete(group)).count()
    }

    /// A digest of the locations and registers of all lanes.
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.values.digest().hash(&mut hasher);
        for group in self.threads.groups() {
            (group.at.function, group.at.instr, group.depth, group.lanes).hash(&mut hasher);
        }
        for lane in bits(self.lanes) {
            for depth in 0..self.threads.depth(lane) {
                self.threads.place_in(lane, depth).map(|at| (at.function, at.instr)).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}
