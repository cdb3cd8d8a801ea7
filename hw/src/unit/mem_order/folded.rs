// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts an operation to the form in which `mem_order` stores it, with fields that share bits, and back; and decides whether
//! the operation waits for parked operations and for accesses.

use super::payloads::FoldedOp;
use crate::prelude::*;
use crate::unit::fold::{Fold, Unfold};
use crate::unit::folded::Folded;

/// Converts the operation at the input to the form in which the unit stores it, and decides whether the operation waits for parked
/// operations and for accesses.
///
/// *Reads:* the operation at the input. *Writes:* the operation in stored form, with its contribution to a reduction in the bits above the
/// count, and with the wait conditions. *Latency:* 0, no state. Implements which operations wait, in *The head of the queue* of
/// `docs/contract/mem_order.md`.
///
/// Sizes as in [`WarpOp`].
#[block]
pub struct FoldOp<W, LW, LC, VW> {
    pub op: Signal<In, WarpOp<W, LW, LC, VW>>,
    pub folded: Signal<Out, FoldedOp<W, LW, LC, VW>>,
    #[init(Fold::new(config))]
    fold: Fold<W, LC>,
    has_no_fault: Signal<Local, Bit>,
    is_arrival: Signal<Local, Bit>,
    /// The operation orders memory accesses: an arrival, a Fence, a ClusterArrive, or a release at an mbarrier.
    orders_accesses: Signal<Local, Bit>,
    is_fence: Signal<Local, Bit>,
    is_cta_op: Signal<Local, Bit>,
    request: Signal<Local, Request<LC>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for FoldOp {
    fn update(&mut self) {
        self.request.next = self.op.val().op.request;
        self.has_no_fault.next = self.request.val().fault == FaultCode::None;
        self.is_arrival.next = (self.request.val().kind == OpKind::Sync)
            | (self.request.val().kind == OpKind::Arrive)
            | (self.request.val().kind == OpKind::Reduce);
        self.is_fence.next = self.has_no_fault.val() & (self.request.val().kind == OpKind::Fence);
        self.is_cta_op.next = (self.request.val().kind == OpKind::Launch) | (self.request.val().kind == OpKind::Release);

        // The wait conditions of the operation.
        self.folded.next.from_instr = self.op.val().from_instr;
        self.folded.next.waits_for_parked = !(self.is_cta_op.val()
            | self.is_fence.val()
            | (!self.has_no_fault.val() & (self.request.val().kind == OpKind::Exit)));
        self.orders_accesses.next = self.is_arrival.val()
            | (self.request.val().kind == OpKind::Fence)
            | (self.request.val().kind == OpKind::ClusterArrive)
            | ((self.request.val().kind == OpKind::Mbarrier) & self.op.val().release);
        self.folded.next.waits_for_accesses = self.has_no_fault.val() & self.orders_accesses.val();

        // The operation in the form in which it is stored, with fields that share bits.
        self.fold.fields.next.request = self.request.val();
        self.fold.fields.next.mask = self.op.val().op.mask;
        self.fold.fields.next.mbarrier_request = self.op.val().mbarrier_request;
        self.fold.fields.next.all_live_lanes = self.op.val().all_live_lanes;
        self.fold.fields.next.destination = self.op.val().destination;
        self.folded.next.folded = self.fold.folded.val();
        if self.is_arrival.val() {
            self.folded.next.folded.body.shared_bits =
                self.fold.folded.val().body.shared_bits | (bit_cast::<32, VW>(self.op.val().op.value) << 12);
        }
        self.folded.next.warp = self.op.val().op.warp;
        self.folded.next.value = 0.into();
        if self.has_mbarrier.val() {
            self.folded.next.value = self.op.val().op.value;
        }
    }
}

/// Converts a stored operation to the form of the channel `op`.
///
/// *Reads:* an operation in stored form, with its warp and its contribution to a reduction. *Writes:* the operation in the form of the
/// channel `op`. *Latency:* 0, no state. Implements the payload of `op` in `docs/contract/mem_order.md`.
///
/// Sizes as in [`WarpOp`].
#[block]
pub struct UnfoldOp<W, LW, LC, VW> {
    pub folded: Signal<In, Folded<W, LC>>,
    pub value: Signal<In, Bits<VW>>,
    pub warp: Signal<In, Bits<LW>>,
    pub op: Signal<Out, OrderedOp<W, LW, LC, VW>>,
    #[init(Unfold::new(config))]
    unfold: Unfold<W, LC>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for UnfoldOp {
    fn update(&mut self) {
        self.unfold.folded.next = self.folded.val();
        self.op.next.op.request = self.unfold.fields.val().request;
        self.op.next.op.warp = self.warp.val();
        self.op.next.op.value = self.folded.val().body.shared_bits.get_bits::<VW>(12);
        if self.has_mbarrier.val() & (self.folded.val().body.kind == OpKind::Mbarrier) {
            self.op.next.op.value = self.value.val();
        }
        self.op.next.op.mask = self.unfold.fields.val().mask;
        self.op.next.mbarrier_request = self.unfold.fields.val().mbarrier_request;
        self.op.next.all_live_lanes = self.unfold.fields.val().all_live_lanes;
        self.op.next.destination = self.unfold.fields.val().destination;
    }
}
