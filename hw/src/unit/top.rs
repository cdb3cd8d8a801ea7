// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit: instructions, launches and exits in, releases and faults out. Wiring.
//!
//! *Reads:* launches, retirements, exits, instructions, memory strobes, policies. *Writes:* releases, results, faults, who may issue.
//! *Latency:* 10 from instruction to release or writeback, 11 from exit to release. Implements the unit's shape in `ARCHITECTURE.md`.

use super::cluster::ports::{ClusterMessage, HubMessage, NamedCluster};
use super::gateway::ports::Notification;
use super::grid::ports::{GridHubMessage, GridMessage, NamedGrid};
use super::mbarrier::ports::{
    MbarrierToken, MbarrierTx, MbarrierWake, MemRequest, MemResponse, NetAck, NetIn, NetOut, NetReply,
};
use super::{barriers::Barriers, intake::Intake};
use crate::prelude::*;

/// Sizes as in [`Intake`] and [`Barriers`].
#[block(unit = "bcu")]
pub struct Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    pub reset: Signal<In, Bit>,
    pub launch: Sink<Launch<W, LC, L, KC, KG>>,
    pub retire: Sink<Retire<LC>>,
    pub exit: Sink<Exit<LW, L>>,
    pub launched: StrobeOut<NewCta<W, LC, KC, KG>>,
    pub retired: StrobeOut<RetiredCta<LC>>,
    #[group("instruction")]
    pub instr: Sink<Instruction<LW, L>>,
    #[group("memory")]
    pub issue: [StrobeIn<Issue<LW>>; P],
    #[group("memory")]
    pub perform: [StrobeIn<Perform<LW>>; P],
    #[group("memory")]
    pub copy_issue: StrobeIn<CopyIssue<LC>>,
    #[group("memory")]
    pub copy_perform: StrobeIn<CopyPerform<LC>>,
    #[built(config.has_mbarrier())]
    pub tx: Sink<MbarrierTx<LC, XW>>,
    #[group("network")]
    #[built(config.has_network())]
    pub net_out: Source<NetOut<LC, XW, KC>>,
    #[group("network")]
    #[built(config.has_network())]
    pub net_ack: StrobeIn<NetAck<LC>>,
    #[group("network")]
    #[built(config.has_network())]
    pub net_in: Sink<NetIn<LC, XW>>,
    #[group("network")]
    #[built(config.has_network())]
    pub net_reply: StrobeOut<NetReply>,
    /// Most ticks of 64 cycles that a warp is suspended, at least 1.
    #[built(config.has_mbarrier())]
    pub wait_limit: Signal<In, Bits<XL>>,
    #[built(config.has_mbarrier())]
    pub mem_request: Source<MemRequest<LC, XW>>,
    #[group("memory")]
    #[built(config.has_mbarrier())]
    pub mem_response: StrobeIn<MemResponse>,
    #[group("network")]
    #[built(config.has_clusters())]
    pub cluster_in: StrobeIn<HubMessage<KC>>,
    #[group("network")]
    #[built(config.has_clusters())]
    pub cluster_out: Source<ClusterMessage<KC>>,
    #[group("network")]
    #[built(config.has_grids())]
    pub grid_in: StrobeIn<GridHubMessage<KG>>,
    #[group("network")]
    #[built(config.has_grids())]
    pub grid_out: Source<GridMessage<KG>>,
    /// CTA slots that may not issue another copy.
    #[group("CTAs")]
    pub copies_full: Signal<Out, Bits<S>>,
    /// Every warp's present epoch.
    pub epoch: Signal<Out, Bits<W>>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    /// What becomes of a warp whose operation is refused, beside the fault.
    pub fault_policy: Signal<In, FaultPolicy>,
    #[built(config.has_named())]
    pub release: StrobeOut<Release<W, LC>>,
    #[built(config.has_gateway())]
    pub gateway_release: StrobeOut<Notification<W, LC>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    #[built(config.has_named())]
    pub writeback: StrobeOut<Writeback<LW>>,
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
    /// Warps that may only read and write state: they wait, have an operation under way or too many accesses outstanding, are trapped or hang.
    #[group("warps")]
    pub blocked: Signal<Out, Bits<W>>,
    /// Warps that may not even read and write state: an operation of theirs is under way.
    pub busy: Signal<Out, Bits<W>>,
    /// Warps that have live lanes, all of which wait for other lanes.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps of which an operation waits for memory accesses.
    pub draining: Signal<Out, Bits<W>>,
    /// Warps launched and not gone.
    pub live: Signal<Out, Bits<W>>,
    /// Warps that are trapped.
    pub trapped: Signal<Out, Bits<W>>,
    pub fault: Source<Fault<LW, LC>>,
    /// Faults that found the queue full, at most 65535; 0 unless `lose_faults` is configured.
    #[built(config.has_named())]
    pub lost_faults: Signal<Out, Bits<16>>,
    #[init(Intake::new(config))]
    intake: Intake<W, LW, CW, LC, S, VW, L, KC, KG>,
    #[init(Barriers::new(config))]
    barriers: Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G>,
}

#[block]
impl Logic for Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G> {
    fn update(&mut self) {
        Channel::join(&mut self.launch, &mut self.intake.launch);
        Channel::join(&mut self.retire, &mut self.intake.retire);
        Channel::join(&mut self.exit, &mut self.intake.exit);
        self.launched.valid.next = self.intake.launched.valid.val();
        self.launched.payload.next = self.intake.launched.payload.val();
        Strobe::join(&mut self.intake.retired, &mut self.retired);
        Channel::join(&mut self.instr, &mut self.intake.instr);
        self.intake.leader_policy.next = self.leader_policy.val();
        self.intake.barrier_status.next = self.barriers.barrier_status.val();
        Strobe::join(&mut self.intake.lanes, &mut self.lanes);
        self.blocked.next = self.intake.issue_status.val().blocked;
        self.busy.next = self.intake.issue_status.val().busy;
        self.gathering.next = self.intake.issue_status.val().gathering;
        self.live.next = self.intake.issue_status.val().live;

        Channel::join(&mut self.intake.op, &mut self.barriers.in_);
        self.barriers.beside.next = self.intake.beside.val();
        for k in 0..P {
            self.barriers.issue[k].valid.next = self.issue[k].valid.val();
            self.barriers.issue[k].payload.next = self.issue[k].payload.val();
            self.barriers.perform[k].valid.next = self.perform[k].valid.val();
            self.barriers.perform[k].payload.next = self.perform[k].payload.val();
        }
        self.barriers.launched.valid.next = self.intake.launched.valid.val();
        self.barriers.launched.payload.next = self.intake.launched.payload.val();
        Strobe::join(&mut self.intake.departs, &mut self.barriers.departs);
        Strobe::join(&mut self.barriers.flushed, &mut self.intake.flushed);
        Strobe::join(&mut self.copy_issue, &mut self.barriers.copy_issue);
        Strobe::join(&mut self.copy_perform, &mut self.barriers.copy_perform);
        self.intake.copying.next = self.barriers.copying.val();
        self.copies_full.next = self.barriers.copies_full.val();
        Channel::join(&mut self.tx, &mut self.barriers.tx);
        Channel::join(&mut self.barriers.net_out, &mut self.net_out);
        Strobe::join(&mut self.net_ack, &mut self.barriers.net_ack);
        Channel::join(&mut self.net_in, &mut self.barriers.net_in);
        Strobe::join(&mut self.barriers.net_reply, &mut self.net_reply);
        self.barriers.wait_limit.next = self.wait_limit.val();
        Channel::join(&mut self.barriers.mem_request, &mut self.mem_request);
        Strobe::join(&mut self.mem_response, &mut self.barriers.mem_response);
        self.barriers.fault_policy.next = self.fault_policy.val();
        self.barriers.issue_status.next = self.intake.issue_status.val();
        for i in 0..LC {
            self.barriers.warp_cta[i].next = self.intake.warp_cta[i].val();
        }
        Strobe::join(&mut self.intake.seen, &mut self.barriers.seen);
        Strobe::join(&mut self.intake.entered, &mut self.barriers.entered);
        Strobe::join(&mut self.barriers.release, &mut self.release);
        Strobe::join(&mut self.barriers.gateway_release, &mut self.gateway_release);
        self.intake.open.next = self.barriers.open.val();
        Strobe::join(&mut self.barriers.writeback, &mut self.writeback);
        Strobe::join(&mut self.barriers.token, &mut self.token);
        Strobe::join(&mut self.barriers.wake, &mut self.wake);
        Channel::join(&mut self.barriers.cluster_out, &mut self.cluster_out);
        Strobe::join(&mut self.cluster_in, &mut self.barriers.cluster_in);
        Strobe::join(&mut self.barriers.cluster_release, &mut self.cluster_release);
        Strobe::join(&mut self.barriers.cluster_closed, &mut self.cluster_closed);
        Channel::join(&mut self.barriers.grid_out, &mut self.grid_out);
        Strobe::join(&mut self.grid_in, &mut self.barriers.grid_in);
        Strobe::join(&mut self.barriers.grid_release, &mut self.grid_release);
        Strobe::join(&mut self.barriers.grid_opened, &mut self.grid_opened);
        Channel::join(&mut self.barriers.fault, &mut self.fault);
        self.lost_faults.next = self.barriers.lost_faults.val();
        self.epoch.next = self.barriers.epoch.val();
        self.draining.next = self.barriers.barrier_status.val().parked;
        self.trapped.next = self.barriers.trapped.val();
    }
}
