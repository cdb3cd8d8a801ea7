// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What comes in: launches, retirements, exits and instructions become one stream of operations of whole warps. Wiring, and who goes first
//! where two ways meet.
//!
//! *Reads:* the channels `launch`, `retire`, `exit`, `instr`; from the barriers who waits, is held or has something parked there. *Writes:* the operation
//! channel; the lanes strobe; who may not issue, who is live. *Latency:* 3 from instruction to operation, 4 from exit or launch, no state of its own.
//! Implements the way from an instruction into `order` of `docs/interface.md`, section `bcu`.
//!
//! `residency` goes before `decode`, so that a stream of instructions cannot keep a CTA from coming or going. Only an exit lets
//! what its warp issued before pass first.

use crate::unit::decode::Decode;
use crate::unit::gather::Gather;
use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
use crate::unit::residency::Residency;
use crate::unit::votes::Votes;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Sizes as in [`Residency`], [`Gather`] and [`Votes`].
#[block]
pub struct Intake<W, LW, CW, LC, S, VW, L> {
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
    pub leader_policy: Signal<In, Bit>,

    // From the barriers.
    /// Warps that a barrier keeps.
    pub waiting: Signal<In, Bits<W>>,
    pub held: Signal<In, Bits<W>>,
    pub full: Signal<In, Bits<W>>,
    pub parked: Signal<In, Bits<W>>,
    pub clearing: Signal<In, Bit>,
    /// A release without fault has come through.
    pub through: Signal<In, Bit>,
    pub settled: Signal<In, Bits<W>>,
    pub left: Signal<In, Bits<W>>,

    // To the barriers.
    pub op_valid: Signal<Out, Bit>,
    pub op_ready: Signal<In, Bit>,
    pub op_kind: Signal<Out, OpKind>,
    pub op_fault: Signal<Out, FaultCode>,
    pub op_uniform: Signal<Out, Bit>,
    pub op_warp: Signal<Out, Bits<LW>>,
    pub op_cta: Signal<Out, Bits<LC>>,
    pub op_id: Signal<Out, Bits<4>>,
    pub op_count: Signal<Out, Bits<12>>,
    pub op_redop: Signal<Out, RedOp>,
    pub op_value: Signal<Out, Bits<VW>>,
    pub op_state: Signal<Out, StateWord>,
    pub op_data: Signal<Out, Bits<32>>,
    pub op_warps: Signal<Out, Bits<CW>>,
    pub op_live: Signal<Out, Bits<CW>>,
    pub op_barriers: Signal<Out, Bits<5>>,
    pub op_mask: Signal<Out, Bits<W>>,
    pub op_saved: Signal<Out, Bit>,
    pub op_counted: Signal<Out, Bit>,
    pub op_rd: Signal<Out, Bits<8>>,
    pub op_pu: Signal<Out, Bits<3>>,

    // To everyone.
    pub lanes_valid: Signal<Out, Bit>,
    pub lanes_warp: Signal<Out, Bits<LW>>,
    pub lanes_mask: Signal<Out, Bits<L>>,
    pub lanes_leaders: Signal<Out, Bits<L>>,
    pub lanes_retry: Signal<Out, Bit>,
    pub gathering: Signal<Out, Bits<W>>,
    pub blocked: Signal<Out, Bits<W>>,
    pub in_flight: Signal<Out, Bits<W>>,
    pub live: Signal<Out, Bits<W>>,
    pub warp_cta: [Signal<Out, Bits<W>>; LC],
    residency: Residency<W, LW, CW, LC, S, L>,
    decode: Decode<W, LW, LC, L>,
    gather: Gather<W, LW, CW, LC, L>,
    votes: Votes<L, VW>,
    /// A release without fault is on its way.
    releasing: DFF<Bit>,
    stopped: Signal<Local, Bits<W>>,
    on_way: Signal<Local, Bits<W>>,
    /// What `residency` offers may go into `gather`.
    first: Signal<Local, Bit>,
}

#[block]
impl Intake<W, LW, CW, LC, S, VW, L> {
    /// `cta_slots` that are built, at most `S`; `pack_lsb` as in [`Decode::new`].
    pub fn new(cta_slots: usize, pack_lsb: usize) -> Self {
        Intake { decode: Decode::new(pack_lsb), residency: Residency::new(cta_slots), ..Default::default() }
    }
}

#[block]
impl Logic for Intake<W, LW, CW, LC, S, VW, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.stopped.next = self.waiting.val() | self.decode.front.val() | self.held.val() | self.residency.exits.val();
        self.on_way.next = self.decode.front.val() | self.gather.leaving.val() | self.parked.val();

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
        self.residency.blocked.next = self.waiting.val() | self.decode.holding.val() | self.held.val();
        self.residency.clearing.next = self.clearing.val() | self.releasing.q.val();
        self.residency.gone_valid.next = self.gather.gone_valid.val();
        self.residency.gone_warp.next = self.gather.gone_warp.val();
        self.residency.in_flight.next = self.on_way.val();
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
        self.decode.full.next = self.decode.front.val() | self.full.val() | self.residency.exits.val();
        self.decode.settled.next = self.gather.swallowed.val() | self.settled.val();
        for i in 0..LC {
            self.decode.warp_cta[i].next = self.residency.warp_cta[i].val();
        }
        self.instr_ready.next = self.decode.instr_ready.val();

        // Into gather; an exit must not overtake what its warp issued before.
        self.first.next = self.residency.op_valid.val()
            & !((self.residency.op_kind.val() == OpKind::Exit)
                & self.decode.front.val().get_bit(self.residency.op_warp.val().index()));
        self.gather.in_valid.next = self.first.val() | self.decode.op_valid.val();
        // Fields that a kind does not use are whatever stands there.
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
        self.gather.in_warps.next = self.residency.op_warps.val();
        self.gather.in_live.next = self.residency.op_live.val();
        self.gather.in_barriers.next = self.residency.op_barriers.val();
        self.gather.in_mask.next = self.residency.op_mask.val();
        self.gather.in_saved.next = self.residency.op_saved.val();
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
        if self.through.val() {
            self.releasing.d.next = false;
        }
        if self.first.val()
            & self.gather.in_ready.val()
            & (self.residency.op_kind.val() == OpKind::Release)
            & (self.residency.op_fault.val() == FaultCode::None)
        {
            self.releasing.d.next = true;
        }
        if self.reset.val() {
            self.releasing.d.next = false;
        }
        self.gather.leader_policy.next = self.leader_policy.val();
        self.gather.left.next = self.left.val();

        // Out of gather, with what the warp adds to a reduction.
        self.votes.redop.next = self.gather.op_redop.val();
        self.votes.lanes.next = self.gather.op_lanes.val();
        self.votes.yes.next = self.gather.op_votes.val();
        self.gather.op_ready.next = self.op_ready.val();
        self.op_valid.next = self.gather.op_valid.val();
        self.op_kind.next = self.gather.op_kind.val();
        self.op_fault.next = self.gather.op_fault.val();
        self.op_uniform.next = self.gather.op_uniform.val();
        self.op_warp.next = self.gather.op_warp.val();
        self.op_cta.next = self.gather.op_cta.val();
        self.op_id.next = self.gather.op_id.val();
        self.op_count.next = self.gather.op_count.val();
        self.op_redop.next = self.gather.op_redop.val();
        self.op_value.next = self.votes.value.val();
        self.op_state.next = self.gather.op_state.val();
        self.op_data.next = self.gather.op_data.val();
        self.op_warps.next = self.gather.op_warps.val();
        self.op_live.next = self.gather.op_live.val();
        self.op_barriers.next = self.gather.op_barriers.val();
        self.op_mask.next = self.gather.op_mask.val();
        self.op_saved.next = self.gather.op_saved.val();
        self.op_counted.next = self.gather.op_counted.val();
        self.op_rd.next = self.gather.op_rd.val();
        self.op_pu.next = self.gather.op_pu.val();
        self.lanes_valid.next = self.gather.lanes_valid.val();
        self.lanes_warp.next = self.gather.lanes_warp.val();
        self.lanes_mask.next = self.gather.lanes_mask.val();
        self.lanes_leaders.next = self.gather.lanes_leaders.val();
        self.lanes_retry.next = self.gather.lanes_retry.val();
        self.gathering.next = self.gather.gathering.val();
        self.blocked.next = self.stopped.val();
        self.in_flight.next = self.on_way.val();
        self.live.next = self.residency.live.val();
        for j in 0..LC {
            self.warp_cta[j].next = self.residency.warp_cta[j].val();
        }
    }
}
