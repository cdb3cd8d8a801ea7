// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How `named` is built, and what it shows to the outside: its port table.

use super::operands::Operands;
use super::Named;
use crate::ports::Unit;
use rust_hdl::prelude::Constant;

/// What can be left out; state words only stand with checks.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    pub reductions: bool,
    pub faults: bool,
    pub state_words: bool,
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
    > Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>
{
    /// `lanes` of a warp, a power of two of at most 32.
    pub fn new(lanes: usize, parts: Parts) -> Self {
        assert!(S == 1 << LC && (parts.faults || !parts.state_words));
        crate::fresh!(Named {
            clock, reset, op_valid, op_ready, op_kind, op_fault, op_uniform, op_warp, op_cta, op_id, op_count, op_redop,
            op_value, op_state, op_data, op_warps, op_live, op_barriers, op_mask, op_saved, fault_policy, release_valid,
            release_cta, release_id, release_warps, release_reduction, release_value, read_valid, read_warp, read_value,
            read_predicate, tangle_valid, tangle_cta, blocked, trapped, clearing, fault_valid, fault_ready, fault_code,
            fault_warp, fault_cta, fault_id, clear, enter, marks, rows, masks, ctas, places, judge, advance, effect, counts, results,
            stops, verdict, faults, leave, read, cleaning, complete;
            operands: Operands::new(lanes),
            reduces: Constant::new(parts.reductions),
            checks: Constant::new(parts.faults),
            words: Constant::new(parts.state_words)
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
    > Unit for Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>
{
    crate::ports! { "named";
        "reset" { reset: "Synchronous, active high; the tables are cleared after it." }
        "operation" {
            op_valid: "An operation is offered; it and its payload hold until it is taken.",
            op_ready: "The operation is taken at the end of this cycle if it is valid.",
            op_kind: "What it does.",
            op_fault: "Fault found upstream, reported here in order; none = carry the operation out.",
            op_uniform: "All executing lanes gave the same id, count and state word.",
            op_warp: "Warp.",
            op_cta: "CTA slot of the warp, or the slot launched or released.",
            op_id: "Barrier id.",
            op_count: "Participants in threads, a multiple of the lanes; 0 = all live warps of the CTA.",
            op_redop: "Reduce: what is to be reduced.",
            op_value: "Reduce: and: a lane's predicate is false; or: one is true; popc: how many are true.",
            op_state: "Read, write: which state.",
            op_data: "Write: the state word.",
            op_warps: "Launch: warps launched.",
            op_live: "Launch: warps that have not exited.",
            op_barriers: "Launch: barriers declared, 0 to 16.",
            op_mask: "Release: the warp slots of the CTA.",
            op_saved: "Release: open barriers were saved and are no fault.",
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
        "read" {
            read_valid: "One cycle: what a read has read.",
            read_warp: "Its warp.",
            read_value: "State word, or result of popc.",
            read_predicate: "Result of and or or.",
        }
        "tangle" {
            tangle_valid: "One cycle: a second id without a count is open in one CTA, so none of them can complete.",
            tangle_cta: "Its CTA slot.",
        }
        "warps" {
            blocked: "Warps that wait at a barrier, have an arrival under way that waits, are trapped or hang.",
            trapped: "Warps that are trapped.",
            clearing: "A release (or reset) is still clearing rows.",
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
