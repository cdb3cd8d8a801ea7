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

pub mod ports;

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
    new_cta: DFF<Bits<LC>>,
    new_warps: DFF<Bits<W>>,
    new_exited: DFF<Bits<W>>,
    new_lanes: DFF<Bits<L>>,
    new_barriers: DFF<Bits<5>>,
    retiring: DFF<Bit>,
    /// The slot was checked and its warps are not live any more.
    ending: DFF<Bit>,
    old_cta: DFF<Bits<LC>>,
    old_saved: DFF<Bit>,
    exiting: DFF<Bit>,
    old_warp: DFF<Bits<LW>>,
    old_lanes: DFF<Bits<L>>,

    // Who is there.
    taken: DFF<Bits<W>>,
    alive: DFF<Bits<W>>,
    slots: DFF<Bits<S>>,
    slot_bit: [DFF<Bits<W>>; LC],

    // The operation port.
    valid: DFF<Bit>,
    kind: DFF<OpKind>,
    fault: DFF<FaultCode>,
    warp: DFF<Bits<LW>>,
    cta: DFF<Bits<LC>>,
    warps: DFF<Bits<CW>>,
    live_warps: DFF<Bits<CW>>,
    barriers: DFF<Bits<5>>,
    mask: DFF<Bits<W>>,
    saved: DFF<Bit>,
    lanes: DFF<Bits<L>>,

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
            if self.slot_bit[i].q.val().get_bit(self.old_warp.q.val().index()) {
                self.of_exit.next = self.of_exit.val().replace_bit(i, true);
            }
            if self.old_cta.q.val().get_bit(i) {
                self.of_retire.next = self.of_retire.val() & self.slot_bit[i].q.val();
            } else {
                self.of_retire.next = self.of_retire.val() & !self.slot_bit[i].q.val();
            }
        }

        // A CTA that retires ends first; its slots are given back when nothing of its warps is in flight.
        self.do_end.next =
            self.retire_turn.val() & !self.ending.q.val() & self.slots.q.val().get_bit(self.old_cta.q.val().index());
        self.late.next = self.of_retire.val() & self.in_flight.val();
        self.do_retire.next = self.retire_turn.val()
            & !self.do_end.val()
            & !(self.ending.q.val() & (self.clearing.val() | self.late.val().any()));

        // The warps of a launch.
        self.begins.next = self.new_warps.q.val() & !self.new_exited.q.val();
        self.clash.next = self.new_warps.q.val() & self.taken.q.val();
        self.total.next = 0.into();
        self.living.next = 0.into();
        for i in 0..W {
            self.total.next = self.total.val() + self.new_warps.q.val().get_bit(i);
            self.living.next = self.living.val() + self.begins.val().get_bit(i);
        }

        // What is wrong.
        self.verdict.next = FaultCode::None;
        if self.do_exit.val() {
            if self.blocked.val().get_bit(self.old_warp.q.val().index()) {
                self.verdict.next = FaultCode::WarpBlocked;
            }
            if !self.alive.q.val().get_bit(self.old_warp.q.val().index()) {
                self.verdict.next = FaultCode::NotResident;
            }
        }
        if self.do_retire.val() & !self.slots.q.val().get_bit(self.old_cta.q.val().index()) {
            self.verdict.next = FaultCode::NotResident;
        }
        if self.do_launch.val()
            & (self.clash.val().any()
                | self.slots.q.val().get_bit(self.new_cta.q.val().index())
                | !self.built.val().get_bit(self.new_cta.q.val().index()))
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
            self.fault.d.next = self.verdict.val();
            self.warp.d.next = 0.into();
            self.warps.d.next = 0.into();
            self.live_warps.d.next = 0.into();
            self.barriers.d.next = 0.into();
            self.mask.d.next = 0.into();
            self.saved.d.next = false;
            self.lanes.d.next = 0.into();
        }
        if self.do_exit.val() {
            self.exiting.d.next = false;
            self.kind.d.next = OpKind::Exit;
            self.warp.d.next = self.old_warp.q.val();
            self.cta.d.next = self.of_exit.val();
            self.lanes.d.next = self.old_lanes.q.val();
        }
        if self.do_retire.val() {
            self.retiring.d.next = false;
            self.ending.d.next = false;
            self.kind.d.next = OpKind::Release;
            self.cta.d.next = self.old_cta.q.val();
            self.mask.d.next = self.of_retire.val();
            self.saved.d.next = self.old_saved.q.val();
            if self.verdict.val() == FaultCode::None {
                self.slots.d.next = self.slots.q.val().replace_bit(self.old_cta.q.val().index(), false);
                self.taken.d.next = self.taken.q.val() & !self.of_retire.val();
            }
        }
        if self.do_launch.val() {
            self.launching.d.next = false;
            self.kind.d.next = OpKind::Launch;
            self.cta.d.next = self.new_cta.q.val();
            self.warps.d.next = self.total.val();
            self.live_warps.d.next = self.living.val();
            self.barriers.d.next = self.new_barriers.q.val();
            self.mask.d.next = self.new_warps.q.val();
            self.lanes.d.next = self.new_lanes.q.val();
            if self.verdict.val() == FaultCode::None {
                self.slots.d.next = self.slots.q.val().replace_bit(self.new_cta.q.val().index(), true);
                self.taken.d.next = self.taken.q.val() | self.new_warps.q.val();
                self.alive.d.next = self.remain.val() | self.begins.val();
            }
        }

        // The channels.
        if self.launch.valid.val() & !self.launching.q.val() {
            self.launching.d.next = true;
            self.new_cta.d.next = self.launch.payload.val().cta;
            self.new_warps.d.next = self.launch.payload.val().warps;
            self.new_exited.d.next = self.launch.payload.val().exited;
            self.new_lanes.d.next = self.launch.payload.val().lanes;
            self.new_barriers.d.next = self.launch.payload.val().barriers;
        }
        if self.retire.valid.val() & !self.retiring.q.val() {
            self.retiring.d.next = true;
            self.old_cta.d.next = self.retire.payload.val().cta;
            self.old_saved.d.next = self.retire.payload.val().saved;
        }
        if self.exit.valid.val() & !self.exiting.q.val() {
            self.exiting.d.next = true;
            self.old_warp.d.next = self.exit.payload.val().warp;
            self.old_lanes.d.next = self.exit.payload.val().lanes;
        }

        if self.reset.val() {
            self.launching.d.next = false;
            self.retiring.d.next = false;
            self.ending.d.next = false;
            self.exiting.d.next = false;
            self.taken.d.next = 0.into();
            self.alive.d.next = 0.into();
            self.slots.d.next = 0.into();
            self.valid.d.next = false;
            self.kind.d.next = OpKind::Sync;
            self.fault.d.next = FaultCode::None;
            self.warp.d.next = 0.into();
            self.cta.d.next = 0.into();
            self.warps.d.next = 0.into();
            self.live_warps.d.next = 0.into();
            self.barriers.d.next = 0.into();
            self.mask.d.next = 0.into();
            self.saved.d.next = false;
            self.lanes.d.next = 0.into();
        }
        for i in 0..LC {
            if self.do_launch.val() & (self.verdict.val() == FaultCode::None) {
                self.slot_bit[i].d.next = self.slot_bit[i].q.val() & !self.new_warps.q.val();
                if self.new_cta.q.val().get_bit(i) {
                    self.slot_bit[i].d.next = self.slot_bit[i].q.val() | self.new_warps.q.val();
                }
            }
            if self.reset.val() {
                self.slot_bit[i].d.next = 0.into();
            }
            self.warp_cta[i].next = self.slot_bit[i].q.val();
        }

        self.launch.ready.next = !self.launching.q.val();
        self.retire.ready.next = !self.retiring.q.val();
        self.exit.ready.next = !self.exiting.q.val();
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next.kind = self.kind.q.val();
        self.op.payload.next.fault = self.fault.q.val();
        self.op.payload.next.warp = self.warp.q.val();
        self.op.payload.next.cta = self.cta.q.val();
        self.op.payload.next.cta_warps.warps = self.warps.q.val();
        self.op.payload.next.cta_warps.live = self.live_warps.q.val();
        self.op.payload.next.cta_warps.barriers = self.barriers.q.val();
        self.op.payload.next.cta_warps.mask = self.mask.q.val();
        self.op.payload.next.cta_warps.saved = self.saved.q.val();
        self.op.payload.next.lanes = self.lanes.q.val();
        self.live.next = self.alive.q.val();
        self.exits.next = 0.into();
        if self.exiting.q.val() {
            self.exits.next = self.exits.val().replace_bit(self.old_warp.q.val().index(), true);
        }
        if self.valid.q.val() & (self.kind.q.val() == OpKind::Exit) {
            self.exits.next = self.exits.val().replace_bit(self.warp.q.val().index(), true);
        }
    }
}
