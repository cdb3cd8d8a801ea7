// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which unit an operation is for.
//!
//! *Reads:* the operations that leave `order`, and whether the unit that each is for takes it. *Writes:* the channels of the units; what goes into
//! `named` now, exits and releases among it. *Latency:* 0, no state. Implements the fork behind `order` of `docs/interface.md`, section `bcu`.

use super::cluster::ports::{ClusterKind, ClusterOp};
use super::grid::ports::{GridKind, GridOp};
use super::lane_numbers::LaneAsks;
use crate::prelude::*;

/// Sizes as in [`Named`](super::named::Named).
#[block]
pub struct Dispatch<W, LW, CW, LC, VW> {
    pub in_: Sink<OrderedOp<W, LW, CW, LC, VW>>,
    pub named: Source<NamedOp<W, LW, CW, LC, VW>>,
    #[built(config.has_mbarrier())]
    pub mbarrier: Source<LaneAsks<LW, LC, VW>>,
    #[built(config.has_clusters())]
    pub cluster: Source<ClusterOp<LW, LC>>,
    #[built(config.has_grids())]
    pub grid: Source<GridOp<LW, LC>>,
    /// It goes into `named`.
    pub taken: StrobeOut<Entered<LC>>,
    /// A release without fault goes into `named`; an exit.
    pub through: Signal<Out, Bit>,
    pub exits: StrobeOut<WarpExit<LW>>,
    kind: Signal<Local, OpKind>,
    of_mbarrier: Signal<Local, Bit>,
    of_cluster: Signal<Local, Bit>,
    of_grid: Signal<Local, Bit>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for Dispatch<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.kind.next = self.in_.payload.val().op.request.kind;
        self.of_mbarrier.next = self.has_mbarrier.val() & (self.kind.val() == OpKind::Mbarrier);
        self.of_cluster.next = self.has_clusters.val()
            & ((self.kind.val() == OpKind::ClusterArrive)
                | (self.kind.val() == OpKind::ClusterArriveRelaxed)
                | (self.kind.val() == OpKind::ClusterWait));
        self.of_grid.next =
            self.has_grids.val() & ((self.kind.val() == OpKind::GridLaunch) | (self.kind.val() == OpKind::GridWait));
        self.in_.ready.next = self.named.ready.val();
        if self.of_mbarrier.val() {
            self.in_.ready.next = self.mbarrier.ready.val();
        }
        if self.of_cluster.val() {
            self.in_.ready.next = self.cluster.ready.val();
        }
        if self.of_grid.val() {
            self.in_.ready.next = self.grid.ready.val();
        }

        self.named.valid.next = self.in_.valid.val() & !self.of_mbarrier.val() & !self.of_cluster.val() & !self.of_grid.val();
        self.named.payload.next = self.in_.payload.val().op;
        self.taken.valid.next = self.named.valid.val() & self.named.ready.val();
        self.taken.payload.next.kind = self.kind.val();
        self.taken.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.taken.payload.next.cta = self.in_.payload.val().op.request.cta;
        self.through.next = self.taken.valid.val()
            & (self.kind.val() == OpKind::Release)
            & (self.in_.payload.val().op.request.fault == FaultCode::None);
        self.exits.valid.next = self.taken.valid.val()
            & (self.kind.val() == OpKind::Exit)
            & (self.in_.payload.val().op.request.fault == FaultCode::None);
        self.exits.payload.next.warp = self.in_.payload.val().op.warp;

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

        self.cluster.valid.next = self.in_.valid.val() & self.of_cluster.val();
        self.cluster.payload.next.kind = ClusterKind::Arrive;
        if self.kind.val() == OpKind::ClusterWait {
            self.cluster.payload.next.kind = ClusterKind::Wait;
        }
        self.cluster.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.cluster.payload.next.warp = self.in_.payload.val().op.warp;
        self.cluster.payload.next.cta = self.in_.payload.val().op.request.cta;

        self.grid.valid.next = self.in_.valid.val() & self.of_grid.val();
        self.grid.payload.next.kind = GridKind::Launch;
        if self.kind.val() == OpKind::GridWait {
            self.grid.payload.next.kind = GridKind::Wait;
        }
        self.grid.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.grid.payload.next.warp = self.in_.payload.val().op.warp;
        self.grid.payload.next.cta = self.in_.payload.val().op.request.cta;
    }
}
