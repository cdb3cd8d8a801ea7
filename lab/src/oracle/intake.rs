// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Predicts the logic that `named` and `gateway` have in common: the fault queue, the clearing of
//! rows one after the other, and the outputs `op_ready` and `clearing`. The pages of both units
//! describe this logic in the sections *`op_ready`* and *`clearing`*.

use std::collections::VecDeque;

/// Number of entries of the fault queue.
const PLACES: usize = 4;

/// The fields of a fault on its channel: code, has_warp, warp, CTA slot, id.
pub type Fault = [u64; 5];

/// A row that is to be cleared: the barrier `id` of the CTA slot `slot`.
#[derive(Clone, Copy, Debug)]
pub struct Clearing {
    pub slot: usize,
    pub id: usize,
    /// Whether a fault is reported if the row is open when it is cleared.
    pub is_reported: bool,
}

/// The events of a cycle on which this logic depends. An operation is in flight from the cycle
/// after its transfer to the cycle in which it takes effect.
#[derive(Default)]
pub struct Events {
    /// Number of operations in flight in this cycle.
    pub under_way: usize,
    /// Number of operations in flight in the next cycle.
    pub under_way_next: usize,
    /// `release_next`: a Release is in flight in the next cycle. `good_release_next`: a Release that is not refused is in flight in the
    /// next cycle.
    pub release_next: bool,
    pub good_release_next: bool,
    /// Whether an operation that takes two pipeline slots is transferred.
    pub two_slots: bool,
    /// Whether the fault channel has a transfer.
    pub fault_taken: bool,
    /// Faults that enter the queue at the end of the cycle.
    pub faults: Vec<Fault>,
    /// Rows that are to be cleared from the next cycle on.
    pub rows: Vec<Clearing>,
}

#[derive(Default)]
pub struct Intake {
    faults: VecDeque<Fault>,
    rows: VecDeque<Clearing>,
    /// The row that got its turn to be cleared one cycle ago, and the row that got its turn two cycles ago. The second row is cleared
    /// in this cycle.
    turns: [Option<Clearing>; 2],
    is_ready: bool,
    is_clearing: bool,
}

impl Intake {
    /// `op_ready` in this cycle.
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// `clearing` in this cycle.
    pub fn is_clearing(&self) -> bool {
        self.is_clearing
    }

    /// The fault at the port in this cycle, if any.
    pub fn fault(&self) -> Option<Fault> {
        self.faults.front().copied()
    }

    /// The row that is cleared in this cycle, if any.
    pub fn cleared(&self) -> Option<Clearing> {
        self.turns[1]
    }

    /// A cycle with `reset` = 1. After it, all rows are cleared one after the other.
    pub fn reset(&mut self, slots: usize, ids: usize) {
        let rows = (0..slots).flat_map(|slot| (0..ids).map(move |id| Clearing { slot, id, is_reported: false }));
        *self = Intake { rows: rows.collect(), is_clearing: true, ..Intake::default() };
    }

    /// Ends a cycle in which `reset` is 0.
    pub fn advance(&mut self, events: Events) {
        let turns = self.turns.iter().flatten().count();
        let has_turn = self.faults.len() + events.under_way + turns < PLACES;
        let turn = if has_turn { self.rows.pop_front() } else { None };
        self.turns = [turn, self.turns[0]];
        self.rows.extend(events.rows);
        if events.fault_taken {
            self.faults.pop_front();
        }
        self.faults.extend(events.faults);
        let load = self.faults.len() + events.under_way_next + self.turns.iter().flatten().count();
        self.is_ready = !events.two_slots && !events.release_next && self.rows.is_empty() && load < PLACES;
        self.is_clearing = events.good_release_next || !self.rows.is_empty() || turn.is_some();
    }
}
