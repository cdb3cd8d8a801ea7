// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Deadlocks: finds CTAs whose live warps all wait while nothing is under way that could let one go.
//!
//! *Reads:* who is live, who is stalled, for whom something is on its way, each warp's CTA slot; the operations that enter `named`, and
//! its tangle strobe. *Writes:* an operation for `named` that reports a slot. *Latency:* 1 from the cycle in which a slot is looked at.
//! Implements the deadlocks of spec 000 and `deadlock` of `docs/faults.md`; the exact rules are in `docs/interface.md`.
//!
//! One slot is looked at in each cycle. An operation shows its effects at most four cycles after it entered `named`, so a slot is
//! left in peace that long.

use crate::unit::op::{FaultCode, OpKind};
use bcu_derive::block;
use rust_hdl::prelude::*;

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
    /// One cycle: an operation has entered the barriers.
    #[group("named")]
    pub taken_valid: Signal<In, Bit>,
    /// What it does.
    pub taken_kind: Signal<In, OpKind>,
    /// What was wrong with it.
    pub taken_fault: Signal<In, FaultCode>,
    /// Its CTA slot.
    pub taken_cta: Signal<In, Bits<LC>>,
    /// One cycle: a second id without a count is open in a CTA.
    pub tangle_valid: Signal<In, Bit>,
    /// Its CTA slot.
    pub tangle_cta: Signal<In, Bits<LC>>,
    /// A deadlock is to be reported; it holds until it is taken.
    #[group("operation")]
    pub op_valid: Signal<Out, Bit>,
    /// It is taken at the end of this cycle if it is valid.
    pub op_ready: Signal<In, Bit>,
    /// The CTA slot that is dead.
    pub op_cta: Signal<Out, Bits<LC>>,

    /// The slot looked at.
    slot: DFF<Bits<LC>>,
    tangled: DFF<Bits<S>>,
    reported: DFF<Bits<S>>,
    /// Slots of the operations taken one, two and three cycles ago.
    taken_1: DFF<Bit>,
    cta_1: DFF<Bits<LC>>,
    taken_2: DFF<Bit>,
    cta_2: DFF<Bits<LC>>,
    taken_3: DFF<Bit>,
    cta_3: DFF<Bits<LC>>,
    valid: DFF<Bit>,
    cta: DFF<Bits<LC>>,
    here: Signal<Local, Bits<W>>,
    awake: Signal<Local, Bits<W>>,
    there: Signal<Local, Bits<W>>,
    moved: Signal<Local, Bits<W>>,
    quiet: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    tangled_next: Signal<Local, Bits<S>>,
    reported_next: Signal<Local, Bits<S>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
}

#[block]
impl Logic for Watch<W, LC, S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.taken_1.d.next = self.taken_valid.val();
        self.cta_1.d.next = self.taken_cta.val();
        self.taken_2.d.next = self.taken_1.q.val();
        self.cta_2.d.next = self.cta_1.q.val();
        self.taken_3.d.next = self.taken_2.q.val();
        self.cta_3.d.next = self.cta_2.q.val();

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
        self.quiet.next = !(self.taken_valid.val() & (self.taken_cta.val() == self.slot.q.val()))
            & !(self.taken_1.q.val() & (self.cta_1.q.val() == self.slot.q.val()))
            & !(self.taken_2.q.val() & (self.cta_2.q.val() == self.slot.q.val()))
            & !(self.taken_3.q.val() & (self.cta_3.q.val() == self.slot.q.val()));
        self.found.next = self.tangled.q.val().get_bit(self.slot.q.val().index())
            | (self.quiet.val() & self.there.val().any() & !self.awake.val().any() & !self.moved.val().any());

        if self.valid.q.val() & self.op_ready.val() {
            self.valid.d.next = false;
        }
        self.tangled_next.next = self.tangled.q.val();
        self.reported_next.next = self.reported.q.val();
        if !self.valid.q.val() {
            self.slot.d.next = self.slot.q.val() + 1;
            self.reported_next.next = self.reported.q.val().replace_bit(self.slot.q.val().index(), self.found.val());
            if self.found.val() & !self.reported.q.val().get_bit(self.slot.q.val().index()) {
                self.valid.d.next = true;
                self.cta.d.next = self.slot.q.val();
            }
        }
        if self.tangle_valid.val() {
            self.tangled_next.next = self.tangled.q.val().replace_bit(self.tangle_cta.val().index(), true);
        }
        self.tangled.d.next = self.tangled_next.val();
        self.reported.d.next = self.reported_next.val();
        if self.taken_valid.val() & (self.taken_kind.val() == OpKind::Release) & (self.taken_fault.val() == FaultCode::None) {
            self.tangled.d.next = self.tangled_next.val().replace_bit(self.taken_cta.val().index(), false);
            self.reported.d.next = self.reported_next.val().replace_bit(self.taken_cta.val().index(), false);
        }

        if self.reset.val() {
            self.slot.d.next = 0.into();
            self.tangled.d.next = 0.into();
            self.reported.d.next = 0.into();
            self.taken_1.d.next = false;
            self.taken_2.d.next = false;
            self.taken_3.d.next = false;
            self.valid.d.next = false;
            self.cta.d.next = 0.into();
        }
        self.op_valid.next = self.valid.q.val();
        self.op_cta.next = self.cta.q.val();
    }
}
