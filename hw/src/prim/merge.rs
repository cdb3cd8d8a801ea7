// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Merges channels into one; channels with an offer take turns (round robin).
//!
//! *Reads:* the channels `in`. *Writes:* the channel `out`. *Latency:* 0. An offer on `out` stays until it is taken, whatever
//! the other channels do.

use crate::payload::Payload;
use crate::prim::channel::{Sink, Source};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `N` channels with payloads of type `T`, `N` at least 2.
#[block]
pub struct Merge<T: Payload, N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The channels.
    pub in_: [Sink<T>; N],
    /// The channel that they are merged into.
    pub out: Source<T>,
    /// One-hot: the channel of the last offer; 0 if there was none.
    #[reset]
    last: DFF<Bits<N>>,
    /// The offer of the cycle before was not taken.
    #[reset]
    offered: DFF<Bit>,
    /// Channels with an offer.
    there: Signal<Local, Bits<N>>,
    /// Channels after `last` with an offer.
    later: Signal<Local, Bits<N>>,
    /// The loop has passed `last`.
    passed: Signal<Local, Bit>,
    /// Candidate channels; the first of them is offered.
    choice: Signal<Local, Bits<N>>,
    /// One-hot: the channel that is offered.
    pick: Signal<Local, Bits<N>>,
    none: Constant<Bits<N>>,
}

#[block]
impl<T: Payload> Logic for Merge<T, N> {
    fn update(&mut self) {
        self.there.next = 0.into();
        self.later.next = 0.into();
        self.passed.next = false;
        for i in 0..N {
            self.there.next = self.there.val().replace_bit(i, self.in_[i].valid.val());
            self.later.next = self.later.val().replace_bit(i, self.in_[i].valid.val() & self.passed.val());
            self.passed.next = self.passed.val() | self.last.q.val().get_bit(i);
        }
        self.choice.next = self.there.val();
        if self.later.val().any() {
            self.choice.next = self.later.val();
        }
        // The loop runs from the last channel to the first: the last assignment wins, so the first channel is chosen.
        self.pick.next = self.last.q.val();
        if !self.offered.q.val() {
            for n in N..(N + 1) {
                for j in 0..N {
                    if self.choice.val().get_bit(n - 1 - j) {
                        self.pick.next = self.none.val().replace_bit(n - 1 - j, true);
                    }
                }
            }
        }
        self.last.d.next = self.pick.val();

        self.out.valid.next = self.there.val().any();
        self.offered.d.next = self.out.valid.val() & !self.out.ready.val();
        self.out.payload.next = self.in_[0].payload.val();
        for k in 1..N {
            if self.pick.val().get_bit(k) {
                self.out.payload.next = self.in_[k].payload.val();
            }
        }
        for m in 0..N {
            self.in_[m].ready.next = self.out.ready.val() & self.pick.val().get_bit(m);
        }
    }
}
