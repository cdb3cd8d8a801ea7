// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next numbers of a row: counts an arrival, puts a row where a state word wants it, sees completion.
//!
//! *Reads:* the operation one cycle inside, its row, the live warps of its CTA. *Writes:* the new row, as if nothing stood against the
//! operation; likewise whether that is complete. *Latency:* 0, no state. Implements the completion conditions of spec 000 and of BAR and
//! BAR_RED in spec 001.
//!
//! A row written by a state word is one at which so many warps arrive at once, after it was empty. An arrival completes when all but one
//! have arrived before it, an exit when all live warps but the one that exits have. A row that completes or is cleared is only marked
//! idle, so nothing else of it waits for the comparison. The sum of AND counts who speaks against it, but as AND and OR ask only
//! whether there is one, theirs stays at 1.

use super::{rows::Row, Inside};
use crate::prelude::*;

/// What becomes of an operation, and of its row, if nothing stands against it.
#[payload]
pub struct Outcome<CW, AW> {
    pub row: Row<CW, AW>,
    /// If it lands, a generation is complete.
    pub full: Bit,
    /// An exit completes a generation.
    pub departs: Bit,
    /// If it lands and its row stays open, that is the CTA's last one without a count.
    pub records: Bit,
}

#[block]
pub struct NextRow<W, LW, CW, LC, IW, AW> {
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<Out, Outcome<CW, AW>>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    exits: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    arrived: Signal<Local, Bits<CW>>,
    total: Signal<Local, Bits<AW>>,
    goal: Signal<Local, Bits<CW>>,
    matched: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    fixed: Signal<Local, Bit>,
}

#[block]
impl Logic for NextRow<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.writes_row.next = self.inside.val().step.writes_row;
        self.writes_warp.next = self.inside.val().step.writes_warp;
        self.exits.next = self.inside.val().step.exits;
        self.counted.next = self.inside.val().numbers.counted;
        self.lands.next = self.inside.val().step.arrives | self.writes_row.val();
        self.open.next = self.inside.val().row.open;

        // Its numbers. An arrival that lands in an open row expects what the row does.
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
            self.outcome.next.row.with_count = self.counted.val();
        }
        if !self.inside.val().parts.reductions {
            self.outcome.next.row.reduction = Reduction::None;
            self.outcome.next.row.sum = 0.into();
        }
        if !self.inside.val().parts.faults {
            self.outcome.next.row.expected = 0.into();
        }
        // Whether a warp waits is asked by a state word only.
        self.outcome.next.row.awaited = self.inside.val().parts.state_words
            & (self.inside.val().numbers.waits | (self.open.val() & self.inside.val().row.awaited));

        // Completion. Where what was there counts, it is what was added to.
        self.goal.next = self.inside.val().present.others;
        if self.counted.val() {
            self.goal.next = self.inside.val().numbers.before_last;
        }
        self.matched.next = self.open.val() & (self.arrived.val() == self.goal.val());
        self.whole.next = !self.counted.val() & (self.inside.val().numbers.steps == self.inside.val().present.live);
        self.outcome.next.departs = self.exits.val() & self.matched.val() & !self.inside.val().row.with_count;
        self.outcome.next.full = (self.matched.val() | (!self.open.val() & !self.goal.val().any())) & !self.writes_warp.val();
        if self.writes_row.val() {
            self.outcome.next.full = self.whole.val() & !self.inside.val().numbers.idle;
        }
        self.outcome.next.records = self.lands.val() & !self.inside.val().numbers.idle & !self.counted.val();

        // Whether it stays open, without waiting for who is to decide that. An exit leaves a row with a count as it is.
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
