// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Detects deadlocks: CTAs whose live warps all wait while no operation is in flight that could release one of them.
//!
//! *Reads:* a walk over the warps; the mask of stalled warps; operations that enter `gather` or `named`; the implicit conflicts
//! that `named` reports. *Writes:* the channel of CTA slots in a deadlock or conflict. *Latency:* two walks for each CTA slot, and
//! 2 cycles. Implements the deadlocks of spec 000 and `deadlock` of `docs/contract/faults.md`; the exact rules are in
//! `docs/contract/deadlock_detector.md`.
//!
//! Each CTA slot is examined for two walks. If the first walk finds no operation of the CTA slot in flight, none of its warps can be
//! released or stopped any more. So the states that the second walk reads, one warp a cycle, are all valid together at its end. An
//! operation of the CTA slot that enters `gather` during the walks counts as an operation in flight.

use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `S` CTA slots with numbers of `LC` bits.
#[block(unit = "deadlock_detector")]
pub struct DeadlockDetector<W, LW, LC, S> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("warps")]
    pub seen: StrobeIn<WalkStep<LW, LC>>,
    /// Warps that cannot issue until they are released.
    pub stalled: Signal<In, Bits<W>>,
    #[group("stream")]
    pub entered: StrobeIn<OpCta<LC>>,
    #[group("named")]
    pub taken: StrobeIn<Entered<LC>>,
    #[group("named")]
    pub implicit_conflict: StrobeIn<ImplicitConflict<LC>>,
    #[group("report")]
    pub dead: Source<DeadCta<LC>>,

    /// The CTA slot that is examined; the other comments call it "the CTA slot".
    #[reset]
    examined_slot: DFF<Bits<LC>>,
    /// The CTA slot to decide about: `examined_slot` of the cycle before.
    decided_slot: DFF<Bits<LC>>,
    /// The walk in progress is the second walk for the CTA slot.
    #[reset]
    second_walk: DFF<Bit>,
    /// The second walk is done: the decision about `decided_slot` is made in this cycle.
    #[reset]
    decision_due: DFF<Bit>,
    /// The operation that entered `gather` in the cycle before.
    recent_op: StrobeRegister<OpCta<LC>>,
    /// The second walk has read a live warp of the CTA slot.
    #[reset]
    has_live_warp: DFF<Bit>,
    /// One of the walks has read a live warp of the CTA slot that is not stalled.
    #[reset]
    has_awake_warp: DFF<Bit>,
    /// During the walks an operation of the CTA slot was found in flight, or entered `gather`.
    #[reset]
    any_op_found: DFF<Bit>,
    /// CTA slots with an implicit conflict: a second barrier was opened without a count.
    #[reset]
    in_conflict: DFF<Bits<S>>,
    /// CTA slots whose deadlock or conflict was reported and persists.
    #[reset]
    reported: DFF<Bits<S>>,
    report_buffer: Buffer<DeadCta<LC>>,
    /// The walk reads a live warp of the CTA slot.
    live_warp_read: Signal<Local, Bit>,
    /// The live warp that the walk reads is not stalled.
    awake_warp_read: Signal<Local, Bit>,
    /// An operation of the CTA slot is in flight, or has just entered `gather`.
    op_found: Signal<Local, Bit>,
    /// A walk ends.
    walk_done: Signal<Local, Bit>,
    /// The second walk for the CTA slot ends.
    slot_done: Signal<Local, Bit>,
    /// The CTA slot has a live warp, and all its live warps are stalled.
    all_stalled: Signal<Local, Bit>,
    is_in_conflict: Signal<Local, Bit>,
    /// The decision is made, and the CTA slot is in a deadlock or conflict.
    has_deadlock: Signal<Local, Bit>,
    /// The decision is made: the CTA slot is not in conflict and not all its live warps are
    /// stalled, so a reported deadlock or conflict is over.
    deadlock_over: Signal<Local, Bit>,
    conflict_slots: Signal<Local, Bits<S>>,
    /// The CTA slot of a Release without a fault that enters `named` or `gateway`, one-hot or 0.
    released_slots: Signal<Local, Bits<S>>,
    /// The operation that enters `named` or `gateway` is an arrival, a signal, a wait or an exit: its warp has resumed.
    shows_progress: Signal<Local, Bit>,
    /// CTA slots with a warp that arrives or exits.
    progress_slots: Signal<Local, Bits<S>>,
    /// `reported` after the decision of this cycle.
    reported_next: Signal<Local, Bits<S>>,
    #[init(Constant::new((S as u64 - 1).into()))]
    last_cta_slot: Constant<Bits<LC>>,
    #[init(Constant::new((W as u64 - 1).into()))]
    last_warp: Constant<Bits<LW>>,
}

#[block]
impl Logic for DeadlockDetector {
    fn update(&mut self) {
        // The state of the CTA slot, as the walk reads it warp by warp.
        Strobe::join(&mut self.entered, &mut self.recent_op.in_);
        self.live_warp_read.next =
            self.seen.valid.val() & self.seen.payload.val().live & (self.seen.payload.val().cta == self.examined_slot.q.val());
        self.awake_warp_read.next = self.live_warp_read.val() & !self.stalled.val().at(self.seen.payload.val().warp);
        self.op_found.next = (self.seen.valid.val()
            & self.seen.payload.val().in_flight
            & (self.seen.payload.val().cta == self.examined_slot.q.val()))
            | (self.recent_op.out.valid.val() & (self.recent_op.out.payload.val().cta == self.examined_slot.q.val()));
        self.has_live_warp.d.next =
            (self.has_live_warp.q.val() & !self.decision_due.q.val()) | (self.live_warp_read.val() & self.second_walk.q.val());
        self.has_awake_warp.d.next = (self.has_awake_warp.q.val() & !self.decision_due.q.val()) | self.awake_warp_read.val();
        self.any_op_found.d.next = (self.any_op_found.q.val() & !self.decision_due.q.val()) | self.op_found.val();

        // After two walks the next CTA slot is examined.
        self.walk_done.next = self.seen.valid.val() & (self.seen.payload.val().warp == self.last_warp.val());
        self.slot_done.next = self.walk_done.val() & self.second_walk.q.val();
        self.second_walk.d.next = self.second_walk.q.val() ^ self.walk_done.val();
        self.decision_due.d.next = self.slot_done.val();
        self.decided_slot.d.next = self.examined_slot.q.val();
        if self.slot_done.val() {
            self.examined_slot.d.next = self.examined_slot.q.val() + 1;
            if self.examined_slot.q.val() == self.last_cta_slot.val() {
                self.examined_slot.d.next = 0.into();
            }
        }

        // A deadlock or conflict is reported once. A waiting warp may still read and write state; an operation in flight therefore
        // does not end a reported deadlock.
        self.is_in_conflict.next = self.in_conflict.q.val().at(self.decided_slot.q.val());
        self.all_stalled.next = self.has_live_warp.q.val() & !self.has_awake_warp.q.val();
        self.has_deadlock.next =
            self.decision_due.q.val() & (self.is_in_conflict.val() | (self.all_stalled.val() & !self.any_op_found.q.val()));
        self.deadlock_over.next = self.decision_due.q.val() & !self.is_in_conflict.val() & !self.all_stalled.val();
        self.reported_next.next = self.reported.q.val();
        if (self.has_deadlock.val() & self.report_buffer.in_.ready.val()) | self.deadlock_over.val() {
            self.reported_next.next = self.reported.q.val().with(self.decided_slot.q.val(), self.has_deadlock.val());
        }
        self.report_buffer.in_.valid.next = self.has_deadlock.val() & !self.reported.q.val().at(self.decided_slot.q.val());
        self.report_buffer.in_.payload.next.cta = self.decided_slot.q.val();
        Channel::join(&mut self.report_buffer.out, &mut self.dead);

        self.conflict_slots.next = 0.into();
        if self.implicit_conflict.valid.val() {
            self.conflict_slots.next = self.conflict_slots.val().with(self.implicit_conflict.payload.val().cta, true);
        }
        self.released_slots.next = 0.into();
        if self.taken.valid.val()
            & (self.taken.payload.val().kind == OpKind::Release)
            & (self.taken.payload.val().fault == FaultCode::None)
        {
            self.released_slots.next = self.released_slots.val().with(self.taken.payload.val().cta, true);
        }
        // A warp that arrives or exits has resumed, so the deadlock is over, even if the warp waits again before its CTA slot is
        // examined.
        self.shows_progress.next = (self.taken.payload.val().kind == OpKind::Sync)
            | (self.taken.payload.val().kind == OpKind::Arrive)
            | (self.taken.payload.val().kind == OpKind::Reduce)
            | (self.taken.payload.val().kind == OpKind::Gateway)
            | (self.taken.payload.val().kind == OpKind::Exit);
        self.progress_slots.next = 0.into();
        if self.taken.valid.val() & self.shows_progress.val() & (self.taken.payload.val().fault == FaultCode::None) {
            self.progress_slots.next = self.progress_slots.val().with(self.taken.payload.val().cta, true);
        }
        self.in_conflict.d.next = (self.in_conflict.q.val() | self.conflict_slots.val()) & !self.released_slots.val();
        self.reported.d.next =
            self.reported_next.val() & !self.released_slots.val() & (!self.progress_slots.val() | self.in_conflict.q.val());
    }
}
