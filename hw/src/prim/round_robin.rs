// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Round-robin arbiter: grants the first requester after the requester of the last grant.
//!
//! *Reads:* the requests, and whether the grant is taken. *Writes:* the grant, one-hot, or 0 if there is no request; the last grant that
//! was taken. *Latency:* 0; a grant that is taken is the last grant from the next cycle on.
//!
//! The lowest bit of `request` that is 1 is `request & -request`, and the bits above that bit are `request ^ -request`. Synthesis maps the
//! negation to a carry chain; a loop over all bits would become a chain of gates. The lowest request after the last grant and the lowest
//! request of all are found in parallel.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `N` requesters.
#[block(primitive(round_robin, REQUESTERS = request))]
pub struct RoundRobin<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Requests, one bit for each source.
    pub request: Signal<In, Bits<N>>,
    /// The grant is taken, if there is one.
    pub grant_taken: Signal<In, Bit>,
    /// The grant, one-hot; 0 if there is no request.
    pub grant: Signal<Out, Bits<N>>,
    /// The last grant that was taken, one-hot; 0 after reset.
    pub last_grant: Signal<Out, Bits<N>>,
    /// Register of `last_grant`.
    #[reset]
    last_grant_q: DFF<Bits<N>>,
    /// All requesters after the last grant.
    #[reset]
    after_last_grant: DFF<Bits<N>>,
    /// Requests after the last grant.
    later_requests: Signal<Local, Bits<N>>,
    /// `-later_requests`, in two's complement.
    minus_later: Signal<Local, Bits<N>>,
    /// `-request`, in two's complement.
    minus_request: Signal<Local, Bits<N>>,
    zero: Constant<Bits<N>>,
}

#[block]
impl Logic for RoundRobin {
    fn update(&mut self) {
        self.later_requests.next = self.request.val() & self.after_last_grant.q.val();
        self.minus_later.next = self.zero.val() - self.later_requests.val();
        self.minus_request.next = self.zero.val() - self.request.val();
        self.grant.next = self.request.val() & self.minus_request.val();
        if self.later_requests.val().any() {
            self.grant.next = self.later_requests.val() & self.minus_later.val();
        }
        if self.grant_taken.val() & self.request.val().any() {
            self.last_grant_q.d.next = self.grant.val();
            self.after_last_grant.d.next = self.request.val() ^ self.minus_request.val();
            if self.later_requests.val().any() {
                self.after_last_grant.d.next = self.later_requests.val() ^ self.minus_later.val();
            }
        }
        self.last_grant.next = self.last_grant_q.q.val();
    }
}
