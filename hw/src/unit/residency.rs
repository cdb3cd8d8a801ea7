// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who is there: CTAs take and give back their slot and warp slots, warps exit.
//!
//! *Reads:* the channels `launch`, `retire` and `exit`; who is blocked; whose last lanes are gone; for whom an operation is in flight; whether
//! `named` is clearing rows. *Writes:* the operation channel; who is live; each warp's CTA slot. *Latency:* 2 from `launch` and `exit` to the operation, 3
//! from `retire`.
//!
//! Each channel has one place. The slot of a warp is kept as one vector per bit of the slot number, so that a launch writes
//! all its warps at once. A CTA retires in two steps, so that its slots are not taken anew while operations of its warps are still on
//! their way. Implements the CTA instances and exited threads of spec 000, and the exact rules of `docs/interface.md`.

use crate::prim::channel::{Sink, Source, StrobeIn};
use crate::unit::channels::{CtaOp, Exit, Launch, Retire, WarpExit};
use crate::unit::op::{FaultCode, OpKind};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W = 2^LW` warps counted in `CW` bits, of `L` lanes, `C` CTA slots, `S = 2^LC`.
#[block(unit = "residency")]
pub struct Residency<W, LW, CW, LC, S, L> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// A launch
    #[group("launch")]
    pub launch: Sink<Launch<W, LC, L>>,
    /// A CTA's release
    #[group("retire")]
    pub retire: Sink<Retire<LC>>,
    /// The exit of lanes of a warp
    #[group("exit")]
    pub exit: Sink<Exit<LW, L>>,
    /// Warps that may not exit.
    #[group("named")]
    pub blocked: Signal<In, Bits<W>>,
    /// Rows are being cleared; a launch waits.
    pub clearing: Signal<In, Bit>,
    /// the last lanes of a warp have exited
    #[group("gather")]
    pub gone: StrobeIn<WarpExit<LW>>,
    /// Warps of which an operation has yet to reach the barriers.
    pub in_flight: Signal<In, Bits<W>>,
    /// An operation
    #[group("operation")]
    pub op: Source<CtaOp<W, LW, CW, LC, L>>,
    /// Warps launched and not gone.
    #[group("warps")]
    pub live: Signal<Out, Bits<W>>,
    /// Warps whose exit is on its way here.
    pub exits: Signal<Out, Bits<W>>,
    /// One bit of every warp's CTA slot.
    pub warp_cta: [Signal<Out, Bits<W>>; LC],

    // The places of the channels.
    launching: DFF<Bit>,
    to_launch: DFF<Launch<W, LC, L>>,
    retiring: DFF<Bit>,
    /// The slot was checked and its warps are not live any more.
    ending: DFF<Bit>,
    to_retire: DFF<Retire<LC>>,
    exiting: DFF<Bit>,
    to_exit: DFF<Exit<LW, L>>,

    // Who is there.
    taken: DFF<Bits<W>>,
    alive: DFF<Bits<W>>,
    slots: DFF<Bits<S>>,
    slot_bit: [DFF<Bits<W>>; LC],

    // The operation port.
    valid: DFF<Bit>,
    offer: DFF<CtaOp<W, LW, CW, LC, L>>,

    do_exit: Signal<Local, Bit>,
    retire_turn: Signal<Local, Bit>,
    do_end: Signal<Local, Bit>,
    do_retire: Signal<Local, Bit>,
    do_launch: Signal<Local, Bit>,
    verdict: Signal<Local, FaultCode>,
    of_exit: Signal<Local, Bits<LC>>,
    of_retire: Signal<Local, Bits<W>>,
    late: Signal<Local, Bits<W>>,
    remain: Signal<Local, Bits<W>>,
    begins: Signal<Local, Bits<W>>,
    clash: Signal<Local, Bits<W>>,
    total: Signal<Local, Bits<CW>>,
    living: Signal<Local, Bits<CW>>,
    built: Constant<Bits<S>>,
    nothing: Constant<CtaOp<W, LW, CW, LC, L>>,
}

#[block]
impl Residency<W, LW, CW, LC, S, L> {
    /// `cta_slots` that are built, at most `S`.
    pub fn new(cta_slots: usize) -> Self {
        assert!(W == 1 << LW && S == 1 << LC && (1 << CW) > W && cta_slots <= S);
        Residency { built: Constant::new(((1u64 << cta_slots) - 1).into()), ..Default::default() }
    }
}

#[block]
impl Logic for Residency<W, LW, CW, LC, S, L> {
    #[hdl_gen]
    fn update(&mut self) {
        // What is handled: only while the operation port is free; a launch not before rows are cleared.
        self.do_exit.next = self.exiting.q.val() & !self.valid.q.val();
        self.retire_turn.next = self.retiring.q.val() & !self.valid.q.val() & !self.exiting.q.val();
        self.do_launch.next = self.launching.q.val()
            & !self.valid.q.val()
            & !self.exiting.q.val()
            & !self.retiring.q.val()
            & !self.clearing.val();

        // Where the warp that exits lives, and which warps live where the CTA retires.
        self.of_exit.next = 0.into();
        self.of_retire.next = self.taken.q.val();
        for i in 0..LC {
            if self.slot_bit[i].q.val().get_bit(self.to_exit.q.val().warp.index()) {
                self.of_exit.next = self.of_exit.val().replace_bit(i, true);
            }
            if self.to_retire.q.val().cta.get_bit(i) {
                self.of_retire.next = self.of_retire.val() & self.slot_bit[i].q.val();
            } else {
                self.of_retire.next = self.of_retire.val() & !self.slot_bit[i].q.val();
            }
        }

        // A CTA that retires ends first; its slots are given back when nothing of its warps is in flight.
        self.do_end.next =
            self.retire_turn.val() & !self.ending.q.val() & self.slots.q.val().get_bit(self.to_retire.q.val().cta.index());
        self.late.next = self.of_retire.val() & self.in_flight.val();
        self.do_retire.next = self.retire_turn.val()
            & !self.do_end.val()
            & !(self.ending.q.val() & (self.clearing.val() | self.late.val().any()));

        // The warps of a launch.
        self.begins.next = self.to_launch.q.val().warps & !self.to_launch.q.val().exited;
        self.clash.next = self.to_launch.q.val().warps & self.taken.q.val();
        self.total.next = 0.into();
        self.living.next = 0.into();
        for i in 0..W {
            self.total.next = self.total.val() + self.to_launch.q.val().warps.get_bit(i);
            self.living.next = self.living.val() + self.begins.val().get_bit(i);
        }

        // What is wrong.
        self.verdict.next = FaultCode::None;
        if self.do_exit.val() {
            if self.blocked.val().get_bit(self.to_exit.q.val().warp.index()) {
                self.verdict.next = FaultCode::WarpBlocked;
            }
            if !self.alive.q.val().get_bit(self.to_exit.q.val().warp.index()) {
                self.verdict.next = FaultCode::NotResident;
            }
        }
        if self.do_retire.val() & !self.slots.q.val().get_bit(self.to_retire.q.val().cta.index()) {
            self.verdict.next = FaultCode::NotResident;
        }
        if self.do_launch.val()
            & (self.clash.val().any()
                | self.slots.q.val().get_bit(self.to_launch.q.val().cta.index())
                | !self.built.val().get_bit(self.to_launch.q.val().cta.index()))
        {
            self.verdict.next = FaultCode::SlotOccupied;
        }

        // Who stays live.
        self.remain.next = self.alive.q.val();
        if self.gone.valid.val() {
            self.remain.next = self.alive.q.val().replace_bit(self.gone.payload.val().warp.index(), false);
        }
        if self.do_end.val() {
            self.ending.d.next = true;
            self.remain.next = self.remain.val() & !self.of_retire.val();
        }
        self.alive.d.next = self.remain.val();

        // The operation, and what changes.
        if self.valid.q.val() & self.op.ready.val() {
            self.valid.d.next = false;
        }
        if self.do_exit.val() | self.do_retire.val() | self.do_launch.val() {
            self.valid.d.next = true;
            self.offer.d.next = self.nothing.val();
            self.offer.d.next.fault = self.verdict.val();
        }
        if self.do_exit.val() {
            self.exiting.d.next = false;
            self.offer.d.next.kind = OpKind::Exit;
            self.offer.d.next.warp = self.to_exit.q.val().warp;
            self.offer.d.next.cta = self.of_exit.val();
            self.offer.d.next.lanes = self.to_exit.q.val().lanes;
        }
        if self.do_retire.val() {
            self.retiring.d.next = false;
            self.ending.d.next = false;
            self.offer.d.next.kind = OpKind::Release;
            self.offer.d.next.cta = self.to_retire.q.val().cta;
            self.offer.d.next.cta_warps.mask = self.of_retire.val();
            self.offer.d.next.cta_warps.saved = self.to_retire.q.val().saved;
            if self.verdict.val() == FaultCode::None {
                self.slots.d.next = self.slots.q.val().replace_bit(self.to_retire.q.val().cta.index(), false);
                self.taken.d.next = self.taken.q.val() & !self.of_retire.val();
            }
        }
        if self.do_launch.val() {
            self.launching.d.next = false;
            self.offer.d.next.kind = OpKind::Launch;
            self.offer.d.next.cta = self.to_launch.q.val().cta;
            self.offer.d.next.cta_warps.warps = self.total.val();
            self.offer.d.next.cta_warps.live = self.living.val();
            self.offer.d.next.cta_warps.barriers = self.to_launch.q.val().barriers;
            self.offer.d.next.cta_warps.mask = self.to_launch.q.val().warps;
            self.offer.d.next.lanes = self.to_launch.q.val().lanes;
            if self.verdict.val() == FaultCode::None {
                self.slots.d.next = self.slots.q.val().replace_bit(self.to_launch.q.val().cta.index(), true);
                self.taken.d.next = self.taken.q.val() | self.to_launch.q.val().warps;
                self.alive.d.next = self.remain.val() | self.begins.val();
            }
        }

        // The channels.
        self.launch.ready.next = !self.launching.q.val();
        if self.launch.valid.val() & !self.launching.q.val() {
            self.launching.d.next = true;
            self.to_launch.d.next = self.launch.payload.val();
        }
        self.retire.ready.next = !self.retiring.q.val();
        if self.retire.valid.val() & !self.retiring.q.val() {
            self.retiring.d.next = true;
            self.to_retire.d.next = self.retire.payload.val();
        }
        self.exit.ready.next = !self.exiting.q.val();
        if self.exit.valid.val() & !self.exiting.q.val() {
            self.exiting.d.next = true;
            self.to_exit.d.next = self.exit.payload.val();
        }
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next = self.offer.q.val();

        if self.reset.val() {
            self.launching.d.next = false;
            self.retiring.d.next = false;
            self.ending.d.next = false;
            self.exiting.d.next = false;
            self.taken.d.next = 0.into();
            self.alive.d.next = 0.into();
            self.slots.d.next = 0.into();
            self.valid.d.next = false;
            self.offer.d.next = self.nothing.val();
        }
        for i in 0..LC {
            if self.do_launch.val() & (self.verdict.val() == FaultCode::None) {
                self.slot_bit[i].d.next = self.slot_bit[i].q.val() & !self.to_launch.q.val().warps;
                if self.to_launch.q.val().cta.get_bit(i) {
                    self.slot_bit[i].d.next = self.slot_bit[i].q.val() | self.to_launch.q.val().warps;
                }
            }
            if self.reset.val() {
                self.slot_bit[i].d.next = 0.into();
            }
            self.warp_cta[i].next = self.slot_bit[i].q.val();
        }

        self.live.next = self.alive.q.val();
        self.exits.next = 0.into();
        if self.exiting.q.val() {
            self.exits.next = self.exits.val().replace_bit(self.to_exit.q.val().warp.index(), true);
        }
        if self.valid.q.val() & (self.offer.q.val().kind == OpKind::Exit) {
            self.exits.next = self.exits.val().replace_bit(self.offer.q.val().warp.index(), true);
        }
    }
}
