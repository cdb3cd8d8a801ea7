// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit: instructions, launches and exits in, releases and faults out. The block is wiring only.
//!
//! *Reads:* launches, retirements, exits, instructions, memory strobes, policies. *Writes:* releases, results, faults, the warps that
//! must not issue. *Latency:* 10 from instruction to release or writeback, 11 from exit to release. Implements the structure of the unit
//! in `ARCHITECTURE.md`.

use super::cluster::ports::{ClusterMessage, HubMessage, NamedCluster};
use super::gateway::ports::Notification;
use super::grid::ports::{GridHubMessage, GridMessage, NamedGrid};
use super::mbarrier::ports::{
    MbarrierToken, MbarrierTx, MbarrierWake, MemRequest, MemResponse, NetAck, NetIn, NetOut, NetReply, TxDone,
};
use super::{backend::Backend, frontend::Frontend};
use crate::prelude::*;

/// Sizes as in [`Frontend`] and [`Backend`].
#[block(unit = "bcu")]
pub struct Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G> {
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
    #[group("tx")]
    #[built(config.has_mbarrier())]
    pub tx_done: StrobeOut<TxDone<LC>>,
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
    /// Longest time that a warp is suspended on an mbarrier, in ticks of 64 cycles, at least 1.
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
    /// CTA slots that must not issue another copy.
    #[group("CTAs")]
    pub copies_full: Signal<Out, Bits<S>>,
    /// The present epoch of each warp: the epoch of the accesses that it issues.
    pub epoch: Signal<Out, Bits<W>>,
    /// Lane that leads an Elect: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    /// Policy for a warp whose operation is refused: report the fault only, or also trap or hang the warp.
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
    /// Warps that must not issue. B2R, B2R_RESULT and R2B may be issued while the warp's bit in `busy` is 0.
    #[group("warps")]
    pub blocked: Signal<Out, Bits<W>>,
    /// Warps that must not issue even a B2R, B2R_RESULT or R2B: an operation of the warp is in flight.
    pub busy: Signal<Out, Bits<W>>,
    /// Warps with at least one live lane, whose live lanes all wait for other lanes of the warp.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps with an operation or a fence that waits for memory accesses.
    pub waits_for_memory: Signal<Out, Bits<W>>,
    /// Launched warps that have neither exited nor been retired.
    pub live: Signal<Out, Bits<W>>,
    /// Warps that are trapped.
    pub trapped: Signal<Out, Bits<W>>,
    pub fault: Source<Fault<LW, LC>>,
    /// Number of faults lost since reset because the fault queue was full; it stops at 65535. Always 0 without `lose_faults` in
    /// the configuration.
    #[built(config.has_named())]
    pub lost_faults: Signal<Out, Bits<16>>,
    #[init(Frontend::new(config))]
    frontend: Frontend<W, LW, CW, LC, S, VW, L, LP, LD, KC, KG>,
    #[init(Backend::new(config))]
    backend: Backend<W, LW, CW, LC, S, LI, RA, IW, AW, VW, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G>,
}

#[block]
impl Logic for Bcu {
    fn update(&mut self) {
        Channel::join(&mut self.launch, &mut self.frontend.launch);
        Channel::join(&mut self.retire, &mut self.frontend.retire);
        Channel::join(&mut self.exit, &mut self.frontend.exit);
        self.launched.valid.next = self.frontend.launched.valid.val();
        self.launched.payload.next = self.frontend.launched.payload.val();
        Strobe::join(&mut self.frontend.retired, &mut self.retired);
        Channel::join(&mut self.instr, &mut self.frontend.instr);
        self.frontend.leader_policy.next = self.leader_policy.val();
        self.frontend.barrier_status.next = self.backend.barrier_status.val();
        Strobe::join(&mut self.frontend.lanes, &mut self.lanes);
        self.blocked.next = self.frontend.issue_status.val().blocked;
        self.busy.next = self.frontend.issue_status.val().busy;
        self.gathering.next = self.frontend.issue_status.val().gathering;
        self.live.next = self.frontend.issue_status.val().live;

        Channel::join(&mut self.frontend.op, &mut self.backend.in_);
        self.backend.sideband.next = self.frontend.sideband.val();
        for k in 0..P {
            self.backend.issue[k].valid.next = self.issue[k].valid.val();
            self.backend.issue[k].payload.next = self.issue[k].payload.val();
            self.backend.perform[k].valid.next = self.perform[k].valid.val();
            self.backend.perform[k].payload.next = self.perform[k].payload.val();
        }
        self.backend.launched.valid.next = self.frontend.launched.valid.val();
        self.backend.launched.payload.next = self.frontend.launched.payload.val();
        Strobe::join(&mut self.frontend.departure, &mut self.backend.departure);
        Strobe::join(&mut self.backend.flushed, &mut self.frontend.flushed);
        Strobe::join(&mut self.copy_issue, &mut self.backend.copy_issue);
        Strobe::join(&mut self.copy_perform, &mut self.backend.copy_perform);
        self.frontend.copying.next = self.backend.copying.val();
        self.copies_full.next = self.backend.copies_full.val();
        Channel::join(&mut self.tx, &mut self.backend.tx);
        Strobe::join(&mut self.backend.tx_done, &mut self.tx_done);
        Channel::join(&mut self.backend.net_out, &mut self.net_out);
        Strobe::join(&mut self.net_ack, &mut self.backend.net_ack);
        Channel::join(&mut self.net_in, &mut self.backend.net_in);
        Strobe::join(&mut self.backend.net_reply, &mut self.net_reply);
        self.backend.wait_limit.next = self.wait_limit.val();
        Channel::join(&mut self.backend.mem_request, &mut self.mem_request);
        Strobe::join(&mut self.mem_response, &mut self.backend.mem_response);
        self.backend.fault_policy.next = self.fault_policy.val();
        self.backend.issue_status.next = self.frontend.issue_status.val();
        for i in 0..LC {
            self.backend.warp_cta[i].next = self.frontend.warp_cta[i].val();
        }
        Strobe::join(&mut self.frontend.walk_step, &mut self.backend.walk_step);
        Strobe::join(&mut self.frontend.gather_entered, &mut self.backend.gather_entered);
        Strobe::join(&mut self.backend.release, &mut self.release);
        Strobe::join(&mut self.backend.gateway_release, &mut self.gateway_release);
        self.frontend.open.next = self.backend.open.val();
        Strobe::join(&mut self.backend.writeback, &mut self.writeback);
        Strobe::join(&mut self.backend.token, &mut self.token);
        Strobe::join(&mut self.backend.wake, &mut self.wake);
        Channel::join(&mut self.backend.cluster_out, &mut self.cluster_out);
        Strobe::join(&mut self.cluster_in, &mut self.backend.cluster_in);
        Strobe::join(&mut self.backend.cluster_release, &mut self.cluster_release);
        Strobe::join(&mut self.backend.cluster_closed, &mut self.cluster_closed);
        Channel::join(&mut self.backend.grid_out, &mut self.grid_out);
        Strobe::join(&mut self.grid_in, &mut self.backend.grid_in);
        Strobe::join(&mut self.backend.grid_release, &mut self.grid_release);
        Strobe::join(&mut self.backend.grid_opened, &mut self.grid_opened);
        Channel::join(&mut self.backend.fault, &mut self.fault);
        self.lost_faults.next = self.backend.lost_faults.val();
        self.epoch.next = self.backend.epoch.val();
        self.waits_for_memory.next = self.backend.barrier_status.val().parked;
        self.trapped.next = self.backend.trapped.val();
    }
}
