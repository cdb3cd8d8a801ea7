// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Merges channels into one; channels with an offer take turns (round robin).
//!
//! *Reads:* the channels `in`. *Writes:* the channel `out`. *Latency:* 0. An offer on `out` holds until its transfer, even if another
//! channel has an offer meanwhile.

use crate::payload::Payload;
use crate::prim::channel::{Sink, Source};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `N` channels with payloads of type `T`, `N` at least 2.
#[block]
pub struct Merge<T: Payload, N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The channels that are merged.
    pub in_: [Sink<T>; N],
    /// The merged channel.
    pub out: Source<T>,
    /// One-hot: the channel of the last offer; 0 if there was no offer since reset.
    #[reset]
    last_channel: DFF<Bits<N>>,
    /// The offer of the cycle before was not transferred.
    #[reset]
    offer_pending: DFF<Bit>,
    /// Channels with an offer.
    offers: Signal<Local, Bits<N>>,
    /// Channels with an offer that come after `last_channel`.
    later_offers: Signal<Local, Bits<N>>,
    /// The first loop in `update` has passed `last_channel`.
    last_passed: Signal<Local, Bit>,
    /// Candidate channels; the first of them is offered.
    candidates: Signal<Local, Bits<N>>,
    /// One-hot: the channel that is offered.
    chosen_channel: Signal<Local, Bits<N>>,
    no_channel: Constant<Bits<N>>,
}

#[block]
impl Logic for Merge {
    fn update(&mut self) {
        self.offers.next = 0.into();
        self.later_offers.next = 0.into();
        self.last_passed.next = false;
        for i in 0..N {
            self.offers.next = self.offers.val().replace_bit(i, self.in_[i].valid.val());
            self.later_offers.next = self.later_offers.val().replace_bit(i, self.in_[i].valid.val() & self.last_passed.val());
            self.last_passed.next = self.last_passed.val() | self.last_channel.q.val().get_bit(i);
        }
        self.candidates.next = self.offers.val();
        if self.later_offers.val().any() {
            self.candidates.next = self.later_offers.val();
        }
        // The loop runs from the last channel to the first: the last assignment wins, so the first candidate is chosen.
        self.chosen_channel.next = self.last_channel.q.val();
        if !self.offer_pending.q.val() {
            for n in N..(N + 1) {
                for j in 0..N {
                    if self.candidates.val().get_bit(n - 1 - j) {
                        self.chosen_channel.next = self.no_channel.val().replace_bit(n - 1 - j, true);
                    }
                }
            }
        }
        self.last_channel.d.next = self.chosen_channel.val();

        self.out.valid.next = self.offers.val().any();
        self.offer_pending.d.next = self.out.valid.val() & !self.out.ready.val();
        self.out.payload.next = self.in_[0].payload.val();
        for k in 1..N {
            if self.chosen_channel.val().get_bit(k) {
                self.out.payload.next = self.in_[k].payload.val();
            }
        }
        for m in 0..N {
            self.in_[m].ready.next = self.out.ready.val() & self.chosen_channel.val().get_bit(m);
        }
    }
}
