// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Deadlocks: finds CTAs whose live warps all wait while nothing is under way that could let one go.
//!
//! *Reads:* who is live, who is stalled, for whom something is on its way, each warp's CTA slot; the operations that enter `named`, and
//! its tangle strobe. *Writes:* the channel of slots that are dead. *Latency:* 1 from the cycle in which a slot is looked at.
//! Implements the deadlocks of spec 000 and `deadlock` of `docs/faults.md`; the exact rules are in `docs/interface.md`.
//!
//! One of the slots that are built is looked at in each cycle. What an operation does to its warp shows when the warp is no longer moving, so
//! there is nothing else to wait for.

use crate::prelude::*;

/// `W` warps, `S` CTA slots.
#[block(unit = "watch")]
pub struct Watch<W, LC, S> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
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
    #[group("named")]
    pub taken: StrobeIn<Entered<LC>>,
    #[group("named")]
    pub tangle: StrobeIn<Tangle<LC>>,
    #[group("report")]
    pub dead: Source<DeadCta<LC>>,

    /// The slot looked at.
    #[reset]
    slot: DFF<Bits<LC>>,
    /// Slots in which a second id without a count is open; those of which what has happened to them is reported and not over.
    #[reset]
    tangled: DFF<Bits<S>>,
    #[reset]
    reported: DFF<Bits<S>>,
    report: Buffer<DeadCta<LC>>,
    elsewhere: Signal<Local, Bits<W>>,
    awake: Signal<Local, Bits<W>>,
    there: Signal<Local, Bits<W>>,
    moved: Signal<Local, Bits<W>>,
    /// All live warps of the slot looked at are stalled, and there is one.
    waits: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    /// What was reported of it is over.
    ends: Signal<Local, Bit>,
    tangles: Signal<Local, Bits<S>>,
    released: Signal<Local, Bits<S>>,
    went_on: Signal<Local, Bits<S>>,
    looked: Signal<Local, Bits<S>>,
    #[init(Constant::new((S as u64 - 1).into()))]
    last: Constant<Bits<LC>>,
}

#[block]
impl Logic for Watch<W, LC, S> {
    fn update(&mut self) {
        // Its warps; one that has exited may still have its exit under way.
        self.elsewhere.next = 0.into();
        for i in 0..LC {
            if self.slot.q.val().get_bit(i) {
                self.elsewhere.next = self.elsewhere.val() | !self.warp_cta[i].val();
            } else {
                self.elsewhere.next = self.elsewhere.val() | self.warp_cta[i].val();
            }
        }
        self.there.next = self.live.val() & !self.elsewhere.val();
        self.awake.next = self.there.val() & !self.stalled.val();
        self.moved.next = self.moving.val() & !self.elsewhere.val();
        self.waits.next = self.there.val().any() & !self.awake.val().any();
        self.found.next = self.tangled.q.val().at(self.slot.q.val()) | (self.waits.val() & !self.moved.val().any());
        self.ends.next = !self.tangled.q.val().at(self.slot.q.val()) & !self.waits.val();

        // What is looked at is reported once; then the next slot. What warps that wait read or write ends no hang.
        self.looked.next = self.reported.q.val();
        if self.report.in_.ready.val() {
            self.slot.d.next = self.slot.q.val() + 1;
            if self.slot.q.val() == self.last.val() {
                self.slot.d.next = 0.into();
            }
            if self.found.val() {
                self.looked.next = self.reported.q.val().with(self.slot.q.val(), true);
            }
            if self.ends.val() {
                self.looked.next = self.reported.q.val().with(self.slot.q.val(), false);
            }
        }
        self.report.in_.valid.next = self.found.val() & !self.reported.q.val().at(self.slot.q.val());
        self.report.in_.payload.next.cta = self.slot.q.val();
        Channel::join(&mut self.report.out, &mut self.dead);

        self.tangles.next = 0.into();
        if self.tangle.valid.val() {
            self.tangles.next = self.tangles.val().with(self.tangle.payload.val().cta, true);
        }
        self.released.next = 0.into();
        if self.taken.valid.val()
            & (self.taken.payload.val().kind == OpKind::Release)
            & (self.taken.payload.val().fault == FaultCode::None)
        {
            self.released.next = self.released.val().with(self.taken.payload.val().cta, true);
        }
        // Whoever arrives or exits went on, though it may wait again before its slot is looked at.
        self.went_on.next = 0.into();
        if self.taken.valid.val()
            & ((self.taken.payload.val().kind == OpKind::Sync)
                | (self.taken.payload.val().kind == OpKind::Arrive)
                | (self.taken.payload.val().kind == OpKind::Reduce)
                | (self.taken.payload.val().kind == OpKind::Gateway)
                | (self.taken.payload.val().kind == OpKind::Exit))
            & (self.taken.payload.val().fault == FaultCode::None)
        {
            self.went_on.next = self.went_on.val().with(self.taken.payload.val().cta, true);
        }
        self.tangled.d.next = (self.tangled.q.val() | self.tangles.val()) & !self.released.val();
        self.reported.d.next = self.looked.val() & !self.released.val() & (!self.went_on.val() | self.tangled.q.val());
    }
}
