// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sends each operation to its unit.
//!
//! *Reads:* the operations that leave `mem_order`; the sideband values of the Launch and the Release in transit; whether the
//! operation's unit is ready. *Writes:* the channels of the units; strobes of the operations that enter `named` or `gateway`,
//! with separate strobes for launches, releases and exits. *Latency:* 0, no state. Implements the
//! fork after `mem_order` of `docs/contract/bcu.md`.

use super::cluster::ports::{ClusterKind, ClusterOp};
use super::gateway::ports::GatewayOp;
use super::gateway_form::GatewayForm;
use super::grid::ports::{GridKind, GridOp};
use super::op_unit::OpUnit;
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits and counts of `CW` bits, CTA slot numbers of `LC` bits, contributions to a reduction of `VW`
/// bits.
#[block]
pub struct Dispatch<W, LW, CW, LC, VW> {
    pub in_: Sink<OrderedOp<W, LW, LC, VW>>,
    /// Values of the Launch and the Release in transit that are not fields of the operation.
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
    #[init(OpUnit::new(config))]
    op_unit: OpUnit,
    #[built(config.has_gateway())]
    gateway_form: GatewayForm<W, LW, CW, LC>,
    /// The operation is for `named` or `gateway`.
    for_named: Signal<Local, Bit>,
    /// The operation enters `named` or `gateway`.
    enters_named: Signal<Local, Bit>,
    /// The operation has no fault.
    has_no_fault: Signal<Local, Bit>,
}

#[block]
impl Logic for Dispatch {
    fn update(&mut self) {
        let op = self.in_.payload.val().op;
        let request = self.in_.payload.val().op.request;
        self.op_unit.kind.next = request.kind;
        self.in_.ready.next = self.named.ready.val() | self.gateway.ready.val();
        if self.op_unit.for_mbarrier.val() {
            self.in_.ready.next = self.mbarrier.ready.val();
        }
        if self.op_unit.for_cluster.val() {
            self.in_.ready.next = self.cluster.ready.val();
        }
        if self.op_unit.for_grid.val() {
            self.in_.ready.next = self.grid.ready.val();
        }

        // To `named` or `gateway`.
        self.for_named.next = self.in_.valid.val() & self.op_unit.for_named.val();
        self.enters_named.next = self.for_named.val() & self.in_.ready.val();
        self.named.valid.next = self.for_named.val();
        self.named.payload.next.op = op;
        self.named.payload.next.sizes = self.sideband.val().sizes;
        self.named.payload.next.saved = self.sideband.val().saved;
        self.gateway.valid.next = self.for_named.val();
        self.gateway_form.request.next = request;
        self.gateway_form.warp.next = op.warp;
        self.gateway_form.mask.next = op.mask;
        self.gateway_form.sizes.next = self.sideband.val().sizes;
        self.gateway.payload.next = self.gateway_form.op.val();
        self.has_no_fault.next = request.fault == FaultCode::None;
        self.named_entered.valid.next = self.enters_named.val();
        self.named_entered.payload.next.kind = request.kind;
        self.named_entered.payload.next.fault = request.fault;
        self.named_entered.payload.next.cta = request.cta;
        self.launch_enters.next = self.named_entered.valid.val() & (request.kind == OpKind::Launch);
        self.release_enters.next = self.named_entered.valid.val() & (request.kind == OpKind::Release) & self.has_no_fault.val();
        self.exit_enters.valid.next = self.named_entered.valid.val() & (request.kind == OpKind::Exit) & self.has_no_fault.val();
        self.exit_enters.payload.next.warp = op.warp;

        // To the other units.
        self.mbarrier.valid.next = self.in_.valid.val() & self.op_unit.for_mbarrier.val();
        self.mbarrier.payload.next.mbarrier_request = self.in_.payload.val().mbarrier_request;
        self.mbarrier.payload.next.fault = request.fault;
        self.mbarrier.payload.next.uniform = request.uniform;
        self.mbarrier.payload.next.warp = op.warp;
        self.mbarrier.payload.next.cta = request.cta;
        self.mbarrier.payload.next.address = request.data;
        self.mbarrier.payload.next.lanes = op.value;
        self.mbarrier.payload.next.all_live_lanes = self.in_.payload.val().all_live_lanes;
        self.mbarrier.payload.next.destination = self.in_.payload.val().destination;

        self.cluster.valid.next = self.in_.valid.val() & self.op_unit.for_cluster.val();
        self.cluster.payload.next.kind = ClusterKind::Arrive;
        if request.kind == OpKind::ClusterWait {
            self.cluster.payload.next.kind = ClusterKind::Wait;
        }
        self.cluster.payload.next.fault = request.fault;
        self.cluster.payload.next.warp = op.warp;
        self.cluster.payload.next.cta = request.cta;

        self.grid.valid.next = self.in_.valid.val() & self.op_unit.for_grid.val();
        self.grid.payload.next.kind = GridKind::LaunchDependents;
        if request.kind == OpKind::GridWait {
            self.grid.payload.next.kind = GridKind::Wait;
        }
        self.grid.payload.next.fault = request.fault;
        self.grid.payload.next.warp = op.warp;
        self.grid.payload.next.cta = request.cta;
    }
}
