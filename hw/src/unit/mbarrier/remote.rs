// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on objects of other CTAs of the cluster, on their way out.
//!
//! *Reads:* what goes in, whether the CTA of the oldest may send, the channel `net_out`. *Writes:* the channel (latency 3); the CTA of the oldest,
//! and that it is offered; the result, once it is transferred (latency 1); whether W of them wait. *Latency:* 3. Implements *Remote operations*
//! of `docs/mbarrier.md`.
//!
//! They have a queue of their own, with a place for every warp, so that a network which stands holds up nothing else.

use super::ports::NetOut;
use crate::prelude::*;

/// An operation for the network, with what its warp gets for it.
#[payload]
pub struct Remote<LW, LC, XW, KC> {
    pub result: Answer<LW>,
    pub message: NetOut<LC, XW, KC>,
}

/// A warp's operation has left.
#[payload]
pub struct Answer<LW> {
    pub warp: Bits<LW>,
    /// It gets a token.
    pub has_result: Bit,
    pub destination: Destination,
}

/// `CW` bits of a number of warps.
#[block]
pub struct Remotes<LW, CW, LC, XW, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, Remote<LW, LC, XW, KC>>,
    /// The CTA of the oldest must wait.
    pub blocked: Signal<In, Bit>,
    pub cta: Signal<Out, Bits<LC>>,
    /// The oldest is offered from the next cycle on.
    pub sends: Signal<Out, Bit>,
    pub full: Signal<Out, Bit>,
    pub net_out: Source<NetOut<LC, XW, KC>>,
    pub answer: Source<Answer<LW>>,
    queue: Fifo<Packed<Remote<LW, LC, XW, KC>>, CW>,
    offer: Buffer<NetOut<LC, XW, KC>>,
    result: DFF<Answer<LW>>,
    #[reset]
    answers: DFF<Bit>,
    oldest: Signal<Local, Remote<LW, LC, XW, KC>>,
    loads: Signal<Local, Bit>,
    #[init(Constant::new((LW as u64).into()))]
    warp_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for Remotes<LW, CW, LC, XW, KC> {
    fn update(&mut self) {
        self.queue.push.next = self.push.val();
        self.queue.data.next = self.data.val().into();
        self.oldest.next = self.queue.head.val().into();
        self.loads.next = self.queue.valid.val()
            & !self.blocked.val()
            & self.offer.in_.ready.val()
            & (!self.answers.q.val() | self.answer.ready.val());
        self.queue.pop.next = self.loads.val();
        self.offer.in_.valid.next = self.loads.val();
        self.offer.in_.payload.next = self.oldest.val().message;
        if self.loads.val() {
            self.result.d.next = self.oldest.val().result;
        }
        self.offer.out.ready.next = self.net_out.ready.val();
        self.answers.d.next =
            (self.offer.out.valid.val() & self.net_out.ready.val()) | (self.answers.q.val() & !self.answer.ready.val());

        self.net_out.valid.next = self.offer.out.valid.val();
        self.net_out.payload.next = self.offer.out.payload.val();
        self.cta.next = self.oldest.val().message.cta;
        self.sends.next = self.loads.val();
        self.full.next = (self.queue.used.val() >> self.warp_bits.val()).any();
        self.answer.valid.next = self.answers.q.val();
        self.answer.payload.next = self.result.q.val();
    }
}
