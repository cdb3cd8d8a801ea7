// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The signals between the parts of the whole unit in one cycle (`docs/contract/bcu.md`).

use super::cluster_ports::{ClusterKind, ClusterOp, ClusterOut};
use super::cta_table::CtaTableOut;
use super::deadlock_detector::{DeadlockDetectorOut, Taken};
use super::decode::DecodeOut;
use super::gateway_ports::{GatewayKind, GatewayOp, GatewayOut, Message};
use super::gather::{Carried, Laned, Offered};
use super::gather_ports::GatherOut;
use super::grid::{GridKind, GridOp, GridOut};
use super::mbarrier_ports::{MbarrierFault, MbarrierOp, MbarrierOut};
use super::mem_order_ports::MemOrderOut;
use super::named::NamedOut;
use super::op::{Code, Kind, Operation};
use super::outcome::{Commit, Fault};
use super::sizes::Sizes;
use super::warp_status::WarpStatusOut;

/// The indexes of the units that report faults, in the order in which the fault port serves them.
pub const NAMED: usize = 0;
pub const DEADLOCK: usize = 1;
pub const MBARRIER: usize = 2;
pub const CLUSTER: usize = 3;
pub const GRID: usize = 4;

/// The outputs of the parts in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wires {
    pub cta_table: CtaTableOut,
    pub decode: DecodeOut,
    pub gather: GatherOut,
    pub mem_order: MemOrderOut,
    /// The outputs of `named`; idle if `gateway` is built.
    pub named: NamedOut,
    /// The outputs of `gateway`; idle if `named` is built.
    pub gateway: GatewayOut,
    pub mbarrier: MbarrierOut,
    /// The *lane numbers* accept an operation for `mbarrier` in this cycle.
    pub lanes_ready: bool,
    /// The outputs of `cluster`; idle if the unit is not built.
    pub cluster: ClusterOut,
    /// The outputs of `grid`; idle if the unit is not built.
    pub grid: GridOut,
    pub warp_status: WarpStatusOut,
    pub deadlock_detector: DeadlockDetectorOut,
}

impl Wires {
    /// Warps that wait at a barrier of `named` or `gateway`, or are stopped.
    pub fn stalled(&self) -> u64 {
        self.named.waiting | self.gateway.waiting | self.warp_status.stopped
    }

    /// Stalled warps, and warps that are suspended on an mbarrier or wait for their cluster or for other grids.
    pub fn halted(&self) -> u64 {
        self.stalled() | self.mbarrier.suspended | self.cluster.waiting | self.grid.waiting
    }

    /// Warps whose instructions, except Reads and Writes, get the fault `WarpBlocked`.
    pub fn refusing(&self) -> u64 {
        self.halted() | self.decode.in_decode | self.gather.exit_pending | self.mem_order.held | self.cta_table.exits
    }

    /// Warps that may not issue: those of [`Wires::refusing`], and those at their access limit.
    pub fn blocked(&self) -> u64 {
        self.refusing() | self.mem_order.access_limit
    }

    /// Warps that may not even execute a Read or Write.
    pub fn busy(&self) -> u64 {
        self.decode.in_decode | self.gather.exit_pending | self.mem_order.full | self.cta_table.exits
    }

    /// Warps with an operation that has not had its effects.
    pub fn in_flight(&self) -> u64 {
        self.decode.in_decode | self.gather.exit_pending | self.mem_order.parked
    }

    /// Warps with an operation that is parked in this cycle, or that has its effects now and was not parked before.
    pub fn op_done(&self) -> u64 {
        self.mem_order.op_done | self.commit() & !self.mem_order.picked_pending
    }

    /// The warps whose operations have their effects in this cycle, in any unit.
    pub fn commit(&self) -> u64 {
        let Commit { warps, warp_done, .. } = self.named.commit;
        let of_named = if self.named.commit_valid && warp_done { warps } else { 0 };
        let of_gateway = if self.gateway.commit.warp_done { self.gateway.commit.warps } else { 0 };
        of_named | of_gateway | self.mbarrier.commit.warps | self.cluster.commit.warps | self.grid.commit.warps
    }

    /// The commit of `named` or `gateway`, from which `warp_status` derives the warps that the fault policy stops.
    pub fn stopping(&self) -> Option<Commit> {
        let GatewayOut { commit_valid, commit, .. } = self.gateway;
        let of_gateway =
            Commit { warps: commit.warps, refused: commit.refused, cta_release: commit.cta_release, ..Commit::default() };
        self.named.commit_valid.then_some(self.named.commit).or(commit_valid.then_some(of_gateway))
    }

    /// The warps whose operations a unit other than `named` and `gateway` refuses.
    pub fn refused(&self) -> u64 {
        let refused_warps = |refused: bool, warps: u64| if refused { warps } else { 0 };
        refused_warps(self.mbarrier.commit.refused, self.mbarrier.commit.warps)
            | refused_warps(self.cluster.commit.refused, self.cluster.commit.warps)
            | refused_warps(self.grid.commit.refused, self.grid.commit.warps)
    }

    /// Whether `mem_order` offers an operation on an mbarrier.
    fn of_mbarrier(&self) -> bool {
        self.mem_order.op.op.kind == Kind::Mbarrier
    }

    /// Whether the operation that `mem_order` offers is accepted.
    pub fn mem_order_ready(&self) -> bool {
        match self.mem_order.op.op.kind {
            Kind::Mbarrier => self.lanes_ready,
            kind if kind.is_of_cluster() => self.cluster.op_ready,
            kind if kind.is_of_grid() => self.grid.op_ready,
            _ => self.named.op_ready || self.gateway.op_ready,
        }
    }

    /// The operation offered to `named`, or to `gateway` if `gateway` is built instead of `named`.
    pub fn for_named(&self) -> Option<Operation> {
        let op = self.mem_order.op.op;
        let elsewhere = self.of_mbarrier() || op.kind.is_of_cluster() || op.kind.is_of_grid();
        (self.mem_order.op_valid && !elsewhere).then_some(op)
    }

    /// The operation of [`Wires::for_named`] with the fields of `gateway`.
    pub fn for_gateway(&self) -> Option<GatewayOp> {
        let op = self.for_named()?;
        let kind = match op.kind {
            Kind::Gateway if op.waits_at_gateway() => GatewayKind::Wait,
            Kind::Gateway => GatewayKind::Signal,
            Kind::Exit => GatewayKind::Exit,
            Kind::Launch => GatewayKind::Launch,
            Kind::Release => GatewayKind::Release,
            _ => GatewayKind::Refused,
        };
        let message = if op.kind == Kind::Gateway { Message::from_word(op.data) } else { Message::default() };
        let Operation { fault, uniform, warp, cta, warps, barriers, mask, tag, .. } = op;
        Some(GatewayOp { kind, fault, uniform, warp, cta, message, warps, barriers, mask, tag })
    }

    /// The operation offered to `cluster`.
    pub fn for_cluster(&self) -> Option<ClusterOp> {
        let Operation { kind, fault, warp, cta, .. } = self.mem_order.op.op;
        let cluster_kind = if kind == Kind::ClusterWait { ClusterKind::Wait } else { ClusterKind::Arrive };
        (self.mem_order.op_valid && kind.is_of_cluster()).then_some(ClusterOp { kind: cluster_kind, fault, warp, cta })
    }

    /// The operation offered to `grid`.
    pub fn for_grid(&self) -> Option<GridOp> {
        let Operation { kind, fault, warp, cta, .. } = self.mem_order.op.op;
        let grid_kind = if kind == Kind::GridWait { GridKind::Wait } else { GridKind::LaunchDependents };
        (self.mem_order.op_valid && kind.is_of_grid()).then_some(GridOp { kind: grid_kind, fault, warp, cta })
    }

    /// The bit of the warp of an Exit without a fault that is transferred into `named`; 0 if there is no such
    /// transfer.
    pub fn exits(&self) -> u64 {
        let exits = self.named_transfer().is_some_and(|transfer| transfer.kind == Kind::Exit && transfer.fault == Code::None);
        u64::from(exits) << self.mem_order.op.op.warp
    }

    /// The operation offered to `mbarrier` through the *lane numbers*.
    pub fn for_mbarrier(&self, sizes: &Sizes) -> Option<MbarrierOp> {
        let Carried { op, request, all_live_lanes, rd, pu, .. } = &self.mem_order.op;
        (self.mem_order.op_valid && self.of_mbarrier()).then(|| request.of_lanes(op, *all_live_lanes, (*rd, *pu), sizes))
    }

    /// The Release without a fault that is transferred from `cta_table` to `gather`.
    pub fn departs(&self) -> Option<&Operation> {
        let op = &self.cta_table.request.op;
        let is_release = op.kind == Kind::Release && op.fault == Code::None;
        (is_release && self.cta_table.op_valid && self.gather_takes()).then_some(op)
    }

    /// Whether `gather` accepts the operation offered to it.
    pub fn gather_takes(&self) -> bool {
        self.gather.takes(self.mem_order.in_ready)
    }

    /// Whether a Launch is transferred from `cta_table` to `gather`.
    pub fn begins(&self) -> bool {
        self.cta_table.op_valid && self.gather_takes() && self.cta_table.request.op.kind == Kind::Launch
    }

    /// The operation offered to `gather`. An operation of `cta_table` has priority over an operation of `decode`. The value is meaningless
    /// if neither unit offers an operation.
    pub fn for_gather(&self) -> Offered {
        if self.cta_table.op_valid {
            let op = Operation { uniform: true, ..self.cta_table.request.op };
            let carried = Carried { op, rd: 255, pu: 7, ..Carried::default() };
            return Offered { laned: Laned { carried, lanes: self.cta_table.request.lanes, votes: 0 }, ..Offered::default() };
        }
        let decoded = &self.decode.op;
        let carried = Carried {
            op: decoded.op,
            request: decoded.request,
            release: decoded.release,
            all_live_lanes: false,
            from_instr: true,
            rd: decoded.rd,
            pu: decoded.pu,
        };
        let laned = Laned { carried, lanes: decoded.lanes, votes: decoded.votes };
        Offered { laned, form: decoded.form, members: decoded.members }
    }

    /// The CTA slot of the operation that is transferred into `gather`.
    pub fn entered(&self) -> Option<u8> {
        let enters = self.gather_takes() && (self.cta_table.op_valid || self.decode.op_valid);
        enters.then(|| self.for_gather().laned.carried.op.cta)
    }

    /// The units that offer a fault, one bit each in the order of their turns.
    pub fn faulty(&self) -> u64 {
        let named = self.named.fault_valid || self.gateway.fault_valid;
        let later = [self.mbarrier.fault_valid, self.cluster.fault_valid, self.grid.fault_valid];
        let units = [named, self.deadlock_detector.dead_valid].into_iter().chain(later);
        units.enumerate().fold(0, |faulty, (unit, offers)| faulty | u64::from(offers) << unit)
    }

    /// The fault at the port, which the unit with index `whose` reports.
    pub fn fault(&self, whose: usize, sizes: &Sizes) -> Fault {
        let MbarrierFault { code, has_warp, warp, cta, address } = self.mbarrier.fault;
        match whose {
            MBARRIER => Fault { code, has_warp, warp, cta, id: 0, address },
            CLUSTER => self.cluster.fault.into(),
            GRID => self.grid.fault.into(),
            DEADLOCK => Fault { code: Code::Deadlock, cta: self.deadlock_detector.dead_cta, ..Fault::default() },
            _ if sizes.has_gateway() => self.gateway.fault,
            _ => self.named.fault,
        }
    }

    /// The operation transferred from `mem_order` into `named`.
    pub fn named_transfer(&self) -> Option<Taken> {
        let Operation { kind, fault, cta, .. } = self.mem_order.op.op;
        (self.for_named().is_some() && self.mem_order_ready()).then_some(Taken { kind, fault, cta })
    }
}
