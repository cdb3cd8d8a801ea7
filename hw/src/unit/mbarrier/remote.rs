// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Queues the remote operations, whose objects belong to other CTAs of the cluster, and sends them to the network.
//!
//! *Reads:* remote operations that are queued; whether the CTA of the oldest operation may send; whether `net_out` is ready. *Writes:* the
//! channel `net_out`; the CTA of the oldest operation, and whether that operation is sent; the result of an operation, one cycle after its
//! transfer on `net_out`; whether W operations wait. *Latency:* 3 to `net_out`. Implements *Remote operations* of
//! `docs/contract/mbarrier.md`.
//!
//! Remote operations have a separate queue, with a place for every warp, so that a stalled network does not block other
//! operations.

use super::payloads::{RemoteOp, RemoteResult};
use super::ports::NetOut;
use crate::prelude::*;

/// Sizes: warp numbers of `LW` bits, warp counts of `CW` bits, CTA slot numbers of `LC` bits, cluster slot numbers of `KC` bits, shared
/// memory word numbers of `XW` bits.
#[block]
pub struct Remotes<LW, CW, LC, XW, KC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A remote operation is queued.
    pub push: Signal<In, Bit>,
    /// The remote operation that is queued.
    pub data: Signal<In, RemoteOp<LW, LC, XW, KC>>,
    /// The CTA of the oldest operation must not send: `max_remote` of its operations are in flight, or a fault of the CTA is due.
    pub blocked: Signal<In, Bit>,
    /// CTA slot of the oldest operation.
    pub cta: Signal<Out, Bits<LC>>,
    /// The oldest operation is offered on `net_out` from the next cycle on.
    pub sends: Signal<Out, Bit>,
    /// W operations are queued.
    pub full: Signal<Out, Bit>,
    /// Operations to the network.
    pub net_out: Source<NetOut<LC, XW, KC>>,
    /// The result of the operation that was transferred last on `net_out`.
    pub remote_result: Source<RemoteResult<LW>>,
    /// The operations that wait for the network, oldest first.
    queue: Fifo<Packed<RemoteOp<LW, LC, XW, KC>>, CW>,
    /// The operation that is offered on `net_out`.
    offer: Buffer<NetOut<LC, XW, KC>>,
    /// Result of the operation that moved to `offer` last.
    result: DFF<RemoteResult<LW>>,
    /// A result is offered.
    #[reset]
    result_valid: DFF<Bit>,
    /// The oldest operation in the queue.
    oldest_op: Signal<Local, RemoteOp<LW, LC, XW, KC>>,
    /// The oldest operation moves from `queue` to `offer`.
    loads: Signal<Local, Bit>,
    #[init(Constant::new((LW as u64).into()))]
    warp_bits: Constant<Bits<4>>,
}

#[block]
impl Logic for Remotes {
    fn update(&mut self) {
        self.queue.push.next = self.push.val();
        self.queue.data.next = self.data.val().into();
        self.oldest_op.next = self.queue.head.val().into();
        self.loads.next = self.queue.valid.val()
            & !self.blocked.val()
            & self.offer.in_.ready.val()
            & (!self.result_valid.q.val() | self.remote_result.ready.val());
        self.queue.pop.next = self.loads.val();
        self.offer.in_.valid.next = self.loads.val();
        self.offer.in_.payload.next = self.oldest_op.val().message;
        if self.loads.val() {
            self.result.d.next = self.oldest_op.val().result;
        }
        self.offer.out.ready.next = self.net_out.ready.val();
        self.result_valid.d.next = (self.offer.out.valid.val() & self.net_out.ready.val())
            | (self.result_valid.q.val() & !self.remote_result.ready.val());

        self.net_out.valid.next = self.offer.out.valid.val();
        self.net_out.payload.next = self.offer.out.payload.val();
        self.cta.next = self.oldest_op.val().message.cta;
        self.sends.next = self.loads.val();
        self.full.next = (self.queue.value_count.val() >> self.warp_bits.val()).any();
        self.remote_result.valid.next = self.result_valid.q.val();
        self.remote_result.payload.next = self.result.q.val();
    }
}
