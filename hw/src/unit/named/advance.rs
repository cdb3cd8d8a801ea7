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

use super::rows::Row;
use super::Inside;
use crate::payload::payload;
use crate::unit::op::Reduction;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What becomes of an operation if nothing stands against it.
#[payload]
pub struct Outcome {
    /// If it lands, a generation is complete.
    pub full: Bit,
    /// An exit completes a generation.
    pub departs: Bit,
    /// If it lands, its row is the CTA's last one without a count.
    pub records: Bit,
}

/// Warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, numbers of ids in `IW` bits, sums of `AW` bits.
#[block]
pub struct Advance<LW, CW, LC, IW, AW> {
    pub inside: Signal<In, Inside<LW, CW, LC, IW, AW>>,
    pub row: Signal<Out, Row<CW, AW>>,
    pub outcome: Signal<Out, Outcome>,
    writes_row: Signal<Local, Bit>,
    writes_warp: Signal<Local, Bit>,
    exits: Signal<Local, Bit>,
    counted: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    before: Signal<Local, Bits<CW>>,
    total: Signal<Local, Bits<AW>>,
    goal: Signal<Local, Bits<CW>>,
    matched: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    fixed: Signal<Local, Bit>,
}

#[block]
impl Logic for Advance<LW, CW, LC, IW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.writes_row.next = self.inside.val().step.writes_row;
        self.writes_warp.next = self.inside.val().step.writes_warp;
        self.exits.next = self.inside.val().step.exits;
        self.counted.next = self.inside.val().numbers.counted;
        self.lands.next = self.inside.val().step.arrives | self.writes_row.val();
        self.open.next = self.inside.val().row.open;

        // Its numbers. An arrival that lands in an open row expects what the row does.
        self.before.next = 0.into();
        self.total.next = 0.into();
        if self.inside.val().look.adds {
            self.before.next = self.inside.val().row.count;
            self.total.next = self.inside.val().row.sum;
            if self.inside.val().numbers.merges {
                self.total.next = self.inside.val().row.sum & !bits::<AW>(1);
            }
        }
        self.row.next = self.inside.val().row;
        self.row.next.count = self.before.val() + self.inside.val().numbers.steps;
        self.row.next.sum = self.total.val() + self.inside.val().numbers.amount;
        if self.lands.val() {
            self.row.next.expected = self.inside.val().numbers.wanted;
            self.row.next.reduction = self.inside.val().numbers.wanted_reduction;
            self.row.next.with_count = self.counted.val();
        }
        if !self.inside.val().parts.reductions {
            self.row.next.reduction = Reduction::None;
            self.row.next.sum = 0.into();
        }
        if !self.inside.val().parts.faults {
            self.row.next.expected = 0.into();
        }
        // Whether a warp waits is asked by a state word only.
        self.row.next.awaited = self.inside.val().parts.state_words
            & (self.inside.val().numbers.waits | (self.open.val() & self.inside.val().row.awaited));

        // Completion.
        self.goal.next = self.inside.val().present.others;
        if self.counted.val() {
            self.goal.next = self.inside.val().numbers.before_last;
        }
        self.matched.next = self.open.val() & (self.inside.val().row.count == self.goal.val());
        self.alone.next = !self.open.val() & !self.goal.val().any();
        self.whole.next = !self.counted.val() & (self.inside.val().numbers.steps == self.inside.val().present.live);
        self.outcome.next.departs = self.exits.val() & self.matched.val() & !self.inside.val().row.with_count;
        self.outcome.next.full = (self.matched.val() | self.alone.val()) & !self.writes_warp.val();
        if self.writes_row.val() {
            self.outcome.next.full = self.whole.val() & !self.inside.val().numbers.idle;
        }
        self.outcome.next.records = self.lands.val() & !self.inside.val().numbers.idle & !self.counted.val();

        // Whether it stays open, without waiting for who is to decide that. An exit leaves a row with a count as it is.
        self.fixed.next = self.writes_row.val() | self.writes_warp.val() | self.inside.val().step.turn;
        self.row.next.open = !self.exits.val() & self.goal.val().any();
        if self.fixed.val() {
            self.row.next.open =
                self.writes_warp.val() | (self.writes_row.val() & !self.whole.val() & !self.inside.val().numbers.idle);
        }
        if self.open.val() & !self.fixed.val() {
            self.row.next.open =
                (self.inside.val().row.count != self.goal.val()) | (self.exits.val() & self.inside.val().row.with_count);
        }
    }
}
