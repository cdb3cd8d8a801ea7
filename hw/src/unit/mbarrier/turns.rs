// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arbiter that serves its sources in rounds: in a round each source has at most one turn, in a fixed order.
//!
//! *Reads:* which sources have an offer, whether the next one has its turn, whether a new round begins. *Writes:* in the same
//! cycle which source is next; whether a source after the last one of this round has an offer. *Latency:* 0; the position in the
//! round is kept. Implements *Turns* of `docs/contract/mbarrier.md`.

use crate::prelude::*;

/// `N` sources.
#[block]
pub struct Turns<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Sources with an offer.
    pub there: Signal<In, Bits<N>>,
    /// The source in `pick` has its turn.
    pub go: Signal<In, Bit>,
    /// A new round begins.
    pub new_round: Signal<In, Bit>,
    /// The source that is next, one-hot; 0 if there is no offer.
    pub pick: Signal<Out, Bits<N>>,
    /// A source that has not been passed in this round has an offer.
    pub due: Signal<Out, Bit>,
    /// Sources up to the one that had the last turn of this round.
    #[reset]
    passed: DFF<Bits<N>>,
    /// Sources with an offer that come after the passed ones.
    waiting: Signal<Local, Bits<N>>,
    /// Candidate sources; the first of them is next.
    choice: Signal<Local, Bits<N>>,
    /// `passed` in the next cycle.
    after: Signal<Local, Bits<N>>,
    /// Sources with an offer that are not passed.
    left: Signal<Local, Bits<N>>,
    /// Sources up to the present one of the loop.
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
        // The loop runs from the last source to the first: the last assignment wins, so the first source is picked.
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
