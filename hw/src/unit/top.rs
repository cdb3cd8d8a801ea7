// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit: instructions, launches and exits in, releases and faults out. Wiring, and who goes first where two ways meet.
//!
//! *Reads:* the channels `launch`, `retire`, `exit`, `instr`; the memory system's strobes; the policies. *Writes:* the release, lanes and
//! writeback strobes, who may not issue, who is live, the fault channel. *Latency:* 6 from instruction to release or writeback, 7 from exit to
//! release. Implements the shape of the unit in `ARCHITECTURE.md`.
//!
//! `residency` goes before `decode`, so that a stream of instructions cannot keep a CTA from coming or going. Only an exit lets
//! what its warp issued before pass first.

pub mod ports;

use crate::unit::decode::Decode;
use crate::unit::gather::Gather;
use crate::unit::named::Named;
use crate::unit::op::{FaultCode, FaultPolicy, Form, OpKind, RedOp, Reduction, StateWord};
use crate::unit::order::Order;
use crate::unit::residency::Residency;
use crate::unit::votes::Votes;
use crate::unit::watch::Watch;
use crate::unit::writeback::Writeback;
use rust_hdl::prelude::*;

/// Sizes as in [`Named`], [`Residency`], [`Decode`] and [`Order`].
#[derive(LogicBlock)]
pub struct Bcu<
    const W: usize,
    const LW: usize,
    const CW: usize,
    const LC: usize,
    const S: usize,
    const LI: usize,
    const RA: usize,
    const IW: usize,
    const AW: usize,
    const VW: usize,
    const L: usize,
    const OB: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch_valid: Signal<In, Bit>,
    pub launch_ready: Signal<Out, Bit>,
    pub launch_cta: Signal<In, Bits<LC>>,
    pub launch_warps: Signal<In, Bits<W>>,
    pub launch_exited: Signal<In, Bits<W>>,
    pub launch_lanes: Signal<In, Bits<L>>,
    pub launch_barriers: Signal<In, Bits<5>>,
    pub retire_valid: Signal<In, Bit>,
    pub retire_ready: Signal<Out, Bit>,
    pub retire_cta: Signal<In, Bits<LC>>,
    pub retire_saved: Signal<In, Bit>,
    pub exit_valid: Signal<In, Bit>,
    pub exit_ready: Signal<Out, Bit>,
    pub exit_warp: Signal<In, Bits<LW>>,
    pub exit_lanes: Signal<In, Bits<L>>,
    pub instr_valid: Signal<In, Bit>,
    pub instr_ready: Signal<Out, Bit>,
    pub instr_word: [Signal<In, Bits<32>>; 4],
    pub instr_warp: Signal<In, Bits<LW>>,
    pub instr_form: Signal<In, Form>,
    pub instr_members: Signal<In, Bits<L>>,
    pub instr_active: Signal<In, Bits<L>>,
    pub instr_guard: Signal<In, Bits<L>>,
    pub instr_predicate: Signal<In, Bits<L>>,
    pub instr_ra: Signal<In, Bits<32>>,
    pub instr_rb: Signal<In, Bits<32>>,
    pub instr_uniform: Signal<In, Bit>,
    pub issue_valid: Signal<In, Bit>,
    pub issue_warp: Signal<In, Bits<LW>>,
    pub perform_valid: Signal<In, Bit>,
    pub perform_warp: Signal<In, Bits<LW>>,
    pub perform_epoch: Signal<In, Bit>,
    pub epoch: Signal<Out, Bits<W>>,
    pub leader_policy: Signal<In, Bit>,
    pub fault_policy: Signal<In, FaultPolicy>,
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub release_reduction: Signal<Out, Reduction>,
    pub release_value: Signal<Out, Bits<12>>,
    pub lanes_valid: Signal<Out, Bit>,
    pub lanes_warp: Signal<Out, Bits<LW>>,
    pub lanes_mask: Signal<Out, Bits<L>>,
    pub lanes_leaders: Signal<Out, Bits<L>>,
    pub lanes_retry: Signal<Out, Bit>,
    pub writeback_valid: Signal<Out, Bit>,
    pub writeback_warp: Signal<Out, Bits<LW>>,
    pub writeback_value: Signal<Out, Bits<32>>,
    pub writeback_predicate: Signal<Out, Bit>,
    pub writeback_rd: Signal<Out, Bits<8>>,
    pub writeback_pu: Signal<Out, Bits<3>>,
    pub blocked: Signal<Out, Bits<W>>,
    pub gathering: Signal<Out, Bits<W>>,
    pub draining: Signal<Out, Bits<W>>,
    pub live: Signal<Out, Bits<W>>,
    pub trapped: Signal<Out, Bits<W>>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_code: Signal<Out, FaultCode>,
    pub fault_warp: Signal<Out, Bits<LW>>,
    pub fault_cta: Signal<Out, Bits<LC>>,
    pub fault_id: Signal<Out, Bits<4>>,
    residency: Residency<W, LW, CW, LC, S, L>,
    decode: Decode<W, LW, LC, L>,
    gather: Gather<W, LW, CW, LC, L>,
    votes: Votes<L, VW>,
    order: Order<W, LW, CW, LC, VW, OB>,
    named: Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>,
    watch: Watch<W, LC, S>,
    writeback: Writeback,
    stopped: Signal<Local, Bits<W>>,
    in_flight: Signal<Local, Bits<W>>,
    /// What `residency` offers may go into `gather`.
    first: Signal<Local, Bit>,
}

impl<
        const W: usize,
        const LW: usize,
        const CW: usize,
        const LC: usize,
        const S: usize,
        const LI: usize,
        const RA: usize,
        const IW: usize,
        const AW: usize,
        const VW: usize,
        const L: usize,
        const OB: usize,
    > Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB>
{
    /// `cta_slots` that are built, at most `S`; `pack_lsb` as in [`Decode::new`], `max_outstanding` as in [`Order::new`].
    pub fn new(cta_slots: usize, pack_lsb: usize, max_outstanding: usize) -> Self {
        crate::fresh!(Bcu {
            clock, reset, launch_valid, launch_ready, launch_cta, launch_warps, launch_exited, launch_lanes, launch_barriers,
            retire_valid, retire_ready, retire_cta, retire_saved, exit_valid, exit_ready, exit_warp, exit_lanes, instr_valid,
            instr_ready, instr_word, instr_warp, instr_form, instr_members, instr_active, instr_guard, instr_predicate,
            instr_ra, instr_rb, instr_uniform, issue_valid, issue_warp, perform_valid, perform_warp, perform_epoch, epoch,
            leader_policy, fault_policy, release_valid, release_cta, release_id, release_warps, release_reduction,
            release_value, lanes_valid, lanes_warp, lanes_mask, lanes_leaders, lanes_retry, writeback_valid, writeback_warp,
            writeback_value, writeback_predicate, writeback_rd, writeback_pu, blocked, gathering, draining, live, trapped,
            fault_valid, fault_ready, fault_code, fault_warp, fault_cta, fault_id, gather, votes, watch, writeback, stopped,
            in_flight, first;
            decode: Decode::new(pack_lsb),
            residency: Residency::new(cta_slots),
            order: Order::new(max_outstanding),
            named: Named::new(L)
        })
    }
}

impl<
        const W: usize,
        const LW: usize,
        const CW: usize,
        const LC: usize,
        const S: usize,
        const LI: usize,
        const RA: usize,
        const IW: usize,
        const AW: usize,
        const VW: usize,
        const L: usize,
        const OB: usize,
    > Logic for Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.residency.clock.next = self.clock.val();
        self.residency.reset.next = self.reset.val();
        self.decode.clock.next = self.clock.val();
        self.decode.reset.next = self.reset.val();
        self.gather.clock.next = self.clock.val();
        self.gather.reset.next = self.reset.val();
        self.order.clock.next = self.clock.val();
        self.order.reset.next = self.reset.val();
        self.named.clock.next = self.clock.val();
        self.named.reset.next = self.reset.val();
        self.watch.clock.next = self.clock.val();
        self.watch.reset.next = self.reset.val();
        self.writeback.clock.next = self.clock.val();
        self.writeback.reset.next = self.reset.val();
        self.stopped.next = self.named.blocked.val() | self.decode.front.val() | self.order.held.val();
        self.in_flight.next = self.decode.front.val() | self.gather.leaving.val() | self.order.parked.val();

        // Who is there.
        self.residency.launch_valid.next = self.launch_valid.val();
        self.residency.launch_cta.next = self.launch_cta.val();
        self.residency.launch_warps.next = self.launch_warps.val();
        self.residency.launch_exited.next = self.launch_exited.val();
        self.residency.launch_lanes.next = self.launch_lanes.val();
        self.residency.launch_barriers.next = self.launch_barriers.val();
        self.residency.retire_valid.next = self.retire_valid.val();
        self.residency.retire_cta.next = self.retire_cta.val();
        self.residency.retire_saved.next = self.retire_saved.val();
        self.residency.exit_valid.next = self.exit_valid.val();
        self.residency.exit_warp.next = self.exit_warp.val();
        self.residency.exit_lanes.next = self.exit_lanes.val();
        self.residency.blocked.next = self.named.blocked.val() | self.decode.holding.val() | self.order.held.val();
        self.residency.clearing.next = self.named.clearing.val();
        self.residency.gone_valid.next = self.gather.gone_valid.val();
        self.residency.gone_warp.next = self.gather.gone_warp.val();
        self.residency.in_flight.next = self.in_flight.val();
        self.launch_ready.next = self.residency.launch_ready.val();
        self.retire_ready.next = self.residency.retire_ready.val();
        self.exit_ready.next = self.residency.exit_ready.val();

        // Instructions.
        self.decode.instr_valid.next = self.instr_valid.val();
        for i in 0..4 {
            self.decode.instr_word[i].next = self.instr_word[i].val();
        }
        self.decode.instr_warp.next = self.instr_warp.val();
        self.decode.instr_form.next = self.instr_form.val();
        self.decode.instr_members.next = self.instr_members.val();
        self.decode.instr_active.next = self.instr_active.val();
        self.decode.instr_guard.next = self.instr_guard.val();
        self.decode.instr_predicate.next = self.instr_predicate.val();
        self.decode.instr_ra.next = self.instr_ra.val();
        self.decode.instr_rb.next = self.instr_rb.val();
        self.decode.instr_uniform.next = self.instr_uniform.val();
        self.decode.live.next = self.residency.live.val();
        self.decode.blocked.next = self.stopped.val();
        self.decode.full.next = self.decode.front.val() | self.order.full.val();
        self.decode.settled.next = self.gather.swallowed.val() | self.order.settled.val();
        for i in 0..LC {
            self.decode.warp_cta[i].next = self.residency.warp_cta[i].val();
        }
        self.instr_ready.next = self.decode.instr_ready.val();

        // Into gather; an exit must not overtake what its warp issued before.
        self.first.next = self.residency.op_valid.val()
            & !((self.residency.op_kind.val() == OpKind::Exit)
                & self.decode.front.val().get_bit(self.residency.op_warp.val().index()));
        self.gather.in_valid.next = self.first.val() | self.decode.op_valid.val();
        self.gather.in_kind.next = self.decode.op_kind.val();
        self.gather.in_fault.next = self.decode.op_fault.val();
        self.gather.in_uniform.next = self.decode.op_uniform.val();
        self.gather.in_warp.next = self.decode.op_warp.val();
        self.gather.in_cta.next = self.decode.op_cta.val();
        self.gather.in_id.next = self.decode.op_id.val();
        self.gather.in_count.next = self.decode.op_count.val();
        self.gather.in_redop.next = self.decode.op_redop.val();
        self.gather.in_state.next = self.decode.op_state.val();
        self.gather.in_data.next = self.decode.op_data.val();
        self.gather.in_warps.next = 0.into();
        self.gather.in_live.next = 0.into();
        self.gather.in_barriers.next = 0.into();
        self.gather.in_mask.next = 0.into();
        self.gather.in_saved.next = false;
        self.gather.in_form.next = self.decode.op_form.val();
        self.gather.in_lanes.next = self.decode.op_lanes.val();
        self.gather.in_votes.next = self.decode.op_votes.val();
        self.gather.in_members.next = self.decode.op_members.val();
        self.gather.in_counted.next = true;
        self.gather.in_rd.next = self.decode.op_rd.val();
        self.gather.in_pu.next = self.decode.op_pu.val();
        if self.first.val() {
            self.gather.in_kind.next = self.residency.op_kind.val();
            self.gather.in_fault.next = self.residency.op_fault.val();
            self.gather.in_uniform.next = true;
            self.gather.in_warp.next = self.residency.op_warp.val();
            self.gather.in_cta.next = self.residency.op_cta.val();
            self.gather.in_id.next = 0.into();
            self.gather.in_count.next = 0.into();
            self.gather.in_redop.next = RedOp::And;
            self.gather.in_state.next = StateWord::Warp;
            self.gather.in_data.next = 0.into();
            self.gather.in_warps.next = self.residency.op_warps.val();
            self.gather.in_live.next = self.residency.op_live.val();
            self.gather.in_barriers.next = self.residency.op_barriers.val();
            self.gather.in_mask.next = self.residency.op_mask.val();
            self.gather.in_saved.next = self.residency.op_saved.val();
            self.gather.in_form.next = Form::Raw;
            self.gather.in_lanes.next = self.residency.op_lanes.val();
            self.gather.in_votes.next = 0.into();
            self.gather.in_members.next = 0.into();
            self.gather.in_counted.next = false;
            self.gather.in_rd.next = 255.into();
            self.gather.in_pu.next = 7.into();
        }
        self.residency.op_ready.next = self.gather.in_ready.val() & self.first.val();
        self.decode.op_ready.next = self.gather.in_ready.val() & !self.first.val();
        self.gather.leader_policy.next = self.leader_policy.val();
        self.gather.left.next = self.order.left.val();

        // Into order.
        self.votes.kind.next = self.gather.op_kind.val();
        self.votes.redop.next = self.gather.op_redop.val();
        self.votes.lanes.next = self.gather.op_lanes.val();
        self.votes.yes.next = self.gather.op_votes.val();
        self.order.in_valid.next = self.gather.op_valid.val();
        self.gather.op_ready.next = self.order.in_ready.val();
        self.order.in_kind.next = self.gather.op_kind.val();
        self.order.in_fault.next = self.gather.op_fault.val();
        self.order.in_uniform.next = self.gather.op_uniform.val();
        self.order.in_warp.next = self.gather.op_warp.val();
        self.order.in_cta.next = self.gather.op_cta.val();
        self.order.in_id.next = self.gather.op_id.val();
        self.order.in_count.next = self.gather.op_count.val();
        self.order.in_redop.next = self.gather.op_redop.val();
        self.order.in_state.next = self.gather.op_state.val();
        self.order.in_data.next = self.gather.op_data.val();
        self.order.in_warps.next = self.gather.op_warps.val();
        self.order.in_live.next = self.gather.op_live.val();
        self.order.in_barriers.next = self.gather.op_barriers.val();
        self.order.in_mask.next = self.gather.op_mask.val();
        self.order.in_saved.next = self.gather.op_saved.val();
        self.order.in_counted.next = self.gather.op_counted.val();
        self.order.in_rd.next = self.gather.op_rd.val();
        self.order.in_pu.next = self.gather.op_pu.val();
        self.order.in_value.next = self.votes.value.val();
        self.order.issue_valid.next = self.issue_valid.val();
        self.order.issue_warp.next = self.issue_warp.val();
        self.order.perform_valid.next = self.perform_valid.val();
        self.order.perform_warp.next = self.perform_warp.val();
        self.order.perform_epoch.next = self.perform_epoch.val();

        // Into named: what order offers, else a deadlock that watch has found.
        self.named.op_valid.next = self.order.op_valid.val() | self.watch.op_valid.val();
        self.named.op_kind.next = self.order.op_kind.val();
        self.named.op_fault.next = self.order.op_fault.val();
        self.named.op_uniform.next = self.order.op_uniform.val();
        self.named.op_warp.next = self.order.op_warp.val();
        self.named.op_cta.next = self.order.op_cta.val();
        self.named.op_id.next = self.order.op_id.val();
        self.named.op_count.next = self.order.op_count.val();
        self.named.op_redop.next = self.order.op_redop.val();
        self.named.op_value.next = self.order.op_value.val();
        self.named.op_state.next = self.order.op_state.val();
        self.named.op_data.next = self.order.op_data.val();
        self.named.op_warps.next = self.order.op_warps.val();
        self.named.op_live.next = self.order.op_live.val();
        self.named.op_barriers.next = self.order.op_barriers.val();
        self.named.op_mask.next = self.order.op_mask.val();
        self.named.op_saved.next = self.order.op_saved.val();
        if !self.order.op_valid.val() {
            self.named.op_kind.next = OpKind::Launch;
            self.named.op_fault.next = FaultCode::Deadlock;
            self.named.op_uniform.next = true;
            self.named.op_warp.next = 0.into();
            self.named.op_cta.next = self.watch.op_cta.val();
            self.named.op_id.next = 0.into();
            self.named.op_count.next = 0.into();
            self.named.op_redop.next = RedOp::And;
            self.named.op_value.next = 0.into();
            self.named.op_state.next = StateWord::Warp;
            self.named.op_data.next = 0.into();
            self.named.op_warps.next = 0.into();
            self.named.op_live.next = 0.into();
            self.named.op_barriers.next = 0.into();
            self.named.op_mask.next = 0.into();
            self.named.op_saved.next = false;
        }
        self.order.op_ready.next = self.named.op_ready.val();
        self.watch.op_ready.next = self.named.op_ready.val() & !self.order.op_valid.val();
        self.named.fault_policy.next = self.fault_policy.val();
        self.named.fault_ready.next = self.fault_ready.val();

        // Deadlocks.
        self.watch.live.next = self.residency.live.val();
        for j in 0..LC {
            self.watch.warp_cta[j].next = self.residency.warp_cta[j].val();
        }
        self.watch.stalled.next = self.named.blocked.val() | self.gather.gathering.val();
        self.watch.moving.next = self.in_flight.val();
        self.watch.taken_valid.next = self.order.op_valid.val() & self.named.op_ready.val();
        self.watch.taken_kind.next = self.order.op_kind.val();
        self.watch.taken_fault.next = self.order.op_fault.val();
        self.watch.taken_cta.next = self.order.op_cta.val();
        self.watch.tangle_valid.next = self.named.tangle_valid.val();
        self.watch.tangle_cta.next = self.named.tangle_cta.val();

        // Where results go.
        self.writeback.op_rd.next = self.order.op_rd.val();
        self.writeback.op_pu.next = self.order.op_pu.val();
        self.writeback.valid.next = self.named.read_valid.val();
        self.writeback_valid.next = self.named.read_valid.val();
        self.writeback_warp.next = self.named.read_warp.val();
        self.writeback_value.next = self.named.read_value.val();
        self.writeback_predicate.next = self.named.read_predicate.val();
        self.writeback_rd.next = self.writeback.rd.val();
        self.writeback_pu.next = self.writeback.pu.val();

        self.release_valid.next = self.named.release_valid.val();
        self.release_cta.next = self.named.release_cta.val();
        self.release_id.next = self.named.release_id.val();
        self.release_warps.next = self.named.release_warps.val();
        self.release_reduction.next = self.named.release_reduction.val();
        self.release_value.next = self.named.release_value.val();
        self.trapped.next = self.named.trapped.val();
        self.fault_valid.next = self.named.fault_valid.val();
        self.fault_code.next = self.named.fault_code.val();
        self.fault_warp.next = self.named.fault_warp.val();
        self.fault_cta.next = self.named.fault_cta.val();
        self.fault_id.next = self.named.fault_id.val();
        self.lanes_valid.next = self.gather.lanes_valid.val();
        self.lanes_warp.next = self.gather.lanes_warp.val();
        self.lanes_mask.next = self.gather.lanes_mask.val();
        self.lanes_leaders.next = self.gather.lanes_leaders.val();
        self.lanes_retry.next = self.gather.lanes_retry.val();
        self.gathering.next = self.gather.gathering.val();
        self.epoch.next = self.order.epoch.val();
        self.draining.next = self.order.parked.val();
        self.blocked.next = self.stopped.val();
        self.live.next = self.residency.live.val();
    }
}
