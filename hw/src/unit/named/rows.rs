// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The counter RAM: one row per (CTA slot, barrier id), read-modify-write at one operation a cycle.
//!
//! *Reads:* `slot` and `id` of the operation that enters; one cycle later `write` with the `new_*` row. *Writes:* the row of
//! the operation that is one cycle inside, and one cycle later what its row would be (`last_*`). *Latency:* 1.
//!
//! A row is {warps that arrived, warps that wait, number of arrivals, warps expected, reduction, sum of the contributions, marks}. The
//! marks are: it is open, a warp waits, a count was given. In a row that is not open all else is left over. The row written last is
//! forwarded, so two operations on one barrier may follow each other in successive cycles. Implements the barrier state of spec 001
//! ("BARState").

use crate::prim::ram::Ram7;
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, sums of `AW` bits; `LC` bits of slot and `LI` of id make `RA` address bits.
#[derive(LogicBlock)]
pub struct Rows<const W: usize, const CW: usize, const LC: usize, const LI: usize, const RA: usize, const AW: usize> {
    pub clock: Signal<In, Clock>,
    /// Place of the operation that enters.
    pub slot: Signal<In, Bits<LC>>,
    pub id: Signal<In, Bits<LI>>,
    pub write: Signal<In, Bit>,
    pub new_arrived: Signal<In, Bits<W>>,
    pub new_waiting: Signal<In, Bits<W>>,
    pub new_count: Signal<In, Bits<CW>>,
    pub new_expected: Signal<In, Bits<CW>>,
    pub new_reduction: Signal<In, Bits<2>>,
    pub new_sum: Signal<In, Bits<AW>>,
    pub new_marks: Signal<In, Bits<3>>,
    pub arrived: Signal<Out, Bits<W>>,
    pub waiting: Signal<Out, Bits<W>>,
    pub count: Signal<Out, Bits<CW>>,
    pub expected: Signal<Out, Bits<CW>>,
    pub reduction: Signal<Out, Bits<2>>,
    pub sum: Signal<Out, Bits<AW>>,
    pub marks: Signal<Out, Bits<3>>,
    pub last_waiting: Signal<Out, Bits<W>>,
    pub last_count: Signal<Out, Bits<CW>>,
    pub last_expected: Signal<Out, Bits<CW>>,
    pub last_reduction: Signal<Out, Bits<2>>,
    pub last_sum: Signal<Out, Bits<AW>>,
    pub last_marks: Signal<Out, Bits<3>>,
    ram: Ram7<RA, W, W, CW, CW, 2, AW, 3>,
    /// Address of the operation inside.
    at: DFF<Bits<RA>>,
    /// The operation inside reads what the one before it wrote.
    hit: DFF<Bit>,
    kept_arrived: DFF<Bits<W>>,
    kept_waiting: DFF<Bits<W>>,
    kept_count: DFF<Bits<CW>>,
    kept_expected: DFF<Bits<CW>>,
    kept_reduction: DFF<Bits<2>>,
    kept_sum: DFF<Bits<AW>>,
    kept_marks: DFF<Bits<3>>,
    address: Signal<Local, Bits<RA>>,
    id_bits: Constant<Bits<4>>,
}

impl<const W: usize, const CW: usize, const LC: usize, const LI: usize, const RA: usize, const AW: usize> Default
    for Rows<W, CW, LC, LI, RA, AW>
{
    fn default() -> Self {
        assert!(RA == LC + LI && (1 << CW) > W);
        crate::fresh!(Rows {
            clock, slot, id, write, new_arrived, new_waiting, new_count, new_expected, new_reduction, new_sum, new_marks,
            arrived, waiting, count, expected, reduction, sum, marks, last_waiting, last_count, last_expected,
            last_reduction, last_sum, last_marks, ram, at, hit, kept_arrived, kept_waiting, kept_count, kept_expected,
            kept_reduction, kept_sum, kept_marks, address;
            id_bits: Constant::new((LI as u64).into())
        })
    }
}

impl<const W: usize, const CW: usize, const LC: usize, const LI: usize, const RA: usize, const AW: usize> Logic
    for Rows<W, CW, LC, LI, RA, AW>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, hit, kept_arrived, kept_waiting, kept_count, kept_expected, kept_reduction, kept_sum);
        dff_setup!(self, clock, kept_marks);
        self.address.next = bit_cast::<RA, LC>(self.slot.val()) << self.id_bits.val();
        self.address.next = self.address.val() | bit_cast::<RA, LI>(self.id.val());

        self.ram.clock.next = self.clock.val();
        self.ram.read.next = true;
        self.ram.read_address.next = self.address.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.at.q.val();
        self.ram.write_0.next = self.new_arrived.val();
        self.ram.write_1.next = self.new_waiting.val();
        self.ram.write_2.next = self.new_count.val();
        self.ram.write_3.next = self.new_expected.val();
        self.ram.write_4.next = self.new_reduction.val();
        self.ram.write_5.next = self.new_sum.val();
        self.ram.write_6.next = self.new_marks.val();

        self.at.d.next = self.address.val();
        self.hit.d.next = self.write.val() & (self.address.val() == self.at.q.val());
        self.kept_arrived.d.next = self.new_arrived.val();
        self.kept_waiting.d.next = self.new_waiting.val();
        self.kept_count.d.next = self.new_count.val();
        self.kept_expected.d.next = self.new_expected.val();
        self.kept_reduction.d.next = self.new_reduction.val();
        self.kept_sum.d.next = self.new_sum.val();
        self.kept_marks.d.next = self.new_marks.val();

        self.arrived.next = self.ram.read_0.val();
        self.waiting.next = self.ram.read_1.val();
        self.count.next = self.ram.read_2.val();
        self.expected.next = self.ram.read_3.val();
        self.reduction.next = self.ram.read_4.val();
        self.sum.next = self.ram.read_5.val();
        self.marks.next = self.ram.read_6.val();
        if self.hit.q.val() {
            self.arrived.next = self.kept_arrived.q.val();
            self.waiting.next = self.kept_waiting.q.val();
            self.count.next = self.kept_count.q.val();
            self.expected.next = self.kept_expected.q.val();
            self.reduction.next = self.kept_reduction.q.val();
            self.sum.next = self.kept_sum.q.val();
            self.marks.next = self.kept_marks.q.val();
        }
        self.last_waiting.next = self.kept_waiting.q.val();
        self.last_count.next = self.kept_count.q.val();
        self.last_expected.next = self.kept_expected.q.val();
        self.last_reduction.next = self.kept_reduction.q.val();
        self.last_sum.next = self.kept_sum.q.val();
        self.last_marks.next = self.kept_marks.q.val();
    }
}
