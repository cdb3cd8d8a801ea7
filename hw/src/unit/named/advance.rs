// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a row: counts an arrival, puts a row where a state word wants it, sees completion.
//!
//! *Reads:* the operation one cycle inside, whether it lands, its row, the live warps of its CTA. *Writes:* the new row, as if nothing stood
//! against the operation, and whether it is written; `complete`. *Latency:* 0, no state.
//!
//! A row written by a state word is one at which so many warps arrive at once, after it was empty. An arrival completes when all but one
//! have arrived before it, an exit when all live warps but the one that exits have. A row that completes or is cleared is only marked
//! idle, so nothing else of it waits for the comparison. The sum of AND counts who speaks against it, but as AND and OR ask only
//! whether there is one, theirs stays at 1. Implements the completion conditions of spec 000 and of BAR and BAR_RED in spec 001.

use super::enter::Step;
use super::operands::Traits;
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, sums of `AW` bits.
#[derive(LogicBlock, Default)]
pub struct Advance<const W: usize, const CW: usize, const AW: usize> {
    pub doing: Signal<In, Step>,
    pub lands: Signal<In, Bit>,
    /// It lands, or a Write to Warp makes the warp wait in the row.
    pub changes: Signal<In, Bit>,
    pub mask: Signal<In, Bits<W>>,
    // Its numbers, as in `Operands`.
    pub traits: Signal<In, Traits>,
    pub wanted: Signal<In, Bits<CW>>,
    pub before_last: Signal<In, Bits<CW>>,
    pub steps: Signal<In, Bits<CW>>,
    pub amount: Signal<In, Bits<AW>>,
    pub reduction: Signal<In, Bits<2>>,
    // Its row.
    pub arrived: Signal<In, Bits<W>>,
    pub waiting: Signal<In, Bits<W>>,
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub row_reduction: Signal<In, Bits<2>>,
    pub sum: Signal<In, Bits<AW>>,
    pub marks: Signal<In, Bits<3>>,
    // Live warps of its CTA, and one less.
    pub live: Signal<In, Bits<CW>>,
    pub others: Signal<In, Bits<CW>>,
    pub write: Signal<Out, Bit>,
    pub new_arrived: Signal<Out, Bits<W>>,
    pub new_waiting: Signal<Out, Bits<W>>,
    pub new_count: Signal<Out, Bits<CW>>,
    pub new_expected: Signal<Out, Bits<CW>>,
    pub new_reduction: Signal<Out, Bits<2>>,
    pub new_sum: Signal<Out, Bits<AW>>,
    pub new_marks: Signal<Out, Bits<3>>,
    /// A generation is complete.
    pub complete: Signal<Out, Bit>,
    /// It is that of an exit.
    pub departs: Signal<Out, Bit>,
    /// Its row is now the CTA's last one without a count.
    pub record: Signal<Out, Bit>,
    open: Signal<Local, Bit>,
    adds: Signal<Local, Bit>,
    before: Signal<Local, Bits<CW>>,
    total: Signal<Local, Bits<AW>>,
    goal: Signal<Local, Bits<CW>>,
    reached: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    departing: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    set: Signal<Local, Bits<W>>,
    clear: Signal<Local, Bits<W>>,
}

impl<const W: usize, const CW: usize, const AW: usize> Logic for Advance<W, CW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.open.next = self.marks.val().get_bit(0);
        self.adds.next = self.open.val() & !self.doing.val().writes_row;

        // Its masks.
        self.set.next = 0.into();
        self.clear.next = self.mask.val();
        if self.traits.val().arrives {
            self.set.next = self.mask.val();
            self.clear.next = 0.into();
        }
        self.new_arrived.next = self.set.val();
        if self.open.val() {
            self.new_arrived.next = (self.arrived.val() & !self.clear.val()) | self.set.val();
        }
        self.set.next = 0.into();
        if self.traits.val().waits {
            self.set.next = self.mask.val();
        }
        self.new_waiting.next = self.set.val();
        if self.open.val() {
            self.new_waiting.next = self.waiting.val() | self.set.val();
        }

        // Its numbers.
        self.before.next = 0.into();
        self.total.next = 0.into();
        self.new_expected.next = self.wanted.val();
        self.new_reduction.next = self.reduction.val();
        self.new_marks.next = 0.into();
        self.new_marks.next = self.new_marks.val().replace_bit(2, self.traits.val().counted);
        if self.adds.val() {
            self.before.next = self.count.val();
            self.total.next = self.sum.val();
            if self.traits.val().merges {
                self.total.next = self.sum.val() & !bits::<AW>(1);
            }
            self.new_expected.next = self.expected.val();
            self.new_reduction.next = self.row_reduction.val();
            self.new_marks.next = self.new_marks.val().replace_bit(2, self.marks.val().get_bit(2));
        }
        self.new_count.next = self.before.val() + self.steps.val();
        self.new_sum.next = self.total.val() + self.amount.val();

        // Completion.
        self.goal.next = self.others.val();
        if self.traits.val().counted {
            self.goal.next = self.before_last.val();
        }
        self.reached.next = self.before.val() == self.goal.val();
        self.full.next = self.reached.val();
        if self.doing.val().writes_row {
            self.full.next = !self.traits.val().counted & (self.steps.val() == self.live.val());
        }
        self.departing.next = self.doing.val().exits & self.open.val() & !self.marks.val().get_bit(2) & self.reached.val();
        self.departs.next = self.departing.val();
        self.complete.next = (self.lands.val() & self.full.val() & !self.traits.val().idle) | self.departing.val();
        self.record.next = self.lands.val() & !self.traits.val().idle & !self.traits.val().counted;
        self.stays.next = self.doing.val().writes_warp
            | !(self.full.val() | self.traits.val().idle | self.doing.val().exits | self.doing.val().turn);
        self.new_marks.next = self.new_marks.val().replace_bit(0, self.stays.val());
        self.stays.next = self.traits.val().waits | (self.open.val() & self.marks.val().get_bit(1));
        self.new_marks.next = self.new_marks.val().replace_bit(1, self.stays.val());
        self.write.next = self.changes.val() | self.departing.val() | self.doing.val().turn;
    }
}
