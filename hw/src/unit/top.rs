// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole unit: instructions, launches and exits in, releases and faults out. Wiring, and who goes first into `named`.
//!
//! *Reads:* the channels `launch`, `retire`, `exit`, `instr`; `fault_policy`. *Writes:* the release and writeback strobes, `blocked`,
//! `live`, `trapped`, the fault channel. *Latency:* 3 from instruction to release or writeback, 4 from exit to release. Implements the shape of the unit in `ARCHITECTURE.md`.
//!
//! Operations enter `named` in the order of their acceptance: an instruction is accepted only while `residency` has nothing
//! pending, so what waits in `decode` is older than what waits in `residency` and goes first.

use crate::ports::Unit;
use crate::unit::decode::Decode;
use crate::unit::named::Named;
use crate::unit::op::{FaultCode, FaultPolicy, Reduction};
use crate::unit::residency::Residency;
use crate::unit::votes::Votes;
use crate::unit::writeback::Writeback;
use rust_hdl::prelude::*;

/// Sizes as in [`Named`], [`Residency`] and [`Decode`].
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
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch_valid: Signal<In, Bit>,
    pub launch_ready: Signal<Out, Bit>,
    pub launch_cta: Signal<In, Bits<LC>>,
    pub launch_warps: Signal<In, Bits<W>>,
    pub launch_exited: Signal<In, Bits<W>>,
    pub launch_barriers: Signal<In, Bits<5>>,
    pub retire_valid: Signal<In, Bit>,
    pub retire_ready: Signal<Out, Bit>,
    pub retire_cta: Signal<In, Bits<LC>>,
    pub retire_saved: Signal<In, Bit>,
    pub exit_valid: Signal<In, Bit>,
    pub exit_ready: Signal<Out, Bit>,
    pub exit_warp: Signal<In, Bits<LW>>,
    pub instr_valid: Signal<In, Bit>,
    pub instr_ready: Signal<Out, Bit>,
    pub instr_word: [Signal<In, Bits<32>>; 4],
    pub instr_warp: Signal<In, Bits<LW>>,
    pub instr_active: Signal<In, Bits<L>>,
    pub instr_guard: Signal<In, Bits<L>>,
    pub instr_predicate: Signal<In, Bits<L>>,
    pub instr_ra: Signal<In, Bits<32>>,
    pub instr_rb: Signal<In, Bits<32>>,
    pub instr_uniform: Signal<In, Bit>,
    pub fault_policy: Signal<In, FaultPolicy>,
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub release_reduction: Signal<Out, Reduction>,
    pub release_value: Signal<Out, Bits<12>>,
    pub writeback_valid: Signal<Out, Bit>,
    pub writeback_warp: Signal<Out, Bits<LW>>,
    pub writeback_value: Signal<Out, Bits<32>>,
    pub writeback_predicate: Signal<Out, Bit>,
    pub writeback_rd: Signal<Out, Bits<8>>,
    pub writeback_pu: Signal<Out, Bits<3>>,
    pub blocked: Signal<Out, Bits<W>>,
    pub live: Signal<Out, Bits<W>>,
    pub trapped: Signal<Out, Bits<W>>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_code: Signal<Out, FaultCode>,
    pub fault_warp: Signal<Out, Bits<LW>>,
    pub fault_cta: Signal<Out, Bits<LC>>,
    pub fault_id: Signal<Out, Bits<4>>,
    residency: Residency<W, LW, CW, LC, S>,
    decode: Decode<W, LW, LC, L>,
    named: Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>,
    votes: Votes<L, VW>,
    writeback: Writeback,
    stopped: Signal<Local, Bits<W>>,
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
    > Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L>
{
    /// `cta_slots` that are built, at most `S`; `pack_lsb` as in [`Decode::new`].
    pub fn new(cta_slots: usize, pack_lsb: usize) -> Self {
        crate::fresh!(Bcu {
            clock, reset, launch_valid, launch_ready, launch_cta, launch_warps, launch_exited, launch_barriers,
            retire_valid, retire_ready, retire_cta, retire_saved, exit_valid, exit_ready, exit_warp, instr_valid,
            instr_ready, instr_word, instr_warp, instr_active, instr_guard, instr_predicate, instr_ra, instr_rb,
            instr_uniform, fault_policy, release_valid, release_cta, release_id, release_warps, release_reduction,
            release_value, writeback_valid, writeback_warp, writeback_value, writeback_predicate, writeback_rd,
            writeback_pu, blocked, live, trapped, fault_valid, fault_ready, fault_code, fault_warp, fault_cta, fault_id,
            votes, writeback, stopped;
            decode: Decode::new(pack_lsb),
            residency: Residency::new(cta_slots),
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
    > Logic for Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.residency.clock.next = self.clock.val();
        self.residency.reset.next = self.reset.val();
        self.decode.clock.next = self.clock.val();
        self.decode.reset.next = self.reset.val();
        self.named.clock.next = self.clock.val();
        self.named.reset.next = self.reset.val();
        self.stopped.next = self.named.blocked.val() | self.decode.holding.val();

        self.residency.launch_valid.next = self.launch_valid.val();
        self.residency.launch_cta.next = self.launch_cta.val();
        self.residency.launch_warps.next = self.launch_warps.val();
        self.residency.launch_exited.next = self.launch_exited.val();
        self.residency.launch_barriers.next = self.launch_barriers.val();
        self.residency.retire_valid.next = self.retire_valid.val();
        self.residency.retire_cta.next = self.retire_cta.val();
        self.residency.retire_saved.next = self.retire_saved.val();
        self.residency.exit_valid.next = self.exit_valid.val();
        self.residency.exit_warp.next = self.exit_warp.val();
        self.residency.blocked.next = self.stopped.val();
        self.residency.clearing.next = self.named.clearing.val();
        self.launch_ready.next = self.residency.launch_ready.val();
        self.retire_ready.next = self.residency.retire_ready.val();
        self.exit_ready.next = self.residency.exit_ready.val();

        self.decode.instr_valid.next = self.instr_valid.val() & !self.residency.pending.val();
        for i in 0..4 {
            self.decode.instr_word[i].next = self.instr_word[i].val();
        }
        self.decode.instr_warp.next = self.instr_warp.val();
        self.decode.instr_active.next = self.instr_active.val();
        self.decode.instr_guard.next = self.instr_guard.val();
        self.decode.instr_predicate.next = self.instr_predicate.val();
        self.decode.instr_ra.next = self.instr_ra.val();
        self.decode.instr_rb.next = self.instr_rb.val();
        self.decode.instr_uniform.next = self.instr_uniform.val();
        self.decode.live.next = self.residency.live.val();
        self.decode.blocked.next = self.stopped.val();
        for i in 0..LC {
            self.decode.warp_cta[i].next = self.residency.warp_cta[i].val();
        }
        self.instr_ready.next = self.decode.instr_ready.val() & !self.residency.pending.val();

        self.named.op_valid.next = self.decode.op_valid.val() | self.residency.op_valid.val();
        self.named.op_kind.next = self.residency.op_kind.val();
        self.named.op_fault.next = self.residency.op_fault.val();
        self.named.op_warp.next = self.residency.op_warp.val();
        self.named.op_cta.next = self.residency.op_cta.val();
        if self.decode.op_valid.val() {
            self.named.op_kind.next = self.decode.op_kind.val();
            self.named.op_fault.next = self.decode.op_fault.val();
            self.named.op_warp.next = self.decode.op_warp.val();
            self.named.op_cta.next = self.decode.op_cta.val();
        }
        self.named.op_uniform.next = self.decode.op_uniform.val();
        self.votes.kind.next = self.decode.op_kind.val();
        self.votes.redop.next = self.decode.op_redop.val();
        self.votes.lanes.next = self.decode.op_lanes.val();
        self.votes.yes.next = self.decode.op_votes.val();
        self.named.op_redop.next = self.decode.op_redop.val();
        self.named.op_value.next = self.votes.value.val();
        self.named.op_state.next = self.decode.op_state.val();
        self.named.op_data.next = self.decode.op_data.val();
        // Operations of residency have no id and no count; a fault of one is reported with id 0.
        self.named.op_id.next = 0.into();
        self.named.op_count.next = 0.into();
        if self.decode.op_valid.val() {
            self.named.op_id.next = self.decode.op_id.val();
            self.named.op_count.next = self.decode.op_count.val();
        }
        self.named.op_warps.next = self.residency.op_warps.val();
        self.named.op_live.next = self.residency.op_live.val();
        self.named.op_barriers.next = self.residency.op_barriers.val();
        self.named.op_mask.next = self.residency.op_mask.val();
        self.named.op_saved.next = self.residency.op_saved.val();
        self.decode.op_ready.next = self.named.op_ready.val();
        self.residency.op_ready.next = self.named.op_ready.val() & !self.decode.op_valid.val();

        // Only operations of decode read, so its destinations are those of every result.
        self.writeback.clock.next = self.clock.val();
        self.writeback.reset.next = self.reset.val();
        self.writeback.op_rd.next = self.decode.op_rd.val();
        self.writeback.op_pu.next = self.decode.op_pu.val();
        self.writeback.valid.next = self.named.read_valid.val();
        self.writeback_valid.next = self.named.read_valid.val();
        self.writeback_warp.next = self.named.read_warp.val();
        self.writeback_value.next = self.named.read_value.val();
        self.writeback_predicate.next = self.named.read_predicate.val();
        self.writeback_rd.next = self.writeback.rd.val();
        self.writeback_pu.next = self.writeback.pu.val();

        self.named.fault_policy.next = self.fault_policy.val();
        self.named.fault_ready.next = self.fault_ready.val();
        self.release_valid.next = self.named.release_valid.val();
        self.release_cta.next = self.named.release_cta.val();
        self.release_id.next = self.named.release_id.val();
        self.release_warps.next = self.named.release_warps.val();
        self.release_reduction.next = self.named.release_reduction.val();
        self.release_value.next = self.named.release_value.val();
        self.blocked.next = self.stopped.val();
        self.live.next = self.residency.live.val();
        self.trapped.next = self.named.trapped.val();
        self.fault_valid.next = self.named.fault_valid.val();
        self.fault_code.next = self.named.fault_code.val();
        self.fault_warp.next = self.named.fault_warp.val();
        self.fault_cta.next = self.named.fault_cta.val();
        self.fault_id.next = self.named.fault_id.val();
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
    > Unit for Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L>
{
    crate::ports! { "bcu";
        "reset" { reset: "Synchronous, active high; the tables are cleared after it." }
        "launch" {
            launch_valid: "A launch is offered; it and its payload hold until it is taken.",
            launch_ready: "The launch is taken at the end of this cycle if it is valid.",
            launch_cta: "CTA slot.",
            launch_warps: "Its warp slots.",
            launch_exited: "Those of its warps that have exited already.",
            launch_barriers: "Barriers declared, 0 to 16.",
        }
        "retire" {
            retire_valid: "A CTA's release is offered; it and its payload hold until it is taken.",
            retire_ready: "The release is taken at the end of this cycle if it is valid.",
            retire_cta: "CTA slot.",
            retire_saved: "Its open barriers were saved and are no fault.",
        }
        "exit" {
            exit_valid: "A warp's exit is offered; it holds until it is taken.",
            exit_ready: "The exit is taken at the end of this cycle if it is valid.",
            exit_warp: "Warp.",
        }
        "instruction" {
            instr_valid: "An instruction is offered; it and its payload hold until it is taken.",
            instr_ready: "The instruction is taken at the end of this cycle if it is valid.",
            instr_word: "Instruction word, 32 bits each, bits 31:0 first.",
            instr_warp: "Warp that issues.",
            instr_active: "Active lanes.",
            instr_guard: "Lanes whose guard predicate is true.",
            instr_predicate: "Lanes in which the predicate named in bits 100:98 is true, before negation.",
            instr_ra: "Value of the register named in bits 31:24, in the lowest executing lane.",
            instr_rb: "Value of the register named in bits 39:32, in the lowest executing lane.",
            instr_uniform: "All executing lanes hold the same values in these registers.",
        }
        "policy" { fault_policy: "What becomes of a warp whose operation is refused, beside the fault." }
        "release" {
            release_valid: "One cycle: a barrier has completed.",
            release_cta: "Its CTA slot.",
            release_id: "Its id.",
            release_warps: "The warps that waited at it and go on; 0 without release_valid.",
            release_reduction: "What was reduced, if anything.",
            release_value: "Its result: 0 or 1 for and and or, the number for popc.",
        }
        "writeback" {
            writeback_valid: "One cycle: a B2R has its result.",
            writeback_warp: "Its warp.",
            writeback_value: "Value for the destination register.",
            writeback_predicate: "Value for the destination predicate.",
            writeback_rd: "Destination register; 255 = none.",
            writeback_pu: "Destination predicate; 7 = none.",
        }
        "warps" {
            blocked: "Warps that may only read and write state: they wait, have an arrival under way that waits, are trapped or hang.",
            live: "Warps launched and not exited.",
            trapped: "Warps that are trapped.",
        }
        "fault" {
            fault_valid: "A fault is offered; it holds until it is taken.",
            fault_ready: "The fault is taken at the end of this cycle if it is valid.",
            fault_code: "What was wrong.",
            fault_warp: "Warp, 0 if the fault has none.",
            fault_cta: "CTA slot.",
            fault_id: "Barrier id.",
        }
    }
}
