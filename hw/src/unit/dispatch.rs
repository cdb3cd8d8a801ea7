// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which unit an operation is for.
//!
//! *Reads:* the operations that leave `order`, and whether the unit that each is for takes it. *Writes:* the channels of the units; what goes into
//! `named` now; `through`. *Latency:* 0, no state. Implements the fork behind `order` of `docs/interface.md`, section `bcu`.

use super::lane_numbers::LaneAsks;
use crate::prelude::*;

/// Sizes as in [`Named`](super::named::Named).
#[block]
pub struct Dispatch<W, LW, CW, LC, VW> {
    pub in_: Sink<OrderedOp<W, LW, CW, LC, VW>>,
    pub named: Source<NamedOp<W, LW, CW, LC, VW>>,
    #[built(config.has_mbarrier())]
    pub mbarrier: Source<LaneAsks<LW, LC, VW>>,
    /// It goes into `named`.
    pub taken: StrobeOut<Entered<LC>>,
    /// A release without fault goes into `named`.
    pub through: Signal<Out, Bit>,
    of_mbarrier: Signal<Local, Bit>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for Dispatch<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.of_mbarrier.next = self.has_mbarrier.val() & (self.in_.payload.val().op.request.kind == OpKind::Mbarrier);
        self.in_.ready.next = self.named.ready.val();
        if self.of_mbarrier.val() {
            self.in_.ready.next = self.mbarrier.ready.val();
        }

        self.named.valid.next = self.in_.valid.val() & !self.of_mbarrier.val();
        self.named.payload.next = self.in_.payload.val().op;
        self.taken.valid.next = self.named.valid.val() & self.named.ready.val();
        self.taken.payload.next.kind = self.in_.payload.val().op.request.kind;
        self.taken.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.taken.payload.next.cta = self.in_.payload.val().op.request.cta;
        self.through.next = self.taken.valid.val()
            & (self.in_.payload.val().op.request.kind == OpKind::Release)
            & (self.in_.payload.val().op.request.fault == FaultCode::None);

        self.mbarrier.valid.next = self.in_.valid.val() & self.of_mbarrier.val();
        self.mbarrier.payload.next.mbarrier_request = self.in_.payload.val().mbarrier_request;
        self.mbarrier.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.mbarrier.payload.next.uniform = self.in_.payload.val().op.request.uniform;
        self.mbarrier.payload.next.warp = self.in_.payload.val().op.warp;
        self.mbarrier.payload.next.cta = self.in_.payload.val().op.request.cta;
        self.mbarrier.payload.next.address = self.in_.payload.val().op.request.data;
        self.mbarrier.payload.next.lanes = self.in_.payload.val().op.value;
        self.mbarrier.payload.next.whole = self.in_.payload.val().whole;
        self.mbarrier.payload.next.destination = self.in_.payload.val().destination;
    }
}
