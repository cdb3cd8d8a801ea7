// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The counter RAM: one row per (CTA slot, barrier id), read-modify-write at one operation a cycle.
//!
//! *Reads:* `slot` and `id` of the operation that enters; one cycle later `write` with the `new_*` row. *Writes:* the row of
//! the operation that is one cycle inside. *Latency:* 1.
//!
//! A row is {warps that arrived, warps that wait, number of arrivals, warps expected (0 = no count given), reduction, sum of the
//! contributions}; an idle row is all 0, and an open one has at least one arrival. The row written last is forwarded, so two
//! operations on one barrier may follow each other in successive cycles. Implements the barrier state of spec 001 ("BARState").

use crate::prim::ram::Ram6;
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, sums of `AW` bits; `LC` bits of slot and `LI` of id make `RA` address bits.
#[derive(LogicBlock)]
pub struct Rows<const W: usize, const CW: usize, const LC: usize, const LI: usize, const RA: usize, const AW: usize> {
    pub clock: Signal<In, Clock>,
    /// Place of the operation that enters.
    pub slot: Signal<In, Bits<LC>>,
    pub id: Signal<In, Bits<LI>>,
    /// The operation inside looks at the row of the one before it, whatever its own id says.
    pub follow: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub new_arrived: Signal<In, Bits<W>>,
    pub new_waiting: Signal<In, Bits<W>>,
    pub new_count: Signal<In, Bits<CW>>,
    pub new_expected: Signal<In, Bits<CW>>,
    pub new_reduction: Signal<In, Bits<2>>,
    pub new_sum: Signal<In, Bits<AW>>,
    pub arrived: Signal<Out, Bits<W>>,
    pub waiting: Signal<Out, Bits<W>>,
    pub count: Signal<Out, Bits<CW>>,
    pub expected: Signal<Out, Bits<CW>>,
    pub reduction: Signal<Out, Bits<2>>,
    pub sum: Signal<Out, Bits<AW>>,
    ram: Ram6<RA, W, W, CW, CW, 2, AW>,
    /// Address of the operation inside, and of the one before it.
    at: DFF<Bits<RA>>,
    before: DFF<Bits<RA>>,
    /// The operation inside reads what the one before it wrote.
    hit: DFF<Bit>,
    last_arrived: DFF<Bits<W>>,
    last_waiting: DFF<Bits<W>>,
    last_count: DFF<Bits<CW>>,
    last_expected: DFF<Bits<CW>>,
    last_reduction: DFF<Bits<2>>,
    last_sum: DFF<Bits<AW>>,
    address: Signal<Local, Bits<RA>>,
    target: Signal<Local, Bits<RA>>,
    id_bits: Constant<Bits<4>>,
}

impl<const W: usize, const CW: usize, const LC: usize, const LI: usize, const RA: usize, const AW: usize> Default
    for Rows<W, CW, LC, LI, RA, AW>
{
    fn default() -> Self {
        assert!(RA == LC + LI && (1 << CW) > W);
        crate::fresh!(Rows {
            clock, slot, id, follow, write, new_arrived, new_waiting, new_count, new_expected, new_reduction, new_sum,
            arrived, waiting, count, expected, reduction, sum, ram, at, before, hit, last_arrived, last_waiting,
            last_count, last_expected, last_reduction, last_sum, address, target;
            id_bits: Constant::new((LI as u64).into())
        })
    }
}

impl<const W: usize, const CW: usize, const LC: usize, const LI: usize, const RA: usize, const AW: usize> Logic
    for Rows<W, CW, LC, LI, RA, AW>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            at,
            before,
            hit,
            last_arrived,
            last_waiting,
            last_count,
            last_expected,
            last_reduction,
            last_sum
        );
        self.address.next = bit_cast::<RA, LC>(self.slot.val()) << self.id_bits.val();
        self.address.next = self.address.val() | bit_cast::<RA, LI>(self.id.val());
        self.target.next = self.at.q.val();
        if self.follow.val() {
            self.target.next = self.before.q.val();
        }

        self.ram.clock.next = self.clock.val();
        self.ram.read_address.next = self.address.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.target.val();
        self.ram.write_0.next = self.new_arrived.val();
        self.ram.write_1.next = self.new_waiting.val();
        self.ram.write_2.next = self.new_count.val();
        self.ram.write_3.next = self.new_expected.val();
        self.ram.write_4.next = self.new_reduction.val();
        self.ram.write_5.next = self.new_sum.val();

        // What follows is an exit, and what an exit follows is none: its address is its own.
        self.at.d.next = self.address.val();
        self.before.d.next = self.at.q.val();
        self.hit.d.next = self.write.val() & (self.address.val() == self.target.val());
        self.last_arrived.d.next = self.new_arrived.val();
        self.last_waiting.d.next = self.new_waiting.val();
        self.last_count.d.next = self.new_count.val();
        self.last_expected.d.next = self.new_expected.val();
        self.last_reduction.d.next = self.new_reduction.val();
        self.last_sum.d.next = self.new_sum.val();

        self.arrived.next = self.ram.read_0.val();
        self.waiting.next = self.ram.read_1.val();
        self.count.next = self.ram.read_2.val();
        self.expected.next = self.ram.read_3.val();
        self.reduction.next = self.ram.read_4.val();
        self.sum.next = self.ram.read_5.val();
        if self.hit.q.val() | self.follow.val() {
            self.arrived.next = self.last_arrived.q.val();
            self.waiting.next = self.last_waiting.q.val();
            self.count.next = self.last_count.q.val();
            self.expected.next = self.last_expected.q.val();
            self.reduction.next = self.last_reduction.q.val();
            self.sum.next = self.last_sum.q.val();
        }
    }
}
