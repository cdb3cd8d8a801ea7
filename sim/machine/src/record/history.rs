// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The history of an mbarrier: its completed phases with their arrivals and bytes, and the waits that were out of step with them.

use super::super::report::{EndedPhase, ObjectArrival};
use bcu_program::Place;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The number of phases that are kept.
const MAX_ENDED: usize = 8;

/// The history of one mbarrier since its init.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The last completed phases, the newest last.
    ended: VecDeque<EndedPhase>,
    /// Bytes that operations of the open phase expect, and bytes completed in it.
    pub expected_bytes: u64,
    pub received_bytes: u64,
    /// By warp: its first wait for a phase that it had already seen complete.
    pub stale_waits: BTreeMap<usize, (Place, u64)>,
    /// By warp: its wait that returned at once for the phase before the first, and whether it had arrived in the first one.
    pub early_waits: BTreeMap<usize, (Place, u64, bool)>,
    /// By warp: its first wait for a phase that it had not seen complete, after an early or a stale one.
    pub right_waits: BTreeMap<usize, u64>,
    /// Warps that have arrived in any phase, or have sent copies that signal it.
    pub arrivers: BTreeSet<usize>,
}

impl History {
    /// A phase completes in this cycle.
    pub fn completes(&mut self, number: u64, cycle: u64, arrived: &[ObjectArrival]) {
        self.ended.push_back(EndedPhase { number, cycle, arrived: arrived.to_vec() });
        if self.ended.len() > MAX_ENDED {
            self.ended.pop_front();
        }
        (self.expected_bytes, self.received_bytes) = (0, 0);
    }

    /// A wait of a warp returns true, for a phase that the warp had not seen complete.
    pub fn waits_rightly(&mut self, warp: usize, cycle: u64) {
        if self.early_waits.contains_key(&warp) || self.stale_waits.contains_key(&warp) {
            self.right_waits.entry(warp).or_insert(cycle);
        }
    }

    pub fn ended(&self) -> Vec<EndedPhase> {
        self.ended.iter().cloned().collect()
    }
}
