// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Computes the next row of an operation: counts an arrival, sets the row to a state word, detects completion.
//!
//! *Reads:* the operation in the lookup stage, its row, the live warps of its CTA. *Writes:* the new row, and whether the operation
//! completes its generation, both under the assumption that the operation has no fault. *Latency:* 0, no state. Implements the
//! completion conditions of spec 000 and of BAR and BAR_RED in spec 001.
//!
//! A state word sets its row like a simultaneous arrival, at an idle row, of all warps that the word counts. An arrival completes
//! the row if all other expected warps have arrived. An Exit completes the row if all other live warps have arrived. A row that
//! completes or is cleared is only marked as not open, so the row's other fields do not wait for the comparison. The sum of AND is
//! 1 if a predicate was false, the sum of OR is 1 if a predicate was true: neither is ever more than 1.

use super::commit_payloads::Outcome;
use super::lookup_payloads::{Actions, LiveWarps, Row, RowOperands};
use super::parts::Parts;
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, sums of a reduction of `AW` bits.
#[block]
pub struct NextRow<CW, AW> {
    pub parts: Signal<In, Parts>,
    pub lookup_actions: Signal<In, Actions>,
    pub row_operands: Signal<In, RowOperands<CW, AW>>,
    /// The warp of the operation waits after the operation.
    pub waits: Signal<In, Bit>,
    pub lookup_row: Signal<In, Row<CW, AW>>,
    /// The row is open, and the operation adds to it instead of replacing it.
    pub adds_to_row: Signal<In, Bit>,
    pub live_warps: Signal<In, LiveWarps<CW>>,
    pub outcome: Signal<Out, Outcome<CW, AW>>,
    /// The operation is an arrival or a Write to Barrier.
    targets_row: Signal<Local, Bit>,
    /// Number of warps that had arrived before the operation; 0 if the row was not open or is replaced.
    arrived: Signal<Local, Bits<CW>>,
    /// Sum before the operation, without bit 0 if the contribution is merged into that bit; 0 if the row was not open or is
    /// replaced.
    total: Signal<Local, Bits<AW>>,
    /// The arrival or Exit completes the row if this many warps have arrived before.
    goal: Signal<Local, Bits<CW>>,
    /// The row is open and `goal` warps have arrived.
    matched: Signal<Local, Bit>,
    /// The state word has no count, and its number of arrived warps equals the number of live warps.
    word_complete: Signal<Local, Bit>,
    /// Whether the row is open after the operation does not depend on `arrived`: the operation is a Write or a clear step.
    open_fixed: Signal<Local, Bit>,
    /// If `open_fixed` is 1: whether the row is open after the operation.
    write_opens: Signal<Local, Bit>,
}

#[block]
impl Logic for NextRow {
    fn update(&mut self) {
        let actions = self.lookup_actions.val();
        let operands = self.row_operands.val();
        let row = self.lookup_row.val();

        self.targets_row.next = actions.arrives | actions.writes_row;

        // The numbers. `expected` is overwritten even if the row is open: an arrival without a fault at an open row has the
        // same count as the row.
        self.arrived.next = 0.into();
        self.total.next = 0.into();
        if self.adds_to_row.val() {
            self.arrived.next = row.count;
            self.total.next = row.sum;
            if operands.merges_contribution {
                self.total.next = row.sum & !bits::<AW>(1);
            }
        }
        self.outcome.next.row = row;
        self.outcome.next.row.count = self.arrived.val() + operands.arrivals;
        self.outcome.next.row.sum = self.total.val() + operands.contribution;
        if self.targets_row.val() {
            self.outcome.next.row.expected = operands.op_expected;
            self.outcome.next.row.reduction = operands.op_reduction;
            self.outcome.next.row.with_count = operands.has_count;
        }
        if !self.parts.val().reductions {
            self.outcome.next.row.reduction = Reduction::None;
            self.outcome.next.row.sum = 0.into();
        }
        if !self.parts.val().faults {
            self.outcome.next.row.expected = 0.into();
        }
        // `has_waiter` is needed only for state words, so it is built only with them.
        self.outcome.next.row.has_waiter = self.parts.val().state_words & (self.waits.val() | (row.open & row.has_waiter));

        // Completion. While the row is open, `arrived` is its count of arrived warps, except for a Write to Barrier.
        self.goal.next = self.live_warps.val().live_minus_one;
        if operands.has_count {
            self.goal.next = operands.expected_minus_one;
        }
        self.matched.next = row.open & (self.arrived.val() == self.goal.val());
        self.word_complete.next = !operands.has_count & (operands.arrivals == self.live_warps.val().live);
        self.outcome.next.completion.exit_completes = actions.exits & self.matched.val() & !row.with_count;
        self.outcome.next.completion.completes_if_written =
            (self.matched.val() | (!row.open & !self.goal.val().any())) & !actions.writes_warp;
        if actions.writes_row {
            self.outcome.next.completion.completes_if_written = self.word_complete.val() & !operands.sets_idle;
        }
        self.outcome.next.completion.records_id = self.targets_row.val() & !operands.sets_idle & !operands.has_count;

        // `open` does not depend on the fault checks, so that it need not wait for them. An Exit does not change a row with a
        // count.
        self.open_fixed.next = actions.writes_row | actions.writes_warp | actions.is_scrub;
        self.write_opens.next = actions.writes_warp | (actions.writes_row & !self.word_complete.val() & !operands.sets_idle);
        self.outcome.next.row.open = !actions.exits & self.goal.val().any();
        if self.open_fixed.val() {
            self.outcome.next.row.open = self.write_opens.val();
        }
        if row.open & !self.open_fixed.val() {
            self.outcome.next.row.open = (self.arrived.val() != self.goal.val()) | (actions.exits & row.with_count);
        }
    }
}
