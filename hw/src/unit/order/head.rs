// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oldest operation of the queue: it passes, or is parked, or stays.
//!
//! *Reads:* the head, and those that may be it in the next cycle; who has accesses outstanding and for whom something is parked in the next cycle;
//! whether a parked operation is to go. *Writes:* what of the two is offered, whether the head is parked or leaves the queue (gates); who has
//! settled or left (registers, latency 1).
//!
//! What becomes of a head is decided in the cycle before, on what will stand then: else its warp would have to be looked up before
//! anything can be offered. It is decided for the head that stays and for the one that follows it, so that neither waits to know
//! which of them it will be.

use crate::unit::op::{FaultCode, OpKind, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W = 2^LW` warps.
#[block]
pub struct Head<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    pub fault: Signal<In, FaultCode>,
    pub state: Signal<In, StateWord>,
    pub warp: Signal<In, Bits<LW>>,
    pub counted: Signal<In, Bit>,
    /// In the next cycle: the head if this one stays, and if it leaves; warps with an access outstanding, with one and two operations
    /// parked.
    pub next_kind: [Signal<In, OpKind>; 2],
    pub next_fault: [Signal<In, FaultCode>; 2],
    pub next_warp: [Signal<In, Bits<LW>>; 2],
    pub busy: Signal<In, Bits<W>>,
    pub first: Signal<In, Bits<W>>,
    pub second: Signal<In, Bits<W>>,
    /// A parked operation is to go.
    pub other: Signal<In, Bit>,
    pub op_ready: Signal<In, Bit>,
    /// The head's warp, one bit.
    pub own: Signal<Out, Bits<W>>,
    pub goes: Signal<Out, Bit>,
    pub other_goes: Signal<Out, Bit>,
    pub parks: Signal<Out, Bit>,
    pub pop: Signal<Out, Bit>,
    pub settled: Signal<Out, Bits<W>>,
    pub left: Signal<Out, Bits<W>>,
    /// The head was offered and not taken: it stays offered whatever happens to its warp.
    offered: DFF<Bit>,
    /// The head passes; it does not, and a place is free.
    passes: DFF<Bit>,
    may_park: DFF<Bit>,
    /// Of operations passed on: who settles in the next cycle, and in the one after it.
    soon: DFF<Bits<W>>,
    later: DFF<Bits<W>>,
    reg_settled: DFF<Bits<W>>,
    reg_left: DFF<Bits<W>>,
    good: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    through: Signal<Local, Bit>,
    next_arrival: [Signal<Local, Bit>; 2],
    next_through: [Signal<Local, Bit>; 2],
    will_pass: [Signal<Local, Bit>; 2],
    will_park: [Signal<Local, Bit>; 2],
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Head<W, LW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.own.next = self.no_warps.val().replace_bit(self.warp.val().index(), true);
        self.good.next = self.fault.val() == FaultCode::None;
        self.arrival.next = self.good.val()
            & ((self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Arrive) | (self.kind.val() == OpKind::Reduce));
        self.through.next =
            (self.kind.val() == OpKind::Exit) | (self.kind.val() == OpKind::Launch) | (self.kind.val() == OpKind::Release);

        self.other_goes.next = self.other.val() & !self.offered.q.val();
        self.goes.next = self.valid.val() & !self.other_goes.val() & (self.offered.q.val() | self.passes.q.val());
        self.parks.next = self.valid.val() & !self.offered.q.val() & self.may_park.q.val();
        self.pop.next = self.parks.val() | (self.goes.val() & self.op_ready.val());
        self.offered.d.next = self.goes.val() & !self.op_ready.val();

        for i in 0..2 {
            self.next_arrival[i].next = (self.next_fault[i].val() == FaultCode::None)
                & ((self.next_kind[i].val() == OpKind::Sync)
                    | (self.next_kind[i].val() == OpKind::Arrive)
                    | (self.next_kind[i].val() == OpKind::Reduce));
            self.next_through[i].next = (self.next_kind[i].val() == OpKind::Exit)
                | (self.next_kind[i].val() == OpKind::Launch)
                | (self.next_kind[i].val() == OpKind::Release);
            self.will_pass[i].next = self.next_through[i].val()
                | (!self.first.val().get_bit(self.next_warp[i].val().index())
                    & !(self.next_arrival[i].val() & self.busy.val().get_bit(self.next_warp[i].val().index())));
            self.will_park[i].next = !self.will_pass[i].val() & !self.second.val().get_bit(self.next_warp[i].val().index());
        }
        self.passes.d.next = self.will_pass[0].val();
        self.may_park.d.next = self.will_park[0].val();
        if self.pop.val() {
            self.passes.d.next = self.will_pass[1].val();
            self.may_park.d.next = self.will_park[1].val();
        }

        // What is passed on settles when it has its effects in `named`.
        self.reg_settled.d.next = self.soon.q.val();
        self.soon.d.next = self.later.q.val();
        self.later.d.next = 0.into();
        self.reg_left.d.next = 0.into();
        if self.pop.val() {
            if self.counted.val() {
                if self.parks.val() {
                    self.reg_settled.d.next = self.soon.q.val() | self.own.val();
                } else {
                    if self.through.val() | ((self.kind.val() == OpKind::Write) & (self.state.val() == StateWord::Warp)) {
                        self.later.d.next = self.own.val();
                    } else {
                        self.soon.d.next = self.later.q.val() | self.own.val();
                    }
                }
            } else {
                if self.arrival.val() | (self.good.val() & (self.kind.val() == OpKind::Exit)) {
                    self.reg_left.d.next = self.own.val();
                }
            }
        }

        if self.reset.val() {
            self.offered.d.next = false;
            self.soon.d.next = 0.into();
            self.later.d.next = 0.into();
            self.reg_settled.d.next = 0.into();
            self.reg_left.d.next = 0.into();
        }
        self.settled.next = self.reg_settled.q.val();
        self.left.next = self.reg_left.q.val();
    }
}
