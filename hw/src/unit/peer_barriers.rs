// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The barriers at which warps of several CTAs meet: mbarriers, clusters and grids; and the blocks that decide when a CTA slot is
//! freed. The block is wiring.
//!
//! Each unit is connected at six points: its channel of operations; its fault channel; its commits, which are ORed into
//! `committed_warps`; its refused operations, which are ORed into `refused_warps`; its waiting warps, which are ORed into
//! `waiting`; and its other ports.
//!
//! *Reads:* the operations from `dispatch`; CTA launches, departures and exits; accesses and copies outstanding; the ports of the
//! units towards shared memory, the network and the hubs. *Writes:* the outputs of these ports; the warps whose operations take
//! effect or are refused; the warps that wait; the fault channels; a strobe for a departed CTA without state in any unit.
//! *Latency:* the latency of the units; the wiring adds no cycle. Implements *freed* of `docs/contract/bcu.md`.

use super::cluster::ports::{ClusterMessage, ClusterOp, HubMessage, NamedCluster};
use super::cluster::Cluster;
use super::ended::Ended;
use super::freed::Freed;
use super::grid::ports::{GridHubMessage, GridMessage, GridOp, NamedGrid};
use super::grid::Grid;
use super::lane_numbers::LaneNumbers;
use super::mbarrier::ports::{
    MbarrierFault, MbarrierToken, MbarrierTx, MbarrierWake, MemRequest, MemResponse, NetAck, NetIn, NetOut, NetReply, TxDone,
};
use super::mbarrier::Mbarrier;
use crate::prelude::*;

/// Sizes as in [`Mbarrier`], [`Cluster`], [`Grid`] and [`LaneNumbers`].
#[block]
pub struct PeerBarriers<W, LW, CW, LC, S, VW, XW, XI, XT, XL, XQ, KC, KG, G> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    #[built(config.has_mbarrier())]
    pub mbarrier_op: Sink<LaneRequest<LW, LC, VW>>,
    #[built(config.has_clusters())]
    pub cluster_op: Sink<ClusterOp<LW, LC>>,
    #[built(config.has_grids())]
    pub grid_op: Sink<GridOp<LW, LC>>,
    pub launched: StrobeIn<NewCta<W, LC, KC, KG>>,
    /// An Exit without a fault enters `named` or `gateway`.
    pub exit_enters: StrobeIn<WarpExit<LW>>,
    pub departure: StrobeIn<Departure<W, LC>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    /// Warps with an access outstanding.
    pub outstanding: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: Signal<In, Bits<S>>,
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
    #[built(config.has_mbarrier())]
    pub mbarrier_fault: Source<MbarrierFault<LW, LC>>,
    #[built(config.has_clusters())]
    pub cluster_fault: Source<Refusal<LW, LC>>,
    #[built(config.has_grids())]
    pub grid_fault: Source<Refusal<LW, LC>>,
    /// No unit holds any state of the departed CTA in the payload any more.
    pub flushed: StrobeOut<RetiredCta<LC>>,
    /// Warps with an operation in one of these units that takes effect.
    pub committed_warps: Signal<Out, Bits<W>>,
    /// Warps with an operation in one of these units that is refused.
    pub refused_warps: Signal<Out, Bits<W>>,
    /// Warps that wait in one of these units.
    pub waiting: Signal<Out, Bits<W>>,

    #[built(config.has_mbarrier())]
    lane_numbers: LaneNumbers<LW, LC, VW, XL>,
    #[init(Mbarrier::new(config))]
    #[built(config.has_mbarrier())]
    mbarrier: Mbarrier<W, LW, CW, LC, S, XW, XI, XT, XL, XQ, KC>,
    #[built(config.has_clusters() || config.has_grids())]
    ended: Ended<W, LW, LC, S, KC, KG>,
    #[init(Cluster::new(config))]
    #[built(config.has_clusters())]
    cluster: Cluster<W, LW, LC, S, KC>,
    #[init(Grid::new(config))]
    #[built(config.has_grids())]
    grid: Grid<W, LW, LC, S, KG, G>,
    #[init(Freed::new(config))]
    #[built(config.has_clusters() || config.has_grids())]
    freed: Freed<W, LC, S>,
    /// `cluster` or `grid` is built and may hold state of a departed CTA.
    #[init(Constant::new(config.has_clusters() || config.has_grids()))]
    has_hubs: Constant<Bit>,
}

#[block]
impl Logic for PeerBarriers {
    fn update(&mut self) {
        let launched = self.launched.payload.val();
        let mbarrier_commit = self.mbarrier.commit.payload.val();
        let cluster_commit = self.cluster.commit.payload.val();
        let grid_commit = self.grid.commit.payload.val();

        // Mbarriers.
        Channel::join(&mut self.mbarrier_op, &mut self.lane_numbers.in_);
        Channel::join(&mut self.lane_numbers.op, &mut self.mbarrier.op);
        Channel::join(&mut self.tx, &mut self.mbarrier.tx);
        Strobe::join(&mut self.mbarrier.tx_done, &mut self.tx_done);
        Channel::join(&mut self.mbarrier.net_out, &mut self.net_out);
        Strobe::join(&mut self.net_ack, &mut self.mbarrier.net_ack);
        Channel::join(&mut self.net_in, &mut self.mbarrier.net_in);
        Strobe::join(&mut self.mbarrier.net_reply, &mut self.net_reply);
        self.mbarrier.wait_limit.next = self.wait_limit.val();
        Channel::join(&mut self.mbarrier.mem_request, &mut self.mem_request);
        Strobe::join(&mut self.mem_response, &mut self.mbarrier.mem_response);
        self.mbarrier.launch.valid.next = self.launched.valid.val();
        self.mbarrier.launch.payload.next.cta = launched.cta;
        self.mbarrier.launch.payload.next.peer = launched.peer;
        Strobe::join(&mut self.departure, &mut self.mbarrier.retire);
        Strobe::join(&mut self.mbarrier.token, &mut self.token);
        Strobe::join(&mut self.mbarrier.wake, &mut self.wake);
        Channel::join(&mut self.mbarrier.fault, &mut self.mbarrier_fault);

        // Live warps, ended CTAs, and departed CTAs whose slots may be freed.
        Strobe::join(&mut self.launched, &mut self.ended.launched);
        Strobe::join(&mut self.exit_enters, &mut self.ended.exit_enters);
        Strobe::join(&mut self.departure, &mut self.ended.departure);
        for j in 0..LC {
            self.ended.warp_cta[j].next = self.warp_cta[j].val();
            self.cluster.warp_cta[j].next = self.warp_cta[j].val();
        }
        self.ended.outstanding.next = self.outstanding.val();
        self.ended.copying.next = self.copying.val();
        self.ended.remote.next = self.mbarrier.remote.val();
        Strobe::join(&mut self.departure, &mut self.freed.departure);
        Strobe::join(&mut self.mbarrier.retired, &mut self.freed.flushed);
        self.freed.cluster_empty.next = self.cluster.freed.val();
        self.freed.grid_empty.next = self.grid.freed.val();
        self.flushed.valid.next = self.mbarrier.retired.valid.val();
        self.flushed.payload.next = self.mbarrier.retired.payload.val();
        if self.has_hubs.val() {
            self.flushed.valid.next = self.freed.out.valid.val();
            self.flushed.payload.next = self.freed.out.payload.val();
        }

        // Clusters and grids.
        Channel::join(&mut self.cluster_op, &mut self.cluster.op);
        self.cluster.launch.valid.next = self.launched.valid.val();
        self.cluster.launch.payload.next.cta = launched.cta;
        self.cluster.launch.payload.next.peer = launched.peer;
        self.cluster.live.next = self.ended.live.val();
        self.cluster.ended.next = self.ended.ended_slots.val();
        Channel::join(&mut self.cluster.cluster_out, &mut self.cluster_out);
        Strobe::join(&mut self.cluster_in, &mut self.cluster.cluster_in);
        Strobe::join(&mut self.cluster.release, &mut self.cluster_release);
        Strobe::join(&mut self.cluster.closed, &mut self.cluster_closed);
        Channel::join(&mut self.cluster.fault, &mut self.cluster_fault);
        Channel::join(&mut self.grid_op, &mut self.grid.op);
        self.grid.launch.valid.next = self.launched.valid.val();
        self.grid.launch.payload.next.cta = launched.cta;
        self.grid.launch.payload.next.in_grid = launched.in_grid;
        self.grid.live.next = self.ended.live.val();
        self.grid.ended.next = self.ended.ended_slots.val();
        Channel::join(&mut self.grid.grid_out, &mut self.grid_out);
        Strobe::join(&mut self.grid_in, &mut self.grid.grid_in);
        Strobe::join(&mut self.grid.release, &mut self.grid_release);
        Strobe::join(&mut self.grid.opened, &mut self.grid_opened);
        Channel::join(&mut self.grid.fault, &mut self.grid_fault);

        // The operations that take effect or are refused, and the warps that wait.
        self.committed_warps.next = mbarrier_commit.warps | cluster_commit.warps | grid_commit.warps;
        self.refused_warps.next = 0.into();
        if mbarrier_commit.refused {
            self.refused_warps.next = mbarrier_commit.warps;
        }
        if cluster_commit.refused {
            self.refused_warps.next = self.refused_warps.val() | cluster_commit.warps;
        }
        if grid_commit.refused {
            self.refused_warps.next = self.refused_warps.val() | grid_commit.warps;
        }
        self.waiting.next = self.mbarrier.suspended.val() | self.cluster.waiting.val() | self.grid.waiting.val();
    }
}
