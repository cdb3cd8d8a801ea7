// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations that have come in: the oldest passes, is parked, leaves as a fence, or stays.
//!
//! *Reads:* the operation channel `in`; the channel `other` of parked operations that may go; who has accesses outstanding and for whom something is
//! parked. *Writes:* the operation channel `op`; the strobe of an operation that is parked; the warp of one that is parked or leaves as a fence.
//! *Latency:* 1 from `in` to `op`, 0 from `other`.
//!
//! The warp of the operation that will be the oldest one is looked up in the cycle before, else nothing could be offered before that is
//! done. Behind one that is parked, an operation of the same warp is looked up once more. Implements what becomes of the head of
//! `docs/interface.md`, section `order`.

use super::folded::{FoldOp, FoldedOp, ParkedOp, UnfoldOp};
use crate::prelude::*;

/// Warps of which something is to be waited for.
#[payload]
pub struct Standing<W> {
    /// Warps with an access outstanding.
    pub busy: Bits<W>,
    /// Warps with one, with two and with three operations parked.
    pub first: Bits<W>,
    pub second: Bits<W>,
    pub third: Bits<W>,
}

/// Sizes as in [`WarpOp`].
#[block]
pub struct Head<W, LW, CW, LC, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<WarpOp<W, LW, CW, LC, VW>>,
    /// A parked operation is to go.
    pub other: Sink<ParkedOp<LW, LC, VW>>,
    pub standing: Signal<In, Standing<W>>,
    pub op: Source<OrderedOp<W, LW, CW, LC, VW>>,
    pub parks: StrobeOut<FoldedOp<W, LW, LC, VW>>,
    /// The warp of the operation that is parked, or of the fence that leaves; it is a fence.
    pub withdrawn: Signal<Out, Bits<W>>,
    pub fence: Signal<Out, Bit>,
    #[init(FoldOp::new(config))]
    fold: FoldOp<W, LW, CW, LC, VW>,
    #[init(UnfoldOp::new(config))]
    unfold: UnfoldOp<W, LW, CW, LC, VW>,
    queue: Queue<Packed<FoldedOp<W, LW, LC, VW>>, 2>,
    ready: DFF<Bit>,
    /// The oldest operation was offered and not taken: it stays offered whatever happens to its warp.
    #[reset]
    offered: DFF<Bit>,
    /// Of the oldest operation's warp: something is parked; no place is free for this operation; an access is outstanding; the operation
    /// before changed this.
    parked: DFF<Bit>,
    no_place: DFF<Bit>,
    busy: DFF<Bit>,
    changed: DFF<Bit>,
    head: Signal<Local, FoldedOp<W, LW, LC, VW>>,
    next: Signal<Local, FoldedOp<W, LW, LC, VW>>,
    stopped: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    other_goes: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Head<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.in_.ready.next = self.ready.q.val();
        self.fold.op.next = self.in_.payload.val();
        self.queue.push.next = self.in_.valid.val() & self.ready.q.val();
        self.queue.data.next = self.fold.folded.val().into();
        self.ready.d.next = !self.queue.used_next.val().get_bit(1);

        // What becomes of the oldest operation: it passes, or is parked, or leaves as a fence, or stays.
        self.head.next = self.queue.head.val().into();
        self.stopped.next = self.head.val().bound & (self.parked.q.val() | (self.head.val().ordered & self.busy.q.val()));
        self.passes.next = !self.changed.q.val() & !self.stopped.val() & (self.head.val().bound | !self.head.val().ordered);
        self.fence.next = !self.head.val().bound & self.head.val().ordered;
        self.leaves.next = self.queue.valid.val()
            & !self.offered.q.val()
            & !self.changed.q.val()
            & ((self.stopped.val() & !self.no_place.q.val()) | self.fence.val());
        self.parks.valid.next = self.leaves.val() & !self.fence.val();
        self.parks.payload.next = self.head.val();
        self.withdrawn.next = self.no_warps.val();
        if self.leaves.val() {
            self.withdrawn.next = self.no_warps.val().with(self.head.val().warp, true);
        }

        // What is offered: it, or a parked one.
        self.other_goes.next = self.other.valid.val() & !self.offered.q.val();
        self.goes.next = self.queue.valid.val() & !self.other_goes.val() & (self.offered.q.val() | self.passes.val());
        self.op.valid.next = self.goes.val() | self.other_goes.val();
        self.unfold.folded.next = self.head.val().folded;
        self.unfold.value.next = self.head.val().value;
        self.unfold.warp.next = self.head.val().warp;
        if self.other_goes.val() {
            self.unfold.folded.next.body = self.other.payload.val().body;
            self.unfold.folded.next.of_mbarrier = self.other.payload.val().of_mbarrier.body;
            self.unfold.value.next = self.other.payload.val().of_mbarrier.value;
            self.unfold.warp.next = self.other.payload.val().warp;
        }
        self.op.payload.next = self.unfold.op.val();
        self.other.ready.next = self.op.ready.val() & !self.offered.q.val();
        self.offered.d.next = self.goes.val() & !self.op.ready.val();

        // Which is the oldest next, and how its warp stands.
        self.queue.pop.next = self.leaves.val() | (self.goes.val() & self.op.ready.val());
        self.next.next = self.queue.stays.val().into();
        if self.queue.pop.val() {
            self.next.next = self.queue.follows.val().into();
        }
        self.parked.d.next = self.standing.val().first.at(self.next.val().warp);
        self.busy.d.next = self.standing.val().busy.at(self.next.val().warp);
        // The third place is for what an exit brings.
        self.no_place.d.next = self.standing.val().third.at(self.next.val().warp);
        if self.next.val().counted {
            self.no_place.d.next = self.standing.val().second.at(self.next.val().warp);
        }
        self.changed.d.next = self.leaves.val() & (self.next.val().warp == self.head.val().warp);
    }
}
