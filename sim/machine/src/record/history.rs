// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The history of an mbarrier: its completed phases with their arrivals and bytes, and the waits for a wrong phase.

use super::super::report::{EndedPhase, ObjectArrival};
use bcu_program::Place;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The maximum number of completed phases that are kept.
const MAX_ENDED: usize = 8;

/// The first operation at an mbarrier that expects bytes.
#[derive(Clone, Debug)]
pub(super) struct FirstExpect {
    pub warp: usize,
    pub place: Place,
    pub cycle: u64,
    pub bytes: u64,
    pub phase: u64,
}

/// The history of one mbarrier since its init.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The last completed phases, the newest last.
    ended: VecDeque<EndedPhase>,
    /// The bytes that operations expect in the open phase.
    pub expected_bytes: u64,
    /// The bytes that have been completed in the open phase.
    pub received_bytes: u64,
    /// The first operation that expects bytes.
    pub first_expect: Option<FirstExpect>,
    /// Whether a thread has waited at the mbarrier.
    pub is_waited_at: bool,
    /// For each warp, location and cycle of its first wait for a phase whose completion the warp had already observed.
    pub stale_waits: BTreeMap<usize, (Place, u64)>,
    /// For each warp with an early wait: location and cycle of the wait, and whether the warp had arrived in phase 0 by then. An early wait
    /// is for the phase before phase 0, so it returns at once.
    pub early_waits: BTreeMap<usize, (Place, u64, bool)>,
    /// For each warp, the cycle of its first correct wait after an early or a stale wait. A wait is correct if the warp had not observed
    /// the completion of the awaited phase before.
    pub right_waits: BTreeMap<usize, u64>,
    /// Warps that have arrived in any phase of the mbarrier, or have sent copies that signal it.
    pub arrivers: BTreeSet<usize>,
}

impl History {
    /// Records that phase `number` completes in cycle `cycle`.
    pub fn completes(&mut self, number: u64, cycle: u64, arrived: &[ObjectArrival]) {
        self.ended.push_back(EndedPhase { number, cycle, arrived: arrived.to_vec() });
        if self.ended.len() > MAX_ENDED {
            self.ended.pop_front();
        }
        (self.expected_bytes, self.received_bytes) = (0, 0);
    }

    /// Records that a wait of a warp returns true, for a phase whose completion the warp had not observed.
    pub fn waits_rightly(&mut self, warp: usize, cycle: u64) {
        if self.early_waits.contains_key(&warp) || self.stale_waits.contains_key(&warp) {
            self.right_waits.entry(warp).or_insert(cycle);
        }
    }

    /// The last arrival in a completed phase; `None` if the phase had no arrivals, or is no longer kept.
    pub fn last_arrival(&self, phase: u64) -> Option<&ObjectArrival> {
        self.ended.iter().rev().find(|ended| ended.number == phase)?.arrived.last()
    }

    pub fn ended(&self) -> Vec<EndedPhase> {
        self.ended.iter().cloned().collect()
    }
}
