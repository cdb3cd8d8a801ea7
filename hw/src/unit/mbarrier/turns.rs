// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is: in a round each that has something has one turn.
//!
//! *Reads:* who has something, whether one may have its turn, whether a round begins anyway. *Writes:* in the same cycle who is next, lowest
//! first; whether one has something and no turn in this round yet. *Latency:* 0, the round is kept. Implements *Turns* of `docs/mbarrier.md`.

use crate::prelude::*;

#[block]
pub struct Turns {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub there: Signal<In, Bits<4>>,
    /// The next one has its turn.
    pub go: Signal<In, Bit>,
    pub new_round: Signal<In, Bit>,
    /// One bit, or none.
    pub pick: Signal<Out, Bits<4>>,
    pub due: Signal<Out, Bit>,
    #[reset]
    served: DFF<Bits<4>>,
    waiting: Signal<Local, Bits<4>>,
    over: Signal<Local, Bit>,
    choice: Signal<Local, Bits<4>>,
    before: Signal<Local, Bits<4>>,
    after: Signal<Local, Bits<4>>,
    left: Signal<Local, Bits<4>>,
    built: Constant<Bits<4>>,
}

#[block]
impl Turns {
    /// For those that can have something at all.
    pub fn of(built: u64) -> Self {
        Turns { built: Constant::new(built.into()), ..Default::default() }
    }
}

#[block]
impl Logic for Turns {
    fn update(&mut self) {
        self.waiting.next = self.there.val() & !self.served.q.val();
        self.over.next = !self.waiting.val().any();
        self.choice.next = self.waiting.val();
        if self.over.val() {
            self.choice.next = self.there.val();
        }
        // The last assignment wins.
        self.pick.next = 0.into();
        if self.choice.val().get_bit(3) {
            self.pick.next = 8.into();
        }
        if self.choice.val().get_bit(2) {
            self.pick.next = 4.into();
        }
        if self.choice.val().get_bit(1) {
            self.pick.next = 2.into();
        }
        if self.choice.val().get_bit(0) {
            self.pick.next = 1.into();
        }
        self.before.next = self.served.q.val();
        if self.over.val() | self.new_round.val() {
            self.before.next = 0.into();
        }
        self.after.next = self.before.val();
        if self.go.val() {
            self.after.next = (self.before.val() | self.pick.val()) & self.built.val();
        }
        if self.go.val() | self.new_round.val() {
            self.served.d.next = self.after.val();
        }
        self.left.next = self.there.val() & !self.after.val();
        self.due.next = self.left.val().any();
    }
}
