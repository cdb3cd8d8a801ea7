// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The back end, from an operation of a warp to a release: memory ordering, the units of barriers, deadlocks, faults, and the
//! destinations of results. The block is wiring; the wiring of `mbarrier`, `cluster` and `grid`, if one of them is built, is in a block
//! of its own.
//!
//! *Reads:* the operation channel, and the values of a Launch or Release that are not fields of that channel; the strobes of the
//! memory system; CTA launches and departures; signals of copy engines; masks of the warps that are live or whose lanes all wait,
//! and the walk over the warps; the fault policy. *Writes:* the release, writeback, token and wake strobes, requests to shared
//! memory, the fault channel; masks of the warps that wait, are trapped, are held or have a parked operation. *Latency:* 5 from
//! operation to release or writeback. Implements the path of an operation from `mem_order` on, in `docs/contract/bcu.md`.

use super::cluster::ports::{ClusterMessage, HubMessage, NamedCluster};
use super::commit_merge::CommitMerge;
use super::gateway::ports::Notification;
use super::gateway::Gateway;
use super::grid::ports::{GridHubMessage, GridMessage, NamedGrid};
use super::mbarrier::ports::{
    MbarrierToken, MbarrierTx, MbarrierWake, MemRequest, MemResponse, NetAck, NetIn, NetOut, NetReply, TxDone,
};
use super::{deadlock_detector::DeadlockDetector, warp_status::WarpStatus, writeback::ReadDestination};
use super::{dispatch::Dispatch, faults::Faults, mem_order::MemOrder, named::Named, peer_barriers::PeerBarriers};
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits and counts of `CW` bits; `S` CTA slots with numbers of `LC` bits; contributions to a
/// reduction of `VW` bits; cluster slot numbers of `KC` bits; `G` grid slots with numbers of `KG` bits. `LI`, `RA`, `IW` and `AW` are
/// those of [`Named`], `PW`, `OB` and `P` those of [`MemOrder`], all names with `X` those of `mbarrier` ([`PeerBarriers`]).
#[block]
pub struct Backend<W, LW, CW, LC, S, LI, RA, IW, AW, VW, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub in_: Sink<WarpOp<W, LW, LC, VW>>,
    /// Values of the Launch and the Release in transit that are not fields of the operation.
    pub sideband: Signal<In, Sideband<CW>>,
    pub issue_status: Signal<In, IssueStatus<W>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    pub walk_step: StrobeIn<WalkStep<LW, LC>>,
    /// An operation enters `gather`; the payload is its CTA slot.
    pub gather_entered: StrobeIn<OpCta<LC>>,
    pub issue: [StrobeIn<Issue<LW>>; P],
    pub perform: [StrobeIn<Perform<LW>>; P],
    pub copy_issue: StrobeIn<CopyIssue<LC>>,
    pub copy_perform: StrobeIn<CopyPerform<LC>>,
    pub launched: StrobeIn<NewCta<W, LC, KC, KG>>,
    pub departure: StrobeIn<Departure<W, LC>>,
    #[built(config.has_mbarrier())]
    pub tx: Sink<MbarrierTx<LC, XW>>,
    #[built(config.has_mbarrier())]
    pub tx_done: StrobeOut<TxDone<LC>>,
    #[built(config.has_network())]
    pub net_out: Source<NetOut<LC, XW, KC>>,
    #[built(config.has_network())]
    pub net_ack: StrobeIn<NetAck<LC>>,
    #[built(config.has_network())]
    pub net_in: Sink<NetIn<LC, XW>>,
    #[built(config.has_network())]
    pub net_reply: StrobeOut<NetReply>,
    #[built(config.has_clusters())]
    pub cluster_in: StrobeIn<HubMessage<KC>>,
    #[built(config.has_clusters())]
    pub cluster_out: Source<ClusterMessage<KC>>,
    #[built(config.has_grids())]
    pub grid_in: StrobeIn<GridHubMessage<KG>>,
    #[built(config.has_grids())]
    pub grid_out: Source<GridMessage<KG>>,
    #[built(config.has_mbarrier())]
    pub wait_limit: Signal<In, Bits<XL>>,
    #[built(config.has_mbarrier())]
    pub mem_request: Source<MemRequest<LC, XW>>,
    #[built(config.has_mbarrier())]
    pub mem_response: StrobeIn<MemResponse>,
    pub fault_policy: Signal<In, FaultPolicy>,
    pub epoch: Signal<Out, Bits<W>>,
    pub copying: Signal<Out, Bits<S>>,
    pub copies_full: Signal<Out, Bits<S>>,
    #[built(config.has_named())]
    pub release: StrobeOut<Release<W, LC>>,
    #[built(config.has_named())]
    pub writeback: StrobeOut<Writeback<LW>>,
    #[built(config.has_gateway())]
    pub gateway_release: StrobeOut<Notification<W, LC>>,
    /// CTA slots for which the gateway has state that cannot be saved.
    #[built(config.has_gateway())]
    pub open: Signal<Out, Bits<S>>,
    #[built(config.has_mbarrier())]
    pub token: StrobeOut<MbarrierToken<LW>>,
    #[built(config.has_mbarrier())]
    pub wake: StrobeOut<MbarrierWake<W>>,
    #[built(config.has_clusters())]
    pub cluster_release: StrobeOut<Woken<W>>,
    #[built(config.has_clusters())]
    pub cluster_closed: StrobeOut<NamedCluster<KC>>,
    #[built(config.has_grids())]
    pub grid_release: StrobeOut<Woken<W>>,
    #[built(config.has_grids())]
    pub grid_opened: StrobeOut<NamedGrid<KG>>,
    /// A departed CTA is flushed: no unit holds any state of the CTA any more. The payload is its CTA slot.
    pub flushed: StrobeOut<RetiredCta<LC>>,
    pub fault: Source<Fault<LW, LC>>,
    #[built(config.has_named())]
    pub lost_faults: Signal<Out, Bits<16>>,
    pub trapped: Signal<Out, Bits<W>>,

    pub barrier_status: Signal<Out, BarrierStatus<W>>,
    #[init(MemOrder::new(config))]
    mem_order: MemOrder<W, LW, CW, LC, S, VW, PW, OB, P>,
    #[init(Dispatch::new(config))]
    dispatch: Dispatch<W, LW, CW, LC, VW>,
    #[init(Named::new(config))]
    #[built(config.has_named())]
    named: Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>,
    #[init(Gateway::new(config))]
    #[built(config.has_gateway())]
    gateway: Gateway<W, LW, CW, LC, S, LI, RA, IW>,
    #[init(PeerBarriers::new(config))]
    #[built(config.has_mbarrier() || config.has_clusters() || config.has_grids())]
    peer_barriers: PeerBarriers<W, LW, CW, LC, S, VW, XW, XI, XT, XL, XQ, KC, KG, G>,
    #[init(CommitMerge::new(config))]
    commit_merge: CommitMerge<W>,
    deadlock_detector: DeadlockDetector<W, LW, LC, S>,
    warp_status: WarpStatus<W>,
    #[init(Faults::new(config))]
    faults: Faults<LW, LC>,
    #[built(config.has_named())]
    destination: ReadDestination<LW>,
    /// Warps that wait at a named barrier or at the gateway, or are stopped.
    stalled: Signal<Local, Bits<W>>,
    /// One of the units `mbarrier`, `cluster` and `grid` is built, so it may hold state of a departed CTA.
    #[init(Constant::new(config.has_mbarrier() || config.has_clusters() || config.has_grids()))]
    has_peer_barriers: Constant<Bit>,
}

#[block]
impl Logic for Backend {
    fn update(&mut self) {
        // Memory ordering, and the unit that executes the operation.
        Channel::join(&mut self.in_, &mut self.mem_order.in_);
        for k in 0..P {
            Strobe::join(&mut self.issue[k], &mut self.mem_order.issue[k]);
            Strobe::join(&mut self.perform[k], &mut self.mem_order.perform[k]);
        }
        Strobe::join(&mut self.copy_issue, &mut self.mem_order.copy_issue);
        Strobe::join(&mut self.copy_perform, &mut self.mem_order.copy_perform);
        self.copying.next = self.mem_order.copying.val();
        self.copies_full.next = self.mem_order.copies_full.val();
        Channel::join(&mut self.mem_order.op, &mut self.dispatch.in_);
        self.dispatch.sideband.next = self.sideband.val();
        Channel::join(&mut self.dispatch.named, &mut self.named.op);
        Channel::join(&mut self.dispatch.gateway, &mut self.gateway.op);
        Channel::join(&mut self.dispatch.mbarrier, &mut self.peer_barriers.mbarrier_op);
        Channel::join(&mut self.dispatch.cluster, &mut self.peer_barriers.cluster_op);
        Channel::join(&mut self.dispatch.grid, &mut self.peer_barriers.grid_op);

        // Mbarriers, clusters and grids.
        Strobe::join(&mut self.launched, &mut self.peer_barriers.launched);
        Strobe::join(&mut self.dispatch.exit_enters, &mut self.peer_barriers.exit_enters);
        Strobe::join(&mut self.departure, &mut self.peer_barriers.departure);
        for j in 0..LC {
            self.peer_barriers.warp_cta[j].next = self.warp_cta[j].val();
        }
        self.peer_barriers.outstanding.next = self.mem_order.outstanding.val();
        self.peer_barriers.copying.next = self.mem_order.copying.val();
        Channel::join(&mut self.tx, &mut self.peer_barriers.tx);
        Strobe::join(&mut self.peer_barriers.tx_done, &mut self.tx_done);
        Channel::join(&mut self.peer_barriers.net_out, &mut self.net_out);
        Strobe::join(&mut self.net_ack, &mut self.peer_barriers.net_ack);
        Channel::join(&mut self.net_in, &mut self.peer_barriers.net_in);
        Strobe::join(&mut self.peer_barriers.net_reply, &mut self.net_reply);
        self.peer_barriers.wait_limit.next = self.wait_limit.val();
        Channel::join(&mut self.peer_barriers.mem_request, &mut self.mem_request);
        Strobe::join(&mut self.mem_response, &mut self.peer_barriers.mem_response);
        Strobe::join(&mut self.peer_barriers.token, &mut self.token);
        Strobe::join(&mut self.peer_barriers.wake, &mut self.wake);
        Channel::join(&mut self.peer_barriers.cluster_out, &mut self.cluster_out);
        Strobe::join(&mut self.cluster_in, &mut self.peer_barriers.cluster_in);
        Strobe::join(&mut self.peer_barriers.cluster_release, &mut self.cluster_release);
        Strobe::join(&mut self.peer_barriers.cluster_closed, &mut self.cluster_closed);
        Channel::join(&mut self.peer_barriers.grid_out, &mut self.grid_out);
        Strobe::join(&mut self.grid_in, &mut self.peer_barriers.grid_in);
        Strobe::join(&mut self.peer_barriers.grid_release, &mut self.grid_release);
        Strobe::join(&mut self.peer_barriers.grid_opened, &mut self.grid_opened);

        // Without mbarriers, clusters and grids, no unit holds any state of a CTA that departs: the CTA is flushed at once.
        self.flushed.valid.next = self.departure.valid.val();
        self.flushed.payload.next.cta = self.departure.payload.val().cta;
        if self.has_peer_barriers.val() {
            self.flushed.valid.next = self.peer_barriers.flushed.valid.val();
            self.flushed.payload.next = self.peer_barriers.flushed.payload.val();
        }

        // Warps whose operation takes effect, and stopped warps.
        Strobe::join(&mut self.named.commit, &mut self.commit_merge.named);
        Strobe::join(&mut self.gateway.commit, &mut self.commit_merge.gateway);
        self.commit_merge.other_commits.next = self.peer_barriers.committed_warps.val();
        self.mem_order.commit.next = self.commit_merge.committed_warps.val();
        self.barrier_status.next.op_done =
            self.mem_order.op_done.val() | (self.commit_merge.committed_warps.val() & !self.mem_order.picked_pending.val());
        Strobe::join(&mut self.commit_merge.stop_change, &mut self.warp_status.commit);
        self.warp_status.refused.next = self.peer_barriers.refused_warps.val();
        self.warp_status.fault_policy.next = self.fault_policy.val();
        self.named.trapped.next = self.warp_status.trapped.val();
        self.stalled.next = self.named.waiting.val() | self.gateway.waiting.val() | self.warp_status.stopped.val();

        // Deadlocks, and the faults of all units.
        Strobe::join(&mut self.walk_step, &mut self.deadlock_detector.seen);
        Strobe::join(&mut self.gather_entered, &mut self.deadlock_detector.entered);
        self.deadlock_detector.stalled.next = self.stalled.val() | self.issue_status.val().gathering;
        Strobe::join(&mut self.dispatch.named_entered, &mut self.deadlock_detector.taken);
        Strobe::join(&mut self.named.implicit_conflict, &mut self.deadlock_detector.implicit_conflict);
        Channel::join(&mut self.named.fault, &mut self.faults.named);
        Channel::join(&mut self.gateway.fault, &mut self.faults.gateway);
        Channel::join(&mut self.deadlock_detector.dead, &mut self.faults.dead);
        Channel::join(&mut self.peer_barriers.mbarrier_fault, &mut self.faults.mbarrier);
        Channel::join(&mut self.peer_barriers.cluster_fault, &mut self.faults.cluster);
        Channel::join(&mut self.peer_barriers.grid_fault, &mut self.faults.grid);
        Channel::join(&mut self.faults.out, &mut self.fault);

        // The outputs.
        Strobe::join(&mut self.named.release, &mut self.release);
        Strobe::join(&mut self.gateway.release, &mut self.gateway_release);
        self.open.next = self.gateway.open.val();
        self.lost_faults.next = self.named.lost_faults.val();
        self.destination.op_destination.next = self.mem_order.op.payload.val().destination;
        Strobe::join(&mut self.named.read, &mut self.destination.read);
        Strobe::join(&mut self.destination.writeback, &mut self.writeback);
        self.trapped.next = self.warp_status.trapped.val();
        self.barrier_status.next.halted = self.stalled.val() | self.peer_barriers.waiting.val();
        self.barrier_status.next.clearing = self.named.clearing.val() | self.gateway.clearing.val();
        self.barrier_status.next.launch_enters = self.dispatch.launch_enters.val();
        self.barrier_status.next.release_enters = self.dispatch.release_enters.val();
        self.epoch.next = self.mem_order.epoch.val();
        self.barrier_status.next.held_warps = self.mem_order.held.val();
        self.barrier_status.next.access_limit = self.mem_order.access_limit.val();
        self.barrier_status.next.two_parked = self.mem_order.full.val();
        self.barrier_status.next.parked = self.mem_order.parked.val();
    }
}
