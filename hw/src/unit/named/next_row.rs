// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next numbers of a row: counts an arrival, sets a row to a state word, detects completion.
//!
//! *Reads:* the operation in the lookup stage, its row, the live warps of its CTA. *Writes:* the new row, and whether it is
//! complete, both as if the operation had no fault. *Latency:* 0, no state. Implements the completion conditions of spec 000 and
//! of BAR and BAR_RED in spec 001.
//!
//! A state word sets a row as if its number of warps arrived at once at an empty one. An arrival completes the row if all other
//! expected warps have arrived, an Exit if all live warps but the exiting one have. A row that completes or is cleared is only
//! marked as not open, so its other fields do not wait for the comparison. The sum of AND is 1 if a predicate was false, that of
//! OR if one was true: it is never more than 1.

use super::ctrl::Outcome;
use super::lookup_op::LookupOp;
use crate::prelude::*;

#[block]
pub struct NextRow<W, LW, CW, LC, IW, AW> {
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<Out, Outcome<CW, AW>>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    exits: Signal<Local, Bit>,
    has_count: Signal<Local, Bit>,
    /// The operation arrives or writes a row.
    targets_row: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    /// Warps that had arrived before.
    arrived: Signal<Local, Bits<CW>>,
    /// Sum before, without bit 0 if the contribution is merged into it.
    total: Signal<Local, Bits<AW>>,
    /// Warps that must have arrived before for this arrival or Exit to complete the row.
    goal: Signal<Local, Bits<CW>>,
    /// The row is open and this number of warps has arrived.
    matched: Signal<Local, Bit>,
    /// A state word without an expected count states that all live warps have arrived.
    word_complete: Signal<Local, Bit>,
    /// Whether the row stays open does not depend on which warps have arrived.
    open_fixed: Signal<Local, Bit>,
}

#[block]
impl Logic for NextRow<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.writes_row.next = self.lookup_op.val().actions.writes_row;
        self.writes_warp.next = self.lookup_op.val().actions.writes_warp;
        self.exits.next = self.lookup_op.val().actions.exits;
        self.has_count.next = self.lookup_op.val().numbers.has_count;
        self.targets_row.next = self.lookup_op.val().actions.arrives | self.writes_row.val();
        self.open.next = self.lookup_op.val().row.open;

        // The numbers. An arrival without a fault at an open row has the expected count of the row.
        self.arrived.next = 0.into();
        self.total.next = 0.into();
        if self.lookup_op.val().row_match.adds_to_row {
            self.arrived.next = self.lookup_op.val().row.count;
            self.total.next = self.lookup_op.val().row.sum;
            if self.lookup_op.val().numbers.merges_contribution {
                self.total.next = self.lookup_op.val().row.sum & !bits::<AW>(1);
            }
        }
        self.outcome.next.row = self.lookup_op.val().row;
        self.outcome.next.row.count = self.arrived.val() + self.lookup_op.val().numbers.arrivals;
        self.outcome.next.row.sum = self.total.val() + self.lookup_op.val().numbers.contribution;
        if self.targets_row.val() {
            self.outcome.next.row.expected = self.lookup_op.val().numbers.op_expected;
            self.outcome.next.row.reduction = self.lookup_op.val().numbers.op_reduction;
            self.outcome.next.row.with_count = self.has_count.val();
        }
        if !self.lookup_op.val().parts.reductions {
            self.outcome.next.row.reduction = Reduction::None;
            self.outcome.next.row.sum = 0.into();
        }
        if !self.lookup_op.val().parts.faults {
            self.outcome.next.row.expected = 0.into();
        }
        // `has_waiter` is needed for state words only.
        self.outcome.next.row.has_waiter = self.lookup_op.val().parts.state_words
            & (self.lookup_op.val().numbers.waits | (self.open.val() & self.lookup_op.val().row.has_waiter));

        // Completion. If the row is open, `arrived` is its count.
        self.goal.next = self.lookup_op.val().live_warps.live_minus_one;
        if self.has_count.val() {
            self.goal.next = self.lookup_op.val().numbers.expected_minus_one;
        }
        self.matched.next = self.open.val() & (self.arrived.val() == self.goal.val());
        self.word_complete.next =
            !self.has_count.val() & (self.lookup_op.val().numbers.arrivals == self.lookup_op.val().live_warps.live);
        self.outcome.next.exit_completes = self.exits.val() & self.matched.val() & !self.lookup_op.val().row.with_count;
        self.outcome.next.completes_if_written =
            (self.matched.val() | (!self.open.val() & !self.goal.val().any())) & !self.writes_warp.val();
        if self.writes_row.val() {
            self.outcome.next.completes_if_written = self.word_complete.val() & !self.lookup_op.val().numbers.sets_idle;
        }
        self.outcome.next.records_id = self.targets_row.val() & !self.lookup_op.val().numbers.sets_idle & !self.has_count.val();

        // Whether the row stays open, without waiting for the checks. An Exit leaves a row with a count unchanged.
        self.open_fixed.next = self.writes_row.val() | self.writes_warp.val() | self.lookup_op.val().actions.is_scrub;
        self.outcome.next.row.open = !self.exits.val() & self.goal.val().any();
        if self.open_fixed.val() {
            self.outcome.next.row.open = self.writes_warp.val()
                | (self.writes_row.val() & !self.word_complete.val() & !self.lookup_op.val().numbers.sets_idle);
        }
        if self.open.val() & !self.open_fixed.val() {
            self.outcome.next.row.open =
                (self.arrived.val() != self.goal.val()) | (self.exits.val() & self.lookup_op.val().row.with_count);
        }
    }
}
