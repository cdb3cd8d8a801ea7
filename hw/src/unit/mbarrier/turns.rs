// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is: they have it in their order, round and round.
//!
//! *Reads:* who has something, whether the next one has its turn, whether a round begins anyway. *Writes:* in the same cycle who is next;
//! whether one behind the last of this round has something. *Latency:* 0, the place in the round is kept. Implements *Turns* of `docs/mbarrier.md`.

use crate::prelude::*;

/// `N` sources.
#[block]
pub struct Turns<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub there: Signal<In, Bits<N>>,
    /// The next one has its turn.
    pub go: Signal<In, Bit>,
    pub new_round: Signal<In, Bit>,
    /// One bit, or none.
    pub pick: Signal<Out, Bits<N>>,
    pub due: Signal<Out, Bit>,
    /// Those up to the last that had its turn.
    #[reset]
    passed: DFF<Bits<N>>,
    waiting: Signal<Local, Bits<N>>,
    choice: Signal<Local, Bits<N>>,
    after: Signal<Local, Bits<N>>,
    left: Signal<Local, Bits<N>>,
    /// Those up to the one that is looked at.
    up_to: Signal<Local, Bits<N>>,
    none: Constant<Bits<N>>,
    #[init(Constant::new(!Bits::<N>::default()))]
    all: Constant<Bits<N>>,
}

#[block]
impl Logic for Turns<N> {
    fn update(&mut self) {
        self.waiting.next = self.there.val() & !self.passed.q.val();
        self.choice.next = self.waiting.val();
        if !self.waiting.val().any() {
            self.choice.next = self.there.val();
        }
        // From the last to the first: the last assignment wins.
        self.pick.next = 0.into();
        self.after.next = self.passed.q.val();
        self.up_to.next = self.all.val();
        for n in N..(N + 1) {
            for i in 0..N {
                if self.choice.val().get_bit(n - 1 - i) {
                    self.pick.next = self.none.val().replace_bit(n - 1 - i, true);
                    self.after.next = self.up_to.val();
                }
                self.up_to.next = self.up_to.val() >> 1;
            }
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
