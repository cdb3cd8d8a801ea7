// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The acknowledgements that are due to one CTA: counts its remote operations that have taken effect, and its remote operations that
//! found no target CTA. Acknowledgements of operations without a target CTA are sent first.
//!
//! *Reads:* the replies for the CTA in this cycle; whether an operation of the CTA found no target; whether an acknowledgement is
//! sent. *Writes:* whether an acknowledgement is due, and of which kind. *Latency:* 1. Implements *Network* of
//! `docs/contract/multiprocessors.md`.

use crate::prelude::*;

/// `M` multiprocessors that reply.
#[block]
pub struct DueAcks<M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Multiprocessors that reply that an operation of the CTA has taken effect.
    pub done_replies: Signal<In, Bits<M>>,
    /// Multiprocessors that reply that the target CTA of an operation was absent.
    pub absent_replies: Signal<In, Bits<M>>,
    /// The network found no target CTA for an operation.
    pub no_target: Signal<In, Bit>,
    /// An acknowledgement is sent to the CTA.
    pub sent: Signal<In, Bit>,
    /// An acknowledgement is due.
    pub is_due: Signal<Out, Bit>,
    /// An acknowledgement with `absent` = 1 is due.
    pub absent_is_due: Signal<Out, Bit>,
    /// Number of acknowledgements that are due for operations that have taken effect. At most 15, because a CTA has at most 15 operations
    /// in flight.
    #[reset]
    done_count: DFF<Bits<4>>,
    /// Number of acknowledgements with `absent` = 1 that are due.
    #[reset]
    absent_count: DFF<Bits<4>>,
    /// An acknowledgement is due for an operation that has taken effect.
    done_is_due: Signal<Local, Bit>,
    /// `done_count` without the acknowledgement that is sent in this cycle.
    done_unsent: Signal<Local, Bits<4>>,
    /// `absent_count` without the acknowledgement that is sent in this cycle.
    absent_unsent: Signal<Local, Bits<4>>,
    /// `done_unsent` plus the replies of this cycle.
    done_sum: Signal<Local, Bits<4>>,
    /// `absent_unsent` plus the operations of this cycle that found no target.
    absent_sum: Signal<Local, Bits<4>>,
}

#[block]
impl Logic for DueAcks {
    fn update(&mut self) {
        self.done_is_due.next = self.done_count.q.val().any();
        self.absent_is_due.next = self.absent_count.q.val().any();
        self.is_due.next = self.done_is_due.val() | self.absent_is_due.val();
        self.done_unsent.next = self.done_count.q.val();
        self.absent_unsent.next = self.absent_count.q.val();
        if self.sent.val() {
            if self.absent_is_due.val() {
                self.absent_unsent.next = self.absent_count.q.val() - 1;
            } else {
                self.done_unsent.next = self.done_count.q.val() - 1;
            }
        }
        self.done_sum.next = self.done_unsent.val();
        self.absent_sum.next = self.absent_unsent.val() + self.no_target.val();
        for i in 0..M {
            self.done_sum.next = self.done_sum.val() + self.done_replies.val().get_bit(i);
            self.absent_sum.next = self.absent_sum.val() + self.absent_replies.val().get_bit(i);
        }
        self.done_count.d.next = self.done_sum.val();
        self.absent_count.d.next = self.absent_sum.val();
    }
}
