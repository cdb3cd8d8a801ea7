// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Deadlocks: finds CTAs whose live warps all wait while nothing is under way that could let one go.
//!
//! *Reads:* who is live, who is stalled, for whom something is on its way, each warp's CTA slot; the operations that enter `named`, and
//! its tangle strobe. *Writes:* an operation for `named` that reports a slot. *Latency:* 1 from the cycle in which a slot is looked at.
//! Implements the deadlocks of spec 000 and `deadlock` of `docs/faults.md`; the exact rules are in `docs/interface.md`.
//!
//! One slot is looked at in each cycle. An operation shows its effects at most four cycles after it entered `named`, so a slot is
//! left in peace that long.

use crate::payload::payload;
use crate::prim::channel::{Source, StrobeIn};
use crate::unit::channels::{DeadCta, Entered, Tangle};
use crate::unit::op::{FaultCode, OpKind};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// The CTA slot of an operation that was taken, if one was.
#[payload]
pub struct Recent<LC> {
    pub taken: Bit,
    pub cta: Bits<LC>,
}

/// What is known of the slots.
#[payload]
pub struct Known<S> {
    /// A second id without a count is open there.
    pub tangled: Bits<S>,
    /// It was dead when it was last looked at.
    pub reported: Bits<S>,
}

/// `W` warps, `S = 2^LC` CTA slots.
#[block(unit = "watch")]
pub struct Watch<W, LC, S> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// Warps launched and not exited.
    #[group("warps")]
    pub live: Signal<In, Bits<W>>,
    /// One bit of every warp's CTA slot.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// Warps that cannot issue until something lets them go.
    pub stalled: Signal<In, Bits<W>>,
    /// Warps of which something is on its way.
    pub moving: Signal<In, Bits<W>>,
    /// an operation has entered the barriers
    #[group("named")]
    pub taken: StrobeIn<Entered<LC>>,
    /// a second id without a count is open in a CTA
    pub tangle: StrobeIn<Tangle<LC>>,
    /// A deadlock
    #[group("operation")]
    pub op: Source<DeadCta<LC>>,

    /// The slot looked at.
    slot: DFF<Bits<LC>>,
    known: DFF<Known<S>>,
    /// Slots of the operations taken one, two and three cycles ago.
    taken_1: DFF<Recent<LC>>,
    taken_2: DFF<Recent<LC>>,
    taken_3: DFF<Recent<LC>>,
    valid: DFF<Bit>,
    dead: DFF<DeadCta<LC>>,
    here: Signal<Local, Bits<W>>,
    awake: Signal<Local, Bits<W>>,
    there: Signal<Local, Bits<W>>,
    moved: Signal<Local, Bits<W>>,
    quiet: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    learnt: Signal<Local, Known<S>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
    nobody: Constant<DeadCta<LC>>,
    nothing: Constant<Known<S>>,
}

#[block]
impl Logic for Watch<W, LC, S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.taken_1.d.next.taken = self.taken.valid.val();
        self.taken_1.d.next.cta = self.taken.payload.val().cta;
        self.taken_2.d.next = self.taken_1.q.val();
        self.taken_3.d.next = self.taken_2.q.val();

        // Its warps; one that has exited may still have its exit under way.
        self.here.next = self.every_warp.val();
        for i in 0..LC {
            if self.slot.q.val().get_bit(i) {
                self.here.next = self.here.val() & self.warp_cta[i].val();
            } else {
                self.here.next = self.here.val() & !self.warp_cta[i].val();
            }
        }
        self.there.next = self.here.val() & self.live.val();
        self.awake.next = self.there.val() & !self.stalled.val();
        self.moved.next = self.here.val() & self.moving.val();
        self.quiet.next = !(self.taken.valid.val() & (self.taken.payload.val().cta == self.slot.q.val()))
            & !(self.taken_1.q.val().taken & (self.taken_1.q.val().cta == self.slot.q.val()))
            & !(self.taken_2.q.val().taken & (self.taken_2.q.val().cta == self.slot.q.val()))
            & !(self.taken_3.q.val().taken & (self.taken_3.q.val().cta == self.slot.q.val()));
        self.found.next = self.known.q.val().tangled.get_bit(self.slot.q.val().index())
            | (self.quiet.val() & self.there.val().any() & !self.awake.val().any() & !self.moved.val().any());

        if self.valid.q.val() & self.op.ready.val() {
            self.valid.d.next = false;
        }
        self.learnt.next = self.known.q.val();
        if !self.valid.q.val() {
            self.slot.d.next = self.slot.q.val() + 1;
            self.learnt.next.reported = self.known.q.val().reported.replace_bit(self.slot.q.val().index(), self.found.val());
            if self.found.val() & !self.known.q.val().reported.get_bit(self.slot.q.val().index()) {
                self.valid.d.next = true;
                self.dead.d.next.cta = self.slot.q.val();
            }
        }
        if self.tangle.valid.val() {
            self.learnt.next.tangled = self.known.q.val().tangled.replace_bit(self.tangle.payload.val().cta.index(), true);
        }
        if self.taken.valid.val()
            & (self.taken.payload.val().kind == OpKind::Release)
            & (self.taken.payload.val().fault == FaultCode::None)
        {
            self.learnt.next.tangled = self.learnt.val().tangled.replace_bit(self.taken.payload.val().cta.index(), false);
            self.learnt.next.reported = self.learnt.val().reported.replace_bit(self.taken.payload.val().cta.index(), false);
        }
        self.known.d.next = self.learnt.val();

        if self.reset.val() {
            self.slot.d.next = 0.into();
            self.known.d.next = self.nothing.val();
            self.taken_1.d.next.taken = false;
            self.taken_2.d.next.taken = false;
            self.taken_3.d.next.taken = false;
            self.valid.d.next = false;
            self.dead.d.next = self.nobody.val();
        }
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next = self.dead.q.val();
    }
}
