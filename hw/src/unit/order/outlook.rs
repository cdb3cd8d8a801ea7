// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What becomes of an operation that may be the oldest one in the next cycle.
//!
//! *Reads:* the operation; who has accesses outstanding and for whom something is parked. *Writes:* whether it
//! passes, may be parked, or is a fence. *Latency:* 0, no state. Implements what becomes of the head of `docs/interface.md`, section `order`.

use crate::prelude::*;

/// What becomes of the oldest operation.
#[payload]
pub struct Fate {
    pub passes: Bit,
    /// It does not pass, and a place is free.
    pub may_park: Bit,
    /// It is a fence, which neither passes nor is parked: it leaves for good.
    pub fence: Bit,
}

/// What is looked at.
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
pub struct Outlook<W, LW, CW, LC, VW> {
    pub op: Signal<In, WarpOp<W, LW, CW, LC, VW>>,
    pub standing: Signal<In, Standing<W>>,
    pub fate: Signal<Out, Fate>,
    good: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    fence: Signal<Local, Bit>,
    through: Signal<Local, Bit>,
    of_cta: Signal<Local, Bit>,
    parked: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    bound: Signal<Local, Bit>,
    ordered: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
}

#[block]
impl Logic for Outlook<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.good.next = self.op.val().op.request.fault == FaultCode::None;
        self.arrival.next = self.good.val()
            & ((self.op.val().op.request.kind == OpKind::Sync)
                | (self.op.val().op.request.kind == OpKind::Arrive)
                | (self.op.val().op.request.kind == OpKind::Reduce)
                | (self.op.val().op.request.kind == OpKind::ClusterArrive)
                | ((self.op.val().op.request.kind == OpKind::Mbarrier) & self.op.val().release));
        self.fence.next = self.good.val() & (self.op.val().op.request.kind == OpKind::Fence);
        self.of_cta.next =
            (self.op.val().op.request.kind == OpKind::Launch) | (self.op.val().op.request.kind == OpKind::Release);
        self.through.next = self.of_cta.val() | (!self.good.val() & (self.op.val().op.request.kind == OpKind::Exit));
        // What it waits for: nothing; what its warp has parked; accesses as well. A fence waits elsewhere.
        self.bound.next = !self.through.val() & !self.fence.val();
        self.ordered.next = self.arrival.val() | self.fence.val();
        self.parked.next = self.standing.val().first.at(self.op.val().op.warp);
        self.busy.next = self.standing.val().busy.at(self.op.val().op.warp);
        self.fate.next.fence = self.fence.val();
        self.fate.next.passes = (!self.bound.val() & !self.ordered.val())
            | (self.bound.val() & !self.parked.val() & !(self.ordered.val() & self.busy.val()));
        self.stopped.next = self.bound.val() & (self.parked.val() | (self.ordered.val() & self.busy.val()));
        // The third place is for what an exit brings.
        self.fate.next.may_park = self.stopped.val() & !self.standing.val().second.at(self.op.val().op.warp);
        if !self.op.val().counted {
            self.fate.next.may_park = self.stopped.val() & !self.standing.val().third.at(self.op.val().op.warp);
        }
    }
}
