// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is: they have it in their order, round and round.
//!
//! *Reads:* who has something, whether one may have its turn, whether a round begins anyway. *Writes:* in the same cycle who is next; whether
//! one behind the last of this round has something. *Latency:* 0, the place in the round is kept. Implements *Turns* of `docs/mbarrier.md`.

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
    /// Those up to the last that had its turn.
    #[reset]
    passed: DFF<Bits<4>>,
    waiting: Signal<Local, Bits<4>>,
    choice: Signal<Local, Bits<4>>,
    after: Signal<Local, Bits<4>>,
    left: Signal<Local, Bits<4>>,
}

#[block]
impl Logic for Turns {
    fn update(&mut self) {
        self.waiting.next = self.there.val() & !self.passed.q.val();
        self.choice.next = self.waiting.val();
        if !self.waiting.val().any() {
            self.choice.next = self.there.val();
        }
        // The last assignment wins.
        self.pick.next = 0.into();
        self.after.next = self.passed.q.val();
        if self.choice.val().get_bit(3) {
            self.pick.next = 8.into();
            self.after.next = 15.into();
        }
        if self.choice.val().get_bit(2) {
            self.pick.next = 4.into();
            self.after.next = 7.into();
        }
        if self.choice.val().get_bit(1) {
            self.pick.next = 2.into();
            self.after.next = 3.into();
        }
        if self.choice.val().get_bit(0) {
            self.pick.next = 1.into();
            self.after.next = 1.into();
        }
        if !self.go.val() {
            self.after.next = self.passed.q.val();
        }
        if self.new_round.val() {
            self.after.next = 0.into();
        }
        self.passed.d.next = self.after.val();
        self.left.next = self.there.val() & !self.after.val();
        self.due.next = self.left.val().any();
    }
}
