// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Deadlocks: finds CTAs whose live warps all wait while nothing is under way that could let one go.
//!
//! *Reads:* a walk over the warps, who is stalled; operations that enter the stream, those that enter `named`, and its strobe of implicit conflicts.
//! *Writes:* the channel of slots that are dead. *Latency:* two walks for each slot, and 2.
//! Implements the deadlocks of spec 000 and `deadlock` of `docs/faults.md`; the exact rules are in `docs/interface.md`.
//!
//! One slot is looked at for two walks. The first one sees that nothing of it moves; then nobody is let go or stopped any more, so what the second one sees
//! of one warp after the other is so at once. An operation of the slot that enters the stream meanwhile spoils both.

use crate::prelude::*;

/// `W` warps of `LW` bits, `S` CTA slots.
#[block(unit = "deadlock_detector")]
pub struct DeadlockDetector<W, LW, LC, S> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("warps")]
    pub seen: StrobeIn<SeenWarp<LW, LC>>,
    /// Warps that cannot issue until something lets them go.
    pub stalled: Signal<In, Bits<W>>,
    #[group("stream")]
    pub entered: StrobeIn<OfCta<LC>>,
    #[group("named")]
    pub taken: StrobeIn<Entered<LC>>,
    #[group("named")]
    pub implicit_conflict: StrobeIn<ImplicitConflict<LC>>,
    #[group("report")]
    pub dead: Source<DeadCta<LC>>,

    /// The slot looked at, and that of the cycle before.
    #[reset]
    slot: DFF<Bits<LC>>,
    decided: DFF<Bits<LC>>,
    /// This is the second walk for it.
    #[reset]
    second: DFF<Bit>,
    /// The second walk is over.
    #[reset]
    decide: DFF<Bit>,
    recent: StrobeRegister<OfCta<LC>>,
    /// What was seen of it: a live warp in the second walk; one that is not stalled; one that moves.
    #[reset]
    present: DFF<Bit>,
    #[reset]
    awake: DFF<Bit>,
    #[reset]
    moved: DFF<Bit>,
    /// Slots in which a second id without a count is open; those of which what has happened to them is reported and not over.
    #[reset]
    in_conflict: DFF<Bits<S>>,
    #[reset]
    reported: DFF<Bits<S>>,
    report: Buffer<DeadCta<LC>>,
    lives: Signal<Local, Bit>,
    wakes: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    walked: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    /// All live warps of the slot are stalled, and there is one.
    waits: Signal<Local, Bit>,
    is_in_conflict: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    /// What was reported of it is over.
    ends: Signal<Local, Bit>,
    implicit_conflicts: Signal<Local, Bits<S>>,
    released: Signal<Local, Bits<S>>,
    went_on: Signal<Local, Bits<S>>,
    looked: Signal<Local, Bits<S>>,
    #[init(Constant::new((S as u64 - 1).into()))]
    last: Constant<Bits<LC>>,
    #[init(Constant::new((W as u64 - 1).into()))]
    last_warp: Constant<Bits<LW>>,
}

#[block]
impl Logic for DeadlockDetector<W, LW, LC, S> {
    fn update(&mut self) {
        // What is seen of the slot.
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
        self.turns.next = self.walked.val() & self.second.q.val();
        self.second.d.next = self.second.q.val() ^ self.walked.val();
        self.decide.d.next = self.turns.val();
        self.decided.d.next = self.slot.q.val();
        if self.turns.val() {
            self.slot.d.next = self.slot.q.val() + 1;
            if self.slot.q.val() == self.last.val() {
                self.slot.d.next = 0.into();
            }
        }

        // What is found is reported once. What warps that wait read or write ends no hang.
        self.is_in_conflict.next = self.in_conflict.q.val().at(self.decided.q.val());
        self.waits.next = self.present.q.val() & !self.awake.q.val();
        self.found.next = self.decide.q.val() & (self.is_in_conflict.val() | (self.waits.val() & !self.moved.q.val()));
        self.ends.next = self.decide.q.val() & !self.is_in_conflict.val() & !self.waits.val();
        self.looked.next = self.reported.q.val();
        if (self.found.val() & self.report.in_.ready.val()) | self.ends.val() {
            self.looked.next = self.reported.q.val().with(self.decided.q.val(), self.found.val());
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
        self.in_conflict.d.next = (self.in_conflict.q.val() | self.implicit_conflicts.val()) & !self.released.val();
        self.reported.d.next = self.looked.val() & !self.released.val() & (!self.went_on.val() | self.in_conflict.q.val());
    }
}
