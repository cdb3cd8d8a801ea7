// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sends each operation to its unit.
//!
//! *Reads:* the operations that leave `mem_order`; the sideband values of the Launch and the Release in transit; whether the
//! operation's unit is ready. *Writes:* the channels of the units; strobes of the operations that enter `named` (or `gateway` in
//! place of it), among them launches, releases and exits. *Latency:* 0, no state. Implements the fork after `mem_order` of
//! `docs/contract/bcu.md`.

use super::cluster::ports::{ClusterKind, ClusterOp};
use super::gateway::ports::{GatewayKind, GatewayOp};
use super::grid::ports::{GridKind, GridOp};
use super::lane_numbers::LaneRequest;
use crate::prelude::*;

/// Sizes as in [`Named`](super::named::Named).
#[block]
pub struct Dispatch<W, LW, CW, LC, VW> {
    pub in_: Sink<OrderedOp<W, LW, LC, VW>>,
    /// Values of the Launch and the Release in transit that do not travel in the operation.
    pub sideband: Signal<In, Sideband<CW>>,
    #[built(config.has_named())]
    pub named: Source<NamedOp<W, LW, CW, LC, VW>>,
    #[built(config.has_gateway())]
    pub gateway: Source<GatewayOp<W, LW, CW, LC>>,
    #[built(config.has_mbarrier())]
    pub mbarrier: Source<LaneRequest<LW, LC, VW>>,
    #[built(config.has_clusters())]
    pub cluster: Source<ClusterOp<LW, LC>>,
    #[built(config.has_grids())]
    pub grid: Source<GridOp<LW, LC>>,
    /// An operation enters `named` or `gateway`.
    pub named_entered: StrobeOut<Entered<LC>>,
    /// A Launch enters `named` or `gateway`.
    pub launch_enters: Signal<Out, Bit>,
    /// A Release without a fault enters `named` or `gateway`.
    pub release_enters: Signal<Out, Bit>,
    /// An Exit without a fault enters `named` or `gateway`.
    pub exit_enters: StrobeOut<WarpExit<LW>>,
    kind: Signal<Local, OpKind>,
    /// The operation is for `named` or `gateway`.
    for_named: Signal<Local, Bit>,
    /// The operation enters `named` or `gateway`.
    enters_named: Signal<Local, Bit>,
    /// The operation is for `mbarrier`.
    for_mbarrier: Signal<Local, Bit>,
    /// The operation is for `cluster`.
    for_cluster: Signal<Local, Bit>,
    /// The operation is for `grid`.
    for_grid: Signal<Local, Bit>,
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
        self.for_mbarrier.next = self.has_mbarrier.val() & (self.kind.val() == OpKind::Mbarrier);
        self.for_cluster.next = self.has_clusters.val()
            & ((self.kind.val() == OpKind::ClusterArrive)
                | (self.kind.val() == OpKind::ClusterArriveRelaxed)
                | (self.kind.val() == OpKind::ClusterWait));
        self.for_grid.next =
            self.has_grids.val() & ((self.kind.val() == OpKind::GridLaunch) | (self.kind.val() == OpKind::GridWait));
        self.in_.ready.next = self.named.ready.val() | self.gateway.ready.val();
        if self.for_mbarrier.val() {
            self.in_.ready.next = self.mbarrier.ready.val();
        }
        if self.for_cluster.val() {
            self.in_.ready.next = self.cluster.ready.val();
        }
        if self.for_grid.val() {
            self.in_.ready.next = self.grid.ready.val();
        }

        self.for_named.next = self.in_.valid.val() & !self.for_mbarrier.val() & !self.for_cluster.val() & !self.for_grid.val();
        self.enters_named.next = self.for_named.val() & self.in_.ready.val();
        self.named.valid.next = self.for_named.val();
        self.named.payload.next.op = self.in_.payload.val().op;
        self.named.payload.next.sizes = self.sideband.val().sizes;
        self.named.payload.next.saved = self.sideband.val().saved;
        self.gateway.valid.next = self.for_named.val();
        self.gateway.payload.next.kind = GatewayKind::Refused;
        self.gateway.payload.next.message.id = 0.into();
        if self.kind.val() == OpKind::Gateway {
            self.gateway.payload.next.kind = GatewayKind::Signal;
            if self.in_.payload.val().op.request.data.get_bit(13) {
                self.gateway.payload.next.kind = GatewayKind::Wait;
            }
            self.gateway.payload.next.message.id = self.in_.payload.val().op.request.data.get_bits::<8>(0);
        }
        if self.kind.val() == OpKind::Exit {
            self.gateway.payload.next.kind = GatewayKind::Exit;
        }
        if self.kind.val() == OpKind::Launch {
            self.gateway.payload.next.kind = GatewayKind::Launch;
        }
        if self.kind.val() == OpKind::Release {
            self.gateway.payload.next.kind = GatewayKind::Release;
        }
        self.gateway.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.gateway.payload.next.uniform = self.in_.payload.val().op.request.uniform;
        self.gateway.payload.next.warp = self.in_.payload.val().op.warp;
        self.gateway.payload.next.cta = self.in_.payload.val().op.request.cta;
        self.gateway.payload.next.message.role = self.in_.payload.val().op.request.data.get_bits::<2>(14);
        self.gateway.payload.next.message.producers = self.in_.payload.val().op.request.data.get_bits::<8>(16);
        self.gateway.payload.next.message.consumers = self.in_.payload.val().op.request.data.get_bits::<8>(24);
        self.gateway.payload.next.warps = self.sideband.val().sizes.warps;
        self.gateway.payload.next.barriers = self.sideband.val().sizes.barriers;
        self.gateway.payload.next.mask = self.in_.payload.val().op.mask;
        self.named_entered.valid.next = self.enters_named.val();
        self.named_entered.payload.next.kind = self.kind.val();
        self.named_entered.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.named_entered.payload.next.cta = self.in_.payload.val().op.request.cta;
        self.launch_enters.next = self.named_entered.valid.val() & (self.kind.val() == OpKind::Launch);
        self.release_enters.next = self.named_entered.valid.val()
            & (self.kind.val() == OpKind::Release)
            & (self.in_.payload.val().op.request.fault == FaultCode::None);
        self.exit_enters.valid.next = self.named_entered.valid.val()
            & (self.kind.val() == OpKind::Exit)
            & (self.in_.payload.val().op.request.fault == FaultCode::None);
        self.exit_enters.payload.next.warp = self.in_.payload.val().op.warp;

        self.mbarrier.valid.next = self.in_.valid.val() & self.for_mbarrier.val();
        self.mbarrier.payload.next.mbarrier_request = self.in_.payload.val().mbarrier_request;
        self.mbarrier.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.mbarrier.payload.next.uniform = self.in_.payload.val().op.request.uniform;
        self.mbarrier.payload.next.warp = self.in_.payload.val().op.warp;
        self.mbarrier.payload.next.cta = self.in_.payload.val().op.request.cta;
        self.mbarrier.payload.next.address = self.in_.payload.val().op.request.data;
        self.mbarrier.payload.next.lanes = self.in_.payload.val().op.value;
        self.mbarrier.payload.next.all_live_lanes = self.in_.payload.val().all_live_lanes;
        self.mbarrier.payload.next.destination = self.in_.payload.val().destination;

        self.cluster.valid.next = self.in_.valid.val() & self.for_cluster.val();
        self.cluster.payload.next.kind = ClusterKind::Arrive;
        if self.kind.val() == OpKind::ClusterWait {
            self.cluster.payload.next.kind = ClusterKind::Wait;
        }
        self.cluster.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.cluster.payload.next.warp = self.in_.payload.val().op.warp;
        self.cluster.payload.next.cta = self.in_.payload.val().op.request.cta;

        self.grid.valid.next = self.in_.valid.val() & self.for_grid.val();
        self.grid.payload.next.kind = GridKind::LaunchDependents;
        if self.kind.val() == OpKind::GridWait {
            self.grid.payload.next.kind = GridKind::Wait;
        }
        self.grid.payload.next.fault = self.in_.payload.val().op.request.fault;
        self.grid.payload.next.warp = self.in_.payload.val().op.warp;
        self.grid.payload.next.cta = self.in_.payload.val().op.request.cta;
    }
}
