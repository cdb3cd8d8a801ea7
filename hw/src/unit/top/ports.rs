// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The port table of `bcu`.

use super::Bcu;
use crate::ports::Unit;

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
    > Unit for Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, OB>
{
    crate::ports! { "bcu";
        "reset" { reset: "Synchronous, active high; the tables are cleared after it." }
        "launch" {
            launch_valid: "A launch is offered; it and its payload hold until it is taken.",
            launch_ready: "The launch is taken at the end of this cycle if it is valid.",
            launch_cta: "CTA slot.",
            launch_warps: "Its warp slots.",
            launch_exited: "Those of its warps that have exited already.",
            launch_lanes: "The live lanes of the last of its warp slots.",
            launch_barriers: "Barriers declared, 0 to 16.",
        }
        "retire" {
            retire_valid: "A CTA's release is offered; it and its payload hold until it is taken.",
            retire_ready: "The release is taken at the end of this cycle if it is valid.",
            retire_cta: "CTA slot.",
            retire_saved: "Its open barriers were saved and are no fault.",
        }
        "exit" {
            exit_valid: "The exit of lanes of a warp is offered; it holds until it is taken.",
            exit_ready: "The exit is taken at the end of this cycle if it is valid.",
            exit_warp: "Warp.",
            exit_lanes: "Its lanes that exit.",
        }
        "instruction" {
            instr_valid: "An instruction is offered; it and its payload hold until it is taken.",
            instr_ready: "The instruction is taken at the end of this cycle if it is valid.",
            instr_word: "Instruction word, 32 bits each, bits 31:0 first.",
            instr_warp: "Warp that issues.",
            instr_form: "What is asked of the warp's lanes.",
            instr_members: "Warp sync, elect: the lanes that wait for each other.",
            instr_active: "Active lanes.",
            instr_guard: "Lanes whose guard predicate is true.",
            instr_predicate: "Lanes in which the predicate named in bits 100:98 is true, before negation.",
            instr_ra: "Value of the register named in bits 31:24, in the lowest executing lane.",
            instr_rb: "Value of the register named in bits 39:32, in the lowest executing lane.",
            instr_uniform: "All executing lanes hold the same values in these registers.",
        }
        "memory" {
            issue_valid: "One cycle: a memory access is issued, in its warp's present epoch.",
            issue_warp: "Its warp.",
            perform_valid: "One cycle: a memory access is performed.",
            perform_warp: "Its warp.",
            perform_epoch: "The epoch in which it was issued.",
            epoch: "Every warp's present epoch.",
        }
        "policy" {
            leader_policy: "Which lane leads: 0 = the lowest, 1 = the highest.",
            fault_policy: "What becomes of a warp whose operation is refused, beside the fault.",
        }
        "release" {
            release_valid: "One cycle: a barrier has completed.",
            release_cta: "Its CTA slot.",
            release_id: "Its id.",
            release_warps: "The warps that waited at it and go on; 0 without release_valid.",
            release_reduction: "What was reduced, if anything.",
            release_value: "Its result: 0 or 1 for and and or, the number for popc.",
        }
        "lanes" {
            lanes_valid: "One cycle: lanes go on, or must issue their instruction again.",
            lanes_warp: "Their warp.",
            lanes_mask: "The lanes.",
            lanes_leaders: "Those of them that lead (elect).",
            lanes_retry: "1 = they must issue their instruction again.",
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
            blocked: "Warps that may only read and write state: they wait, have an operation under way or too many accesses outstanding, are trapped or hang.",
            gathering: "Warps that have live lanes, all of which wait for other lanes.",
            draining: "Warps of which an operation waits for memory accesses.",
            live: "Warps launched and not gone.",
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
