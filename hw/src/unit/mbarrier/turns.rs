// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arbiter that serves its sources in rounds: in a round each source has at most one turn, in a fixed order.
//!
//! *Reads:* which sources have an offer, whether the source in `grant` has its turn, whether a new round begins. *Writes:* in
//! the same cycle which source is next; whether a source with an offer is still due in this round. *Latency:* 0; the position
//! in the round is a register. Implements *Turns* of `docs/contract/mbarrier.md`.

use crate::prelude::*;

/// Sizes: `N` sources.
#[block]
pub struct Turns<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Sources with an offer.
    pub request: Signal<In, Bits<N>>,
    /// The source in `grant` has its turn in this cycle.
    pub grant_taken: Signal<In, Bit>,
    /// A new round begins: no source has been passed.
    pub new_round: Signal<In, Bit>,
    /// The source that is next, one-hot; 0 if there is no offer.
    pub grant: Signal<Out, Bits<N>>,
    /// Some source has an offer and, after the turn of this cycle, has not been passed in this round.
    pub is_due: Signal<Out, Bit>,
    /// Mask of the sources that this round has passed: those up to the source that had the last turn.
    #[reset]
    passed_sources: DFF<Bits<N>>,
    /// Sources that have an offer and have not been passed in this round.
    unpassed_requests: Signal<Local, Bits<N>>,
    /// The sources from which the first is chosen: `unpassed_requests` or, if that is 0, all sources with an offer.
    candidates: Signal<Local, Bits<N>>,
    /// `passed_sources` in the next cycle.
    next_passed: Signal<Local, Bits<N>>,
    /// Sources that have an offer and, after the turn of this cycle, have not been passed in this round.
    pending_requests: Signal<Local, Bits<N>>,
    /// Mask of the sources up to the source that the loop is at.
    sources_up_to: Signal<Local, Bits<N>>,
    no_source: Constant<Bits<N>>,
    #[init(Constant::new(!Bits::<N>::default()))]
    all_sources: Constant<Bits<N>>,
}

#[block]
impl Logic for Turns {
    fn update(&mut self) {
        self.unpassed_requests.next = self.request.val() & !self.passed_sources.q.val();
        self.candidates.next = self.unpassed_requests.val();
        if !self.unpassed_requests.val().any() {
            self.candidates.next = self.request.val();
        }
        // The loop runs from the last source to the first: the last assignment wins, so the first source is picked.
        self.grant.next = 0.into();
        self.next_passed.next = self.passed_sources.q.val();
        self.sources_up_to.next = self.all_sources.val();
        for n in N..(N + 1) {
            for i in 0..N {
                if self.candidates.val().get_bit(n - 1 - i) {
                    self.grant.next = self.no_source.val().replace_bit(n - 1 - i, true);
                    self.next_passed.next = self.sources_up_to.val();
                }
                self.sources_up_to.next = self.sources_up_to.val() >> 1;
            }
        }
        if !self.grant_taken.val() {
            self.next_passed.next = self.passed_sources.q.val();
        }
        if self.new_round.val() {
            self.next_passed.next = 0.into();
        }
        self.passed_sources.d.next = self.next_passed.val();
        self.pending_requests.next = self.request.val() & !self.next_passed.val();
        self.is_due.next = self.pending_requests.val().any();
    }
}
