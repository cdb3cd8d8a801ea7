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
use super::inside::Inside;
use crate::prelude::*;

#[block]
pub struct NextRow<W, LW, CW, LC, IW, AW> {
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<Out, Outcome<CW, AW>>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    exits: Signal<Local, Bit>,
    has_count: Signal<Local, Bit>,
    /// The operation arrives or writes a row.
    lands: Signal<Local, Bit>,
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
    whole: Signal<Local, Bit>,
    /// Whether the row stays open does not depend on which warps have arrived.
    fixed: Signal<Local, Bit>,
}

#[block]
impl Logic for NextRow<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.writes_row.next = self.inside.val().step.writes_row;
        self.writes_warp.next = self.inside.val().step.writes_warp;
        self.exits.next = self.inside.val().step.exits;
        self.has_count.next = self.inside.val().numbers.has_count;
        self.lands.next = self.inside.val().step.arrives | self.writes_row.val();
        self.open.next = self.inside.val().row.open;

        // The numbers. An arrival without a fault at an open row has the expected count of the row.
        self.arrived.next = 0.into();
        self.total.next = 0.into();
        if self.inside.val().look.adds {
            self.arrived.next = self.inside.val().row.count;
            self.total.next = self.inside.val().row.sum;
            if self.inside.val().numbers.merges {
                self.total.next = self.inside.val().row.sum & !bits::<AW>(1);
            }
        }
        self.outcome.next.row = self.inside.val().row;
        self.outcome.next.row.count = self.arrived.val() + self.inside.val().numbers.steps;
        self.outcome.next.row.sum = self.total.val() + self.inside.val().numbers.amount;
        if self.lands.val() {
            self.outcome.next.row.expected = self.inside.val().numbers.wanted;
            self.outcome.next.row.reduction = self.inside.val().numbers.wanted_reduction;
            self.outcome.next.row.with_count = self.has_count.val();
        }
        if !self.inside.val().parts.reductions {
            self.outcome.next.row.reduction = Reduction::None;
            self.outcome.next.row.sum = 0.into();
        }
        if !self.inside.val().parts.faults {
            self.outcome.next.row.expected = 0.into();
        }
        // `awaited` is needed for state words only.
        self.outcome.next.row.awaited = self.inside.val().parts.state_words
            & (self.inside.val().numbers.waits | (self.open.val() & self.inside.val().row.awaited));

        // Completion. If the row is open, `arrived` is its count.
        self.goal.next = self.inside.val().present.live_minus_one;
        if self.has_count.val() {
            self.goal.next = self.inside.val().numbers.before_last;
        }
        self.matched.next = self.open.val() & (self.arrived.val() == self.goal.val());
        self.whole.next = !self.has_count.val() & (self.inside.val().numbers.steps == self.inside.val().present.live);
        self.outcome.next.exit_completes = self.exits.val() & self.matched.val() & !self.inside.val().row.with_count;
        self.outcome.next.completes_if_written =
            (self.matched.val() | (!self.open.val() & !self.goal.val().any())) & !self.writes_warp.val();
        if self.writes_row.val() {
            self.outcome.next.completes_if_written = self.whole.val() & !self.inside.val().numbers.idle;
        }
        self.outcome.next.records = self.lands.val() & !self.inside.val().numbers.idle & !self.has_count.val();

        // Whether the row stays open, without waiting for the checks. An Exit leaves a row with a count unchanged.
        self.fixed.next = self.writes_row.val() | self.writes_warp.val() | self.inside.val().step.scrub;
        self.outcome.next.row.open = !self.exits.val() & self.goal.val().any();
        if self.fixed.val() {
            self.outcome.next.row.open =
                self.writes_warp.val() | (self.writes_row.val() & !self.whole.val() & !self.inside.val().numbers.idle);
        }
        if self.open.val() & !self.fixed.val() {
            self.outcome.next.row.open =
                (self.arrived.val() != self.goal.val()) | (self.exits.val() & self.inside.val().row.with_count);
        }
    }
}
