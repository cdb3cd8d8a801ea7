// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The counter RAM: the numbers of one row per (CTA slot, barrier id), read-modify-write at one operation a cycle.
//!
//! *Reads:* `slot` and `id` of the operation that enters; one cycle later the `new_*` row; another cycle later `write`. *Writes:* the row of
//! the operation that is one cycle inside, and one cycle later what its row would be (`last_*`). *Latency:* 1.
//!
//! A row is {number of arrivals, warps expected, reduction, sum of the contributions, marks}; its masks are in
//! [`masks`](super::masks). The marks are: it is open, a warp waits, a count was given. In a row that is not open all else is left over.
//! A row is written in the last cycle of its operation, when it has long been known whether it is, so that no write enable waits for
//! that. Two rows are forwarded: of the operation just before, and of the one before that. Implements the barrier state of spec 001
//! ("BARState").

use crate::prim::ram::Ram5;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Warps counted in `CW` bits, sums of `AW` bits; `LC` bits of slot and `LI` of id make `RA` address bits.
#[block]
pub struct Rows<CW, LC, LI, RA, AW> {
    pub clock: Signal<In, Clock>,
    /// Place of the operation that enters.
    pub slot: Signal<In, Bits<LC>>,
    pub id: Signal<In, Bits<LI>>,
    /// The id is that of the row of an exit, and comes late; else what it is.
    pub exits: Signal<In, Bit>,
    pub other: Signal<In, Bits<LI>>,
    pub late: Signal<In, Bits<LI>>,
    /// What enters looks at the row that the operation inside writes.
    pub follows: Signal<In, Bit>,
    /// The operation inside starts from an empty row.
    pub anew: Signal<In, Bit>,
    /// The operation in its last cycle writes its row.
    pub write: Signal<In, Bit>,
    pub new_count: Signal<In, Bits<CW>>,
    pub new_expected: Signal<In, Bits<CW>>,
    pub new_reduction: Signal<In, Bits<2>>,
    pub new_sum: Signal<In, Bits<AW>>,
    pub new_marks: Signal<In, Bits<3>>,
    /// In the same cycle: the row of what enters is that of the operation inside, of the one in its last cycle. Not for an exit.
    pub same: Signal<Out, Bit>,
    pub same_last: Signal<Out, Bit>,
    /// The row of what enters, of the operation inside, of the one in its last cycle.
    pub next_at: Signal<Out, Bits<RA>>,
    pub at: Signal<Out, Bits<RA>>,
    pub last_at: Signal<Out, Bits<RA>>,
    pub count: Signal<Out, Bits<CW>>,
    pub expected: Signal<Out, Bits<CW>>,
    pub reduction: Signal<Out, Bits<2>>,
    pub sum: Signal<Out, Bits<AW>>,
    pub marks: Signal<Out, Bits<3>>,
    /// It is open and the operation inside goes on from it.
    pub adds: Signal<Out, Bit>,
    /// The row is one of those forwarded; what it is if it is, and if it is not.
    pub forwarded: Signal<Out, Bit>,
    pub kept_expected: Signal<Out, Bits<CW>>,
    pub kept_reduction: Signal<Out, Bits<2>>,
    pub read_expected: Signal<Out, Bits<CW>>,
    pub read_reduction: Signal<Out, Bits<2>>,
    pub last_count: Signal<Out, Bits<CW>>,
    pub last_expected: Signal<Out, Bits<CW>>,
    pub last_reduction: Signal<Out, Bits<2>>,
    pub last_sum: Signal<Out, Bits<AW>>,
    /// What is reduced by then: AND is kept as what speaks against it.
    pub last_value: Signal<Out, Bits<AW>>,
    pub last_marks: Signal<Out, Bits<3>>,
    ram: Ram5<RA, CW, CW, 2, AW, 3>,
    reg_at: DFF<Bits<RA>>,
    reg_last_at: DFF<Bits<RA>>,
    /// The row was written by the operation just before; by the one before that.
    first: DFF<Bit>,
    second: DFF<Bit>,
    // What those two made of their rows.
    first_count: DFF<Bits<CW>>,
    first_expected: DFF<Bits<CW>>,
    first_reduction: DFF<Bits<2>>,
    first_sum: DFF<Bits<AW>>,
    first_marks: DFF<Bits<3>>,
    second_count: DFF<Bits<CW>>,
    second_expected: DFF<Bits<CW>>,
    second_reduction: DFF<Bits<2>>,
    second_sum: DFF<Bits<AW>>,
    second_marks: DFF<Bits<3>>,
    address: Signal<Local, Bits<RA>>,
    guess: Signal<Local, Bits<RA>>,
    behind: Signal<Local, Bit>,
    hit: Signal<Local, Bit>,
    kept_adds: Signal<Local, Bit>,
    kept_count: Signal<Local, Bits<CW>>,
    old_expected: Signal<Local, Bits<CW>>,
    old_reduction: Signal<Local, Bits<2>>,
    kept_sum: Signal<Local, Bits<AW>>,
    kept_marks: Signal<Local, Bits<3>>,
    #[init(Constant::new((LI as u64).into()))]
    id_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for Rows<CW, LC, LI, RA, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.address.next = bit_cast::<RA, LC>(self.slot.val()) << self.id_bits.val();
        self.address.next = self.address.val() | bit_cast::<RA, LI>(self.id.val());
        self.reg_at.d.next = self.address.val();
        self.reg_last_at.d.next = self.reg_at.q.val();
        self.next_at.next = self.address.val();
        self.at.next = self.reg_at.q.val();
        self.last_at.next = self.reg_last_at.q.val();
        // For an exit nothing is inside but itself, and of the row only the numbers count.
        self.guess.next = bit_cast::<RA, LC>(self.slot.val()) << self.id_bits.val();
        self.guess.next = self.guess.val() | bit_cast::<RA, LI>(self.other.val());
        self.same.next = self.guess.val() == self.reg_at.q.val();
        self.behind.next = self.guess.val() == self.reg_last_at.q.val();
        self.same_last.next = self.behind.val();
        self.guess.next = bit_cast::<RA, LC>(self.slot.val()) << self.id_bits.val();
        self.guess.next = self.guess.val() | bit_cast::<RA, LI>(self.late.val());
        if self.exits.val() {
            self.behind.next = self.guess.val() == self.reg_last_at.q.val();
        }
        self.first.d.next = self.follows.val();
        self.second.d.next = self.behind.val() & self.write.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.address.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.reg_last_at.q.val();
        self.ram.write_0.next = self.first_count.q.val();
        self.ram.write_1.next = self.first_expected.q.val();
        self.ram.write_2.next = self.first_reduction.q.val();
        self.ram.write_3.next = self.first_sum.q.val();
        self.ram.write_4.next = self.first_marks.q.val();

        self.first_count.d.next = self.new_count.val();
        self.first_expected.d.next = self.new_expected.val();
        self.first_reduction.d.next = self.new_reduction.val();
        self.first_sum.d.next = self.new_sum.val();
        self.first_marks.d.next = self.new_marks.val();
        self.second_count.d.next = self.first_count.q.val();
        self.second_expected.d.next = self.first_expected.q.val();
        self.second_reduction.d.next = self.first_reduction.q.val();
        self.second_sum.d.next = self.first_sum.q.val();
        self.second_marks.d.next = self.first_marks.q.val();

        self.kept_count.next = self.second_count.q.val();
        self.old_expected.next = self.second_expected.q.val();
        self.old_reduction.next = self.second_reduction.q.val();
        self.kept_sum.next = self.second_sum.q.val();
        self.kept_marks.next = self.second_marks.q.val();
        if self.first.q.val() {
            self.kept_count.next = self.first_count.q.val();
            self.old_expected.next = self.first_expected.q.val();
            self.old_reduction.next = self.first_reduction.q.val();
            self.kept_sum.next = self.first_sum.q.val();
            self.kept_marks.next = self.first_marks.q.val();
        }
        self.hit.next = self.first.q.val() | self.second.q.val();
        self.count.next = self.ram.read_0.val();
        self.expected.next = self.ram.read_1.val();
        self.reduction.next = self.ram.read_2.val();
        self.sum.next = self.ram.read_3.val();
        self.marks.next = self.ram.read_4.val();
        if self.hit.val() {
            self.count.next = self.kept_count.val();
            self.expected.next = self.old_expected.val();
            self.reduction.next = self.old_reduction.val();
            self.sum.next = self.kept_sum.val();
            self.marks.next = self.kept_marks.val();
        }
        // As a gate behind the memory, since the numbers of the row wait for it.
        self.kept_adds.next = self.kept_marks.val().get_bit(0) & !self.anew.val();
        self.adds.next = self.ram.read_4.val().get_bit(0);
        if self.hit.val() | self.anew.val() {
            self.adds.next = self.kept_adds.val();
        }
        self.forwarded.next = self.hit.val();
        self.kept_expected.next = self.old_expected.val();
        self.kept_reduction.next = self.old_reduction.val();
        self.read_expected.next = self.ram.read_1.val();
        self.read_reduction.next = self.ram.read_2.val();
        self.last_count.next = self.first_count.q.val();
        self.last_expected.next = self.first_expected.q.val();
        self.last_reduction.next = self.first_reduction.q.val();
        self.last_sum.next = self.first_sum.q.val();
        self.last_value.next = self.first_sum.q.val();
        if self.first_reduction.q.val() == 1 {
            self.last_value.next = self.first_sum.q.val() ^ 1;
        }
        self.last_marks.next = self.first_marks.q.val();
    }
}
