// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Detects deadlocks: CTAs whose live warps all wait while no operation is in flight that could release one.
//!
//! *Reads:* a walk over the warps; which warps are stalled; operations that enter `gather`, those that enter `named`, and its
//! strobe of implicit conflicts. *Writes:* the channel of CTA slots that are dead. *Latency:* two walks for each slot, and 2.
//! Implements the deadlocks of spec 000 and `deadlock` of `docs/contract/faults.md`; the exact rules are in
//! `docs/contract/deadlock_detector.md`.
//!
//! Each slot is examined for two walks. If the first walk finds no operation of the slot in flight, no warp of the slot can be
//! released or stopped any more. So the states that the second walk reads of one warp after the other hold for all warps at once.
//! An operation of the slot that enters `gather` meanwhile counts as one in flight.

use crate::prelude::*;

/// `W` warps of `LW` bits, `S` CTA slots.
#[block(unit = "deadlock_detector")]
pub struct DeadlockDetector<W, LW, LC, S> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("warps")]
    pub seen: StrobeIn<SeenWarp<LW, LC>>,
    /// Warps that cannot issue until they are released.
    pub stalled: Signal<In, Bits<W>>,
    #[group("stream")]
    pub entered: StrobeIn<OfCta<LC>>,
    #[group("named")]
    pub taken: StrobeIn<Entered<LC>>,
    #[group("named")]
    pub implicit_conflict: StrobeIn<ImplicitConflict<LC>>,
    #[group("report")]
    pub dead: Source<DeadCta<LC>>,

    /// The slot that is examined.
    #[reset]
    slot: DFF<Bits<LC>>,
    /// The slot to decide about: `slot` of the cycle before.
    decided: DFF<Bits<LC>>,
    /// The second walk for the slot.
    #[reset]
    second: DFF<Bit>,
    /// The second walk is done: the decision about the slot is made.
    #[reset]
    decide: DFF<Bit>,
    /// The operation that entered `gather` in the cycle before.
    recent: StrobeRegister<OfCta<LC>>,
    /// The second walk has read a live warp of the slot.
    #[reset]
    present: DFF<Bit>,
    /// The walk has read a live warp of the slot that is not stalled.
    #[reset]
    awake: DFF<Bit>,
    /// An operation of the slot was found in flight, or entered `gather`.
    #[reset]
    moved: DFF<Bit>,
    /// Slots in which a second id without a count is open.
    #[reset]
    in_conflict: DFF<Bits<S>>,
    /// Slots whose deadlock or conflict is reported and persists.
    #[reset]
    reported: DFF<Bits<S>>,
    report: Buffer<DeadCta<LC>>,
    /// The walk reads a live warp of the slot.
    lives: Signal<Local, Bit>,
    /// That warp is not stalled.
    wakes: Signal<Local, Bit>,
    /// An operation of the slot is in flight, or entered `gather`.
    moves: Signal<Local, Bit>,
    /// A walk ends.
    walked: Signal<Local, Bit>,
    /// The second walk for the slot ends.
    slot_done: Signal<Local, Bit>,
    /// The slot has a live warp, and all its live warps are stalled.
    waits: Signal<Local, Bit>,
    is_in_conflict: Signal<Local, Bit>,
    /// The slot is dead or in conflict.
    found: Signal<Local, Bit>,
    /// The deadlock or conflict of the slot is over.
    ends: Signal<Local, Bit>,
    implicit_conflicts: Signal<Local, Bits<S>>,
    /// Slots whose CTA is released.
    released: Signal<Local, Bits<S>>,
    /// Slots with a warp that arrives or exits.
    progress: Signal<Local, Bits<S>>,
    /// `reported` with the decision of this cycle.
    reported_next: Signal<Local, Bits<S>>,
    #[init(Constant::new((S as u64 - 1).into()))]
    last: Constant<Bits<LC>>,
    #[init(Constant::new((W as u64 - 1).into()))]
    last_warp: Constant<Bits<LW>>,
}

#[block]
impl Logic for DeadlockDetector<W, LW, LC, S> {
    fn update(&mut self) {
        // The state of the slot as the walk reads it.
        Strobe::join(&mut self.entered, &mut self.recent.in_);
        self.lives.next =
            self.seen.valid.val() & self.seen.payload.val().live & (self.seen.payload.val().cta == self.slot.q.val());
        self.wakes.next = self.lives.val() & !self.stalled.val().at(self.seen.payload.val().warp);
        self.moves.next =
            (self.seen.valid.val() & self.seen.payload.val().in_flight & (self.seen.payload.val().cta == self.slot.q.val()))
                | (self.recent.out.valid.val() & (self.recent.out.payload.val().cta == self.slot.q.val()));
        self.present.d.next = (self.present.q.val() & !self.decide.q.val()) | (self.lives.val() & self.second.q.val());
        self.awake.d.next = (self.awake.q.val() & !self.decide.q.val()) | self.wakes.val();
        self.moved.d.next = (self.moved.q.val() & !self.decide.q.val()) | self.moves.val();

        // Two walks, then the next slot.
        self.walked.next = self.seen.valid.val() & (self.seen.payload.val().warp == self.last_warp.val());
        self.slot_done.next = self.walked.val() & self.second.q.val();
        self.second.d.next = self.second.q.val() ^ self.walked.val();
        self.decide.d.next = self.slot_done.val();
        self.decided.d.next = self.slot.q.val();
        if self.slot_done.val() {
            self.slot.d.next = self.slot.q.val() + 1;
            if self.slot.q.val() == self.last.val() {
                self.slot.d.next = 0.into();
            }
        }

        // A deadlock or conflict is reported once. Reads and Writes of state by waiting warps do not end a deadlock.
        self.is_in_conflict.next = self.in_conflict.q.val().at(self.decided.q.val());
        self.waits.next = self.present.q.val() & !self.awake.q.val();
        self.found.next = self.decide.q.val() & (self.is_in_conflict.val() | (self.waits.val() & !self.moved.q.val()));
        self.ends.next = self.decide.q.val() & !self.is_in_conflict.val() & !self.waits.val();
        self.reported_next.next = self.reported.q.val();
        if (self.found.val() & self.report.in_.ready.val()) | self.ends.val() {
            self.reported_next.next = self.reported.q.val().with(self.decided.q.val(), self.found.val());
        }
        self.report.in_.valid.next = self.found.val() & !self.reported.q.val().at(self.decided.q.val());
        self.report.in_.payload.next.cta = self.decided.q.val();
        Channel::join(&mut self.report.out, &mut self.dead);

        self.implicit_conflicts.next = 0.into();
        if self.implicit_conflict.valid.val() {
            self.implicit_conflicts.next = self.implicit_conflicts.val().with(self.implicit_conflict.payload.val().cta, true);
        }
        self.released.next = 0.into();
        if self.taken.valid.val()
            & (self.taken.payload.val().kind == OpKind::Release)
            & (self.taken.payload.val().fault == FaultCode::None)
        {
            self.released.next = self.released.val().with(self.taken.payload.val().cta, true);
        }
        // A warp that arrives or exits has resumed, though it may wait again before its slot is examined.
        self.progress.next = 0.into();
        if self.taken.valid.val()
            & ((self.taken.payload.val().kind == OpKind::Sync)
                | (self.taken.payload.val().kind == OpKind::Arrive)
                | (self.taken.payload.val().kind == OpKind::Reduce)
                | (self.taken.payload.val().kind == OpKind::Gateway)
                | (self.taken.payload.val().kind == OpKind::Exit))
            & (self.taken.payload.val().fault == FaultCode::None)
        {
            self.progress.next = self.progress.val().with(self.taken.payload.val().cta, true);
        }
        self.in_conflict.d.next = (self.in_conflict.q.val() | self.implicit_conflicts.val()) & !self.released.val();
        self.reported.d.next =
            self.reported_next.val() & !self.released.val() & (!self.progress.val() | self.in_conflict.q.val());
    }
}
