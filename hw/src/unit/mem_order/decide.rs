// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What becomes of the warp that was looked up: its operation in front passes, is parked or leaves as a fence, or its parked one goes.
//!
//! *Reads:* the warp as it stands, what it was looked up for, the oldest operation, whether one is picked. *Writes:* what becomes of that
//! operation; whether the first parked one is picked; the change of the warp. *Latency:* 0, no state. Implements what becomes of operations of
//! `docs/interface.md`, section `mem_order`.

use super::turns::Turn;
use super::warps::{Change, Look};
use crate::prelude::*;

/// The oldest operation.
#[payload]
pub struct Question {
    /// It is there, and was not offered yet.
    pub there: Bit,
    /// It waits for what its warp has parked; for its warp's accesses. A fence shows the second without the first.
    pub bound: Bit,
    pub ordered: Bit,
    /// Its warp may have to wait for what it waits for.
    pub waits: Bit,
    /// 1 = caused by an instruction.
    pub counted: Bit,
    /// It is a Write, which has more bits than a word.
    pub writes: Bit,
}

/// What becomes of it, if it is there: nothing yet, or one of these.
#[payload]
pub struct Verdict {
    pub passes: Bit,
    pub parks: Bit,
    /// It is parked, or is a fence.
    pub leaves: Bit,
}

/// `LW` bits say which warp.
#[block]
pub struct Decide<LW> {
    pub look: Signal<In, Look<LW>>,
    pub turn: Signal<In, Turn>,
    pub question: Signal<In, Question>,
    /// A parked operation is picked already.
    pub picked: Signal<In, Bit>,
    /// The operation in front is looked at.
    pub decided: Signal<Out, Bit>,
    pub verdict: Signal<Out, Verdict>,
    /// The first parked operation of the warp goes.
    pub picks: Signal<Out, Bit>,
    /// The word for an operation that is parked.
    pub free: Signal<Out, Bits<2>>,
    pub change: StrobeOut<Change>,
    some: Signal<Local, Bit>,
    one: Signal<Local, Bit>,
    stands: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    earlier: Signal<Local, Bit>,
    fence: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
    no_place: Signal<Local, Bit>,
    fences: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    step: Signal<Local, Bits<2>>,
}

#[block]
impl Logic for Decide<LW> {
    fn update(&mut self) {
        self.some.next = self.look.val().standing.count != 0;
        self.one.next = self.look.val().standing.count == 1;
        self.stands.next = self.some.val() | self.look.val().passed;
        self.busy.next = self.look.val().busy != 0;

        // The operation in front. The third place is for what an exit brings, and a Write is not parked.
        self.fence.next = !self.question.val().bound & self.question.val().ordered;
        self.stopped.next = self.question.val().bound & (self.stands.val() | (self.question.val().ordered & self.busy.val()));
        self.no_place.next = self.question.val().writes
            | (self.look.val().standing.count.get_bit(1)
                & (self.question.val().counted | self.look.val().standing.count.get_bit(0)));
        self.decided.next = self.turn.val().of_head & !self.look.val().stale;
        self.verdict.next.passes = self.decided.val() & !self.stopped.val() & !self.fence.val();
        self.verdict.next.parks = self.question.val().there & self.decided.val() & self.stopped.val() & !self.no_place.val();
        self.fences.next = self.question.val().there & self.decided.val() & self.fence.val();
        self.verdict.next.leaves = self.verdict.val().parks | self.fences.val();

        // What is parked. The first waits for the accesses of the epoch before, whose number is the lower bit of its word.
        self.looks.next = self.turn.val().of_scan & !self.look.val().stale & !self.look.val().passed;
        self.earlier.next = self.look.val().busy.get_bit(0);
        if self.look.val().standing.place.get_bit(0) {
            self.earlier.next = self.look.val().busy.get_bit(1);
        }
        self.picks.next = self.looks.val() & self.some.val() & !self.earlier.val() & !self.picked.val();
        self.ends.next = self.looks.val() & self.look.val().standing.fenced & !self.some.val() & !self.busy.val();

        // How the warp stands then.
        self.step.next = 0.into();
        if self.verdict.val().parks {
            self.step.next = 1.into();
        }
        if self.picks.val() {
            self.step.next = 3.into();
        }
        self.free.next = self.look.val().standing.place + self.look.val().standing.count;
        self.change.payload.next.standing.count = self.look.val().standing.count + self.step.val();
        self.change.payload.next.standing.place = self.look.val().standing.place - self.step.val();
        if !self.picks.val() {
            self.change.payload.next.standing.place = self.look.val().standing.place;
        }
        self.change.payload.next.standing.waits = self.look.val().standing.waits & self.some.val();
        if self.verdict.val().parks {
            self.change.payload.next.standing.waits =
                self.question.val().waits | (self.look.val().standing.waits & self.some.val());
        }
        if self.picks.val() & self.one.val() {
            self.change.payload.next.standing.waits = false;
        }
        self.change.payload.next.standing.fenced = self.look.val().standing.fenced & !self.ends.val();
        if self.fences.val() {
            self.change.payload.next.standing.fenced = self.look.val().standing.fenced | self.stands.val() | self.busy.val();
        }
        // A warp that was held for what it had parked is held until that has its effects.
        self.change.payload.next.standing.stays = self.look.val().standing.stays;
        if self.picks.val() {
            self.change.payload.next.standing.stays =
                self.look.val().standing.count.get_bit(1) | self.look.val().standing.waits | self.look.val().standing.fenced;
        }
        if self.turn.val().clears {
            self.change.payload.next.standing.count = 0.into();
            self.change.payload.next.standing.place = 0.into();
            self.change.payload.next.standing.waits = false;
            self.change.payload.next.standing.fenced = false;
            self.change.payload.next.standing.stays = false;
        }
        self.change.payload.next.looked = (self.turn.val().of_head | self.turn.val().of_scan) & !self.look.val().stale;
        self.change.payload.next.passes = self.picks.val();
        self.change.payload.next.settles = self.verdict.val().leaves;
        self.change.payload.next.shows = self.verdict.val().leaves | self.picks.val() | self.ends.val();
        self.change.valid.next = self.change.payload.val().shows | self.turn.val().clears;
    }
}
