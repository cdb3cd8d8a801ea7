// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next numbers of a row: counts an arrival, puts a row where a state word wants it, sees completion.
//!
//! *Reads:* the operation one cycle inside, its row, the live warps of its CTA. *Writes:* the new row, as if nothing stood against the
//! operation; likewise whether that is complete. *Latency:* 0, no state.
//!
//! A row written by a state word is one at which so many warps arrive at once, after it was empty. An arrival completes when all but one
//! have arrived before it, an exit when all live warps but the one that exits have. A row that completes or is cleared is only marked
//! idle, so nothing else of it waits for the comparison. The sum of AND counts who speaks against it, but as AND and OR ask only
//! whether there is one, theirs stays at 1. Implements the completion conditions of spec 000 and of BAR and BAR_RED in spec 001.

use super::enter::Step;
use super::operands::Traits;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Warps counted in `CW` bits, sums of `AW` bits.
#[block]
pub struct Advance<CW, AW> {
    /// Reductions, checks, state words are built.
    pub reduces: Signal<In, Bit>,
    pub checks: Signal<In, Bit>,
    pub words: Signal<In, Bit>,
    pub doing: Signal<In, Step>,
    // Its numbers, as in `Operands`.
    pub traits: Signal<In, Traits>,
    pub wanted: Signal<In, Bits<CW>>,
    pub before_last: Signal<In, Bits<CW>>,
    pub steps: Signal<In, Bits<CW>>,
    pub amount: Signal<In, Bits<AW>>,
    pub reduction: Signal<In, Bits<2>>,
    // Its row.
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub row_reduction: Signal<In, Bits<2>>,
    pub sum: Signal<In, Bits<AW>>,
    pub marks: Signal<In, Bits<3>>,
    /// It is open, and not written by a state word.
    pub adds: Signal<In, Bit>,
    // Live warps of its CTA, and one less.
    pub live: Signal<In, Bits<CW>>,
    pub others: Signal<In, Bits<CW>>,
    pub new_count: Signal<Out, Bits<CW>>,
    pub new_expected: Signal<Out, Bits<CW>>,
    pub new_reduction: Signal<Out, Bits<2>>,
    pub new_sum: Signal<Out, Bits<AW>>,
    pub new_marks: Signal<Out, Bits<3>>,
    /// If it lands, a generation is complete.
    pub full: Signal<Out, Bit>,
    /// An exit completes a generation.
    pub departs: Signal<Out, Bit>,
    /// If it lands, its row is the CTA's last one without a count.
    pub records: Signal<Out, Bit>,
    open: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    before: Signal<Local, Bits<CW>>,
    total: Signal<Local, Bits<AW>>,
    goal: Signal<Local, Bits<CW>>,
    matched: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    reached: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    fixed: Signal<Local, Bit>,
}

#[block]
impl Logic for Advance<CW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.open.next = self.marks.val().get_bit(0);
        self.lands.next = self.doing.val().arrives | self.doing.val().writes_row;

        // Its numbers. An arrival that lands in an open row expects what the row does.
        self.before.next = 0.into();
        self.total.next = 0.into();
        if self.adds.val() {
            self.before.next = self.count.val();
            self.total.next = self.sum.val();
            if self.traits.val().merges {
                self.total.next = self.sum.val() & !bits::<AW>(1);
            }
        }
        self.new_count.next = self.before.val() + self.steps.val();
        self.new_sum.next = self.total.val() + self.amount.val();
        self.new_expected.next = self.expected.val();
        self.new_reduction.next = self.row_reduction.val();
        self.new_marks.next = self.marks.val();
        if self.lands.val() {
            self.new_expected.next = self.wanted.val();
            self.new_reduction.next = self.reduction.val();
            self.new_marks.next = self.new_marks.val().replace_bit(2, self.traits.val().counted);
        }

        if !self.reduces.val() {
            self.new_reduction.next = 0.into();
            self.new_sum.next = 0.into();
        }
        if !self.checks.val() {
            self.new_expected.next = 0.into();
        }

        // Completion.
        self.goal.next = self.others.val();
        if self.traits.val().counted {
            self.goal.next = self.before_last.val();
        }
        self.matched.next = self.open.val() & (self.count.val() == self.goal.val());
        self.alone.next = !self.open.val() & !self.goal.val().any();
        self.reached.next = self.matched.val() | self.alone.val();
        self.whole.next = !self.traits.val().counted & (self.steps.val() == self.live.val());
        self.last.next = self.doing.val().exits & self.matched.val() & !self.marks.val().get_bit(2);
        self.departs.next = self.last.val();
        self.full.next = self.reached.val() & !self.doing.val().writes_warp;
        if self.doing.val().writes_row {
            self.full.next = self.whole.val() & !self.traits.val().idle;
        }

        // Whether it stays open, without waiting for who is to decide that. An exit leaves a row with a count as it is.
        self.fixed.next = self.doing.val().writes_row | self.doing.val().writes_warp | self.doing.val().turn;
        self.stays.next = !self.doing.val().exits & self.goal.val().any();
        if self.fixed.val() {
            self.stays.next =
                self.doing.val().writes_warp | (self.doing.val().writes_row & !self.whole.val() & !self.traits.val().idle);
        }
        if self.open.val() & !self.fixed.val() {
            self.stays.next = (self.count.val() != self.goal.val()) | (self.doing.val().exits & self.marks.val().get_bit(2));
        }
        self.records.next = self.lands.val() & !self.traits.val().idle & !self.traits.val().counted;
        self.new_marks.next = self.new_marks.val().replace_bit(0, self.stays.val());
        // Whether a warp waits is asked by a state word only.
        self.stays.next = self.words.val() & (self.traits.val().waits | (self.open.val() & self.marks.val().get_bit(1)));
        self.new_marks.next = self.new_marks.val().replace_bit(1, self.stays.val());
    }
}
