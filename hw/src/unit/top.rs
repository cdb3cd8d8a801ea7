// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit: instructions, launches and exits in, releases and faults out. Wiring.
//!
//! *Reads:* the channels `launch`, `retire`, `exit`, `instr`; the memory system's strobes; the policies. *Writes:* the release, lanes and
//! writeback strobes, who may not issue, who is live, the fault channel. *Latency:* 6 from instruction to release or writeback, 7 from exit to
//! release. Implements the shape of the unit in `ARCHITECTURE.md`.


use crate::unit::barriers::Barriers;
use crate::unit::intake::Intake;
use crate::unit::named::Parts;
use crate::unit::op::{FaultCode, FaultPolicy, Form, Reduction};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Sizes as in [`Intake`] and [`Barriers`].
#[block(unit = "bcu")]
pub struct Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// A launch is offered; it and its payload hold until it is taken.
    #[group("launch")]
    pub launch_valid: Signal<In, Bit>,
    /// The launch is taken at the end of this cycle if it is valid.
    pub launch_ready: Signal<Out, Bit>,
    /// CTA slot.
    pub launch_cta: Signal<In, Bits<LC>>,
    /// Its warp slots.
    pub launch_warps: Signal<In, Bits<W>>,
    /// Those of its warps that have exited already.
    pub launch_exited: Signal<In, Bits<W>>,
    /// The live lanes of the last of its warp slots.
    pub launch_lanes: Signal<In, Bits<L>>,
    /// Barriers declared, 0 to 16.
    pub launch_barriers: Signal<In, Bits<5>>,
    /// A CTA's release is offered; it and its payload hold until it is taken.
    #[group("retire")]
    pub retire_valid: Signal<In, Bit>,
    /// The release is taken at the end of this cycle if it is valid.
    pub retire_ready: Signal<Out, Bit>,
    /// CTA slot.
    pub retire_cta: Signal<In, Bits<LC>>,
    /// Its open barriers were saved and are no fault.
    pub retire_saved: Signal<In, Bit>,
    /// The exit of lanes of a warp is offered; it holds until it is taken.
    #[group("exit")]
    pub exit_valid: Signal<In, Bit>,
    /// The exit is taken at the end of this cycle if it is valid.
    pub exit_ready: Signal<Out, Bit>,
    /// Warp.
    pub exit_warp: Signal<In, Bits<LW>>,
    /// Its lanes that exit.
    pub exit_lanes: Signal<In, Bits<L>>,
    /// An instruction is offered; it and its payload hold until it is taken.
    #[group("instruction")]
    pub instr_valid: Signal<In, Bit>,
    /// The instruction is taken at the end of this cycle if it is valid.
    pub instr_ready: Signal<Out, Bit>,
    /// Instruction word, 32 bits each, bits 31:0 first.
    pub instr_word: [Signal<In, Bits<32>>; 4],
    /// Warp that issues.
    pub instr_warp: Signal<In, Bits<LW>>,
    /// What is asked of the warp's lanes.
    pub instr_form: Signal<In, Form>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub instr_members: Signal<In, Bits<L>>,
    /// Active lanes.
    pub instr_active: Signal<In, Bits<L>>,
    /// Lanes whose guard predicate is true.
    pub instr_guard: Signal<In, Bits<L>>,
    /// Lanes in which the predicate named in bits 100:98 is true, before negation.
    pub instr_predicate: Signal<In, Bits<L>>,
    /// Value of the register named in bits 31:24, in the lowest executing lane.
    pub instr_ra: Signal<In, Bits<32>>,
    /// Value of the register named in bits 39:32, in the lowest executing lane.
    pub instr_rb: Signal<In, Bits<32>>,
    /// All executing lanes hold the same values in these registers.
    pub instr_uniform: Signal<In, Bit>,
    /// One cycle: a memory access is issued, in its warp's present epoch.
    #[group("memory")]
    pub issue_valid: Signal<In, Bit>,
    /// Its warp.
    pub issue_warp: Signal<In, Bits<LW>>,
    /// One cycle: a memory access is performed.
    pub perform_valid: Signal<In, Bit>,
    /// Its warp.
    pub perform_warp: Signal<In, Bits<LW>>,
    /// The epoch in which it was issued.
    pub perform_epoch: Signal<In, Bit>,
    /// Every warp's present epoch.
    pub epoch: Signal<Out, Bits<W>>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    #[group("policy")]
    pub leader_policy: Signal<In, Bit>,
    /// What becomes of a warp whose operation is refused, beside the fault.
    pub fault_policy: Signal<In, FaultPolicy>,
    /// One cycle: a barrier has completed.
    #[group("release")]
    pub release_valid: Signal<Out, Bit>,
    /// Its CTA slot.
    pub release_cta: Signal<Out, Bits<LC>>,
    /// Its id.
    pub release_id: Signal<Out, Bits<4>>,
    /// The warps that waited at it and go on; 0 without release_valid.
    pub release_warps: Signal<Out, Bits<W>>,
    /// What was reduced, if anything.
    pub release_reduction: Signal<Out, Reduction>,
    /// Its result: 0 or 1 for and and or, the number for popc.
    pub release_value: Signal<Out, Bits<12>>,
    /// One cycle: lanes go on, or must issue their instruction again.
    #[group("lanes")]
    pub lanes_valid: Signal<Out, Bit>,
    /// Their warp.
    pub lanes_warp: Signal<Out, Bits<LW>>,
    /// The lanes.
    pub lanes_mask: Signal<Out, Bits<L>>,
    /// Those of them that lead (elect).
    pub lanes_leaders: Signal<Out, Bits<L>>,
    /// 1 = they must issue their instruction again.
    pub lanes_retry: Signal<Out, Bit>,
    /// One cycle: a B2R has its result.
    #[group("writeback")]
    pub writeback_valid: Signal<Out, Bit>,
    /// Its warp.
    pub writeback_warp: Signal<Out, Bits<LW>>,
    /// Value for the destination register.
    pub writeback_value: Signal<Out, Bits<32>>,
    /// Value for the destination predicate.
    pub writeback_predicate: Signal<Out, Bit>,
    /// Destination register; 255 = none.
    pub writeback_rd: Signal<Out, Bits<8>>,
    /// Destination predicate; 7 = none.
    pub writeback_pu: Signal<Out, Bits<3>>,
    /// Warps that may only read and write state: they wait, have an operation under way or too many accesses outstanding, are trapped or hang.
    #[group("warps")]
    pub blocked: Signal<Out, Bits<W>>,
    /// Warps that have live lanes, all of which wait for other lanes.
    pub gathering: Signal<Out, Bits<W>>,
    /// Warps of which an operation waits for memory accesses.
    pub draining: Signal<Out, Bits<W>>,
    /// Warps launched and not gone.
    pub live: Signal<Out, Bits<W>>,
    /// Warps that are trapped.
    pub trapped: Signal<Out, Bits<W>>,
    /// A fault is offered; it holds until it is taken.
    #[group("fault")]
    pub fault_valid: Signal<Out, Bit>,
    /// The fault is taken at the end of this cycle if it is valid.
    pub fault_ready: Signal<In, Bit>,
    /// What was wrong.
    pub fault_code: Signal<Out, FaultCode>,
    /// Warp, 0 if the fault has none.
    pub fault_warp: Signal<Out, Bits<LW>>,
    /// CTA slot.
    pub fault_cta: Signal<Out, Bits<LC>>,
    /// Barrier id.
    pub fault_id: Signal<Out, Bits<4>>,
    intake: Intake<W, LW, CW, LC, S, VW, L>,
    barriers: Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, OB>,
}

#[block]
impl Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB> {
    /// `cta_slots` that are built, at most `S`; `pack_lsb` as in [`Intake::new`], `max_outstanding` as in [`Barriers::new`].
    pub fn new(cta_slots: usize, pack_lsb: usize, max_outstanding: usize, parts: Parts) -> Self {
        Bcu {
            intake: Intake::new(cta_slots, pack_lsb),
            barriers: Barriers::new(L, max_outstanding, parts),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB> {
    #[hdl_gen]
    fn update(&mut self) {
        // In.
        self.intake.launch_valid.next = self.launch_valid.val();
        self.launch_ready.next = self.intake.launch_ready.val();
        self.intake.launch_cta.next = self.launch_cta.val();
        self.intake.launch_warps.next = self.launch_warps.val();
        self.intake.launch_exited.next = self.launch_exited.val();
        self.intake.launch_lanes.next = self.launch_lanes.val();
        self.intake.launch_barriers.next = self.launch_barriers.val();
        self.intake.retire_valid.next = self.retire_valid.val();
        self.retire_ready.next = self.intake.retire_ready.val();
        self.intake.retire_cta.next = self.retire_cta.val();
        self.intake.retire_saved.next = self.retire_saved.val();
        self.intake.exit_valid.next = self.exit_valid.val();
        self.exit_ready.next = self.intake.exit_ready.val();
        self.intake.exit_warp.next = self.exit_warp.val();
        self.intake.exit_lanes.next = self.exit_lanes.val();
        self.intake.instr_valid.next = self.instr_valid.val();
        self.instr_ready.next = self.intake.instr_ready.val();
        for i in 0..4 {
            self.intake.instr_word[i].next = self.instr_word[i].val();
        }
        self.intake.instr_warp.next = self.instr_warp.val();
        self.intake.instr_form.next = self.instr_form.val();
        self.intake.instr_members.next = self.instr_members.val();
        self.intake.instr_active.next = self.instr_active.val();
        self.intake.instr_guard.next = self.instr_guard.val();
        self.intake.instr_predicate.next = self.instr_predicate.val();
        self.intake.instr_ra.next = self.instr_ra.val();
        self.intake.instr_rb.next = self.instr_rb.val();
        self.intake.instr_uniform.next = self.instr_uniform.val();
        self.intake.leader_policy.next = self.leader_policy.val();
        self.barriers.issue_valid.next = self.issue_valid.val();
        self.barriers.issue_warp.next = self.issue_warp.val();
        self.barriers.perform_valid.next = self.perform_valid.val();
        self.barriers.perform_warp.next = self.perform_warp.val();
        self.barriers.perform_epoch.next = self.perform_epoch.val();
        self.barriers.fault_policy.next = self.fault_policy.val();
        self.barriers.fault_ready.next = self.fault_ready.val();

        // Between.
        self.barriers.in_valid.next = self.intake.op_valid.val();
        self.intake.op_ready.next = self.barriers.in_ready.val();
        self.barriers.in_kind.next = self.intake.op_kind.val();
        self.barriers.in_fault.next = self.intake.op_fault.val();
        self.barriers.in_uniform.next = self.intake.op_uniform.val();
        self.barriers.in_warp.next = self.intake.op_warp.val();
        self.barriers.in_cta.next = self.intake.op_cta.val();
        self.barriers.in_id.next = self.intake.op_id.val();
        self.barriers.in_count.next = self.intake.op_count.val();
        self.barriers.in_redop.next = self.intake.op_redop.val();
        self.barriers.in_value.next = self.intake.op_value.val();
        self.barriers.in_state.next = self.intake.op_state.val();
        self.barriers.in_data.next = self.intake.op_data.val();
        self.barriers.in_warps.next = self.intake.op_warps.val();
        self.barriers.in_live.next = self.intake.op_live.val();
        self.barriers.in_barriers.next = self.intake.op_barriers.val();
        self.barriers.in_mask.next = self.intake.op_mask.val();
        self.barriers.in_saved.next = self.intake.op_saved.val();
        self.barriers.in_counted.next = self.intake.op_counted.val();
        self.barriers.in_rd.next = self.intake.op_rd.val();
        self.barriers.in_pu.next = self.intake.op_pu.val();
        self.barriers.live.next = self.intake.live.val();
        self.barriers.gathering.next = self.intake.gathering.val();
        self.barriers.in_flight.next = self.intake.in_flight.val();
        for j in 0..LC {
            self.barriers.warp_cta[j].next = self.intake.warp_cta[j].val();
        }
        self.intake.waiting.next = self.barriers.waiting.val();
        self.intake.held.next = self.barriers.held.val();
        self.intake.full.next = self.barriers.full.val();
        self.intake.parked.next = self.barriers.parked.val();
        self.intake.clearing.next = self.barriers.clearing.val();
        self.intake.through.next = self.barriers.through.val();
        self.intake.settled.next = self.barriers.settled.val();
        self.intake.left.next = self.barriers.left.val();

        // Out.
        self.epoch.next = self.barriers.epoch.val();
        self.release_valid.next = self.barriers.release_valid.val();
        self.release_cta.next = self.barriers.release_cta.val();
        self.release_id.next = self.barriers.release_id.val();
        self.release_warps.next = self.barriers.release_warps.val();
        self.release_reduction.next = self.barriers.release_reduction.val();
        self.release_value.next = self.barriers.release_value.val();
        self.writeback_valid.next = self.barriers.writeback_valid.val();
        self.writeback_warp.next = self.barriers.writeback_warp.val();
        self.writeback_value.next = self.barriers.writeback_value.val();
        self.writeback_predicate.next = self.barriers.writeback_predicate.val();
        self.writeback_rd.next = self.barriers.writeback_rd.val();
        self.writeback_pu.next = self.barriers.writeback_pu.val();
        self.fault_valid.next = self.barriers.fault_valid.val();
        self.fault_code.next = self.barriers.fault_code.val();
        self.fault_warp.next = self.barriers.fault_warp.val();
        self.fault_cta.next = self.barriers.fault_cta.val();
        self.fault_id.next = self.barriers.fault_id.val();
        self.trapped.next = self.barriers.trapped.val();
        self.draining.next = self.barriers.parked.val();
        self.lanes_valid.next = self.intake.lanes_valid.val();
        self.lanes_warp.next = self.intake.lanes_warp.val();
        self.lanes_mask.next = self.intake.lanes_mask.val();
        self.lanes_leaders.next = self.intake.lanes_leaders.val();
        self.lanes_retry.next = self.intake.lanes_retry.val();
        self.gathering.next = self.intake.gathering.val();
        self.blocked.next = self.intake.blocked.val();
        self.live.next = self.intake.live.val();
    }
}
