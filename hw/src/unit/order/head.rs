// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations that have come in: the oldest passes, is parked, leaves as a fence, or stays.
//!
//! *Reads:* the operation channel `in`; the channel `other` of parked operations that may go; who has accesses outstanding and for whom something is
//! parked. *Writes:* the operation channel `op`; the strobe of an operation that is parked; the warp
//! of a fence that leaves; one cycle later the warp of either.
//! *Latency:* 1 from `in` to `op`, 0 from `other`.
//!
//! What becomes of the oldest operation is decided in the cycle before: else its warp would have to be looked up before
//! anything can be offered. It is decided for the one that stays and for the one that follows it, so that neither waits to know
//! which of them it will be. Behind one that is parked, an operation of the same warp is looked at once more.

use super::outlook::{Fate, Outlook, Standing};
use crate::prelude::*;

/// Sizes as in [`WarpOp`].
#[block]
pub struct Head<W, LW, CW, LC, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<WarpOp<W, LW, CW, LC, VW>>,
    /// A parked operation is to go.
    pub other: Sink<OrderedOp<W, LW, CW, LC, VW>>,
    pub standing: Signal<In, Standing<W>>,
    pub op: Source<OrderedOp<W, LW, CW, LC, VW>>,
    pub parks: StrobeOut<WarpOp<W, LW, CW, LC, VW>>,
    /// The warp whose fence leaves.
    pub fences: Signal<Out, Bits<W>>,
    /// The warp of the operation that was parked in the cycle before, or of the fence that left then.
    pub settled: Signal<Out, Bits<W>>,
    queue: Queue<Packed<WarpOp<W, LW, CW, LC, VW>>, 2>,
    ready: DFF<Bit>,
    /// The oldest operation was offered and not taken: it stays offered whatever happens to its warp.
    #[reset]
    offered: DFF<Bit>,
    fate: DFF<Fate>,
    #[reset]
    shown: DFF<Bits<W>>,
    /// Of the oldest operation if it stays, and if it leaves.
    outlook: [Outlook<W, LW, CW, LC, VW>; 2],
    own: Signal<Local, Bits<W>>,
    goes: Signal<Local, Bit>,
    withdrawn: Signal<Local, Bit>,
    other_goes: Signal<Local, Bit>,
    nothing: Constant<Fate>,
}

#[block]
impl Logic for Head<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.in_.ready.next = self.ready.q.val();
        self.queue.push.next = self.in_.valid.val() & self.ready.q.val();
        self.queue.data.next = self.in_.payload.val().into();
        self.ready.d.next = !self.queue.used_next.val().get_bit(1);

        // What is offered: the oldest operation, which is at `parks` as well, or a parked one.
        self.parks.payload.next = self.queue.head.val().into();
        self.other_goes.next = self.other.valid.val() & !self.offered.q.val();
        self.goes.next = self.queue.valid.val() & !self.other_goes.val() & (self.offered.q.val() | self.fate.q.val().passes);
        self.op.valid.next = self.goes.val() | self.other_goes.val();
        self.op.payload.next.op = self.parks.payload.val().op;
        self.op.payload.next.mbarrier_request = self.parks.payload.val().mbarrier_request;
        self.op.payload.next.whole = self.parks.payload.val().whole;
        self.op.payload.next.destination = self.parks.payload.val().destination;
        if self.other_goes.val() {
            self.op.payload.next = self.other.payload.val();
        }
        self.other.ready.next = self.op.ready.val() & !self.offered.q.val();
        self.offered.d.next = self.goes.val() & !self.op.ready.val();

        // What leaves the queue, and what becomes of the next.
        self.parks.valid.next = self.queue.valid.val() & !self.offered.q.val() & self.fate.q.val().may_park;
        self.withdrawn.next =
            self.queue.valid.val() & !self.offered.q.val() & (self.fate.q.val().may_park | self.fate.q.val().fence);
        self.queue.pop.next = self.withdrawn.val() | (self.goes.val() & self.op.ready.val());
        self.outlook[0].op.next = self.queue.stays.val().into();
        self.outlook[1].op.next = self.queue.follows.val().into();
        for i in 0..2 {
            self.outlook[i].standing.next = self.standing.val();
        }
        self.fate.d.next = self.outlook[0].fate.val();
        if self.queue.pop.val() {
            self.fate.d.next = self.outlook[1].fate.val();
        }
        if self.withdrawn.val() & (self.outlook[1].op.val().op.warp == self.parks.payload.val().op.warp) {
            self.fate.d.next = self.nothing.val();
        }

        self.own.next = 0.into();
        if self.withdrawn.val() {
            self.own.next = self.own.val().with(self.parks.payload.val().op.warp, true);
        }
        self.fences.next = 0.into();
        if self.fate.q.val().fence {
            self.fences.next = self.own.val();
        }
        self.shown.d.next = self.own.val();
        self.settled.next = self.shown.q.val();
    }
}
