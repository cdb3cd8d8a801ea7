// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The port table of `gather`.

use super::Gather;
use crate::ports::Unit;

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const L: usize> Unit for Gather<W, LW, CW, LC, L> {
    crate::ports! { "gather";
        "reset" { reset: "Synchronous, active high." }
        "input" {
            in_valid: "An operation is offered; it and its payload hold until it is taken.",
            in_ready: "The operation is taken at the end of this cycle if it is valid.",
            in_kind: "What it does.",
            in_fault: "Fault found upstream; none = carry it out.",
            in_uniform: "All executing lanes gave the same id, count and state word.",
            in_warp: "Warp.",
            in_cta: "CTA slot.",
            in_id: "Barrier id.",
            in_count: "Participants in threads; 0 = none given.",
            in_redop: "Reduce: what is to be reduced.",
            in_state: "Read, write: which state.",
            in_data: "Write: the state word.",
            in_warps: "Launch: warps launched.",
            in_live: "Launch: warps that have not exited.",
            in_barriers: "Launch: barriers declared, 0 to 16.",
            in_mask: "Launch, release: the CTA's warp slots.",
            in_saved: "Release: open barriers were saved and are no fault.",
            in_form: "Arrivals: what is asked of the warp's lanes.",
            in_lanes: "Executing lanes; exit: the lanes that exit; launch: the live lanes of the last warp.",
            in_votes: "Reduce: executing lanes whose predicate is true.",
            in_members: "Warp sync, elect: the lanes that wait for each other.",
            in_counted: "1 = from an instruction.",
            in_rd: "Read: destination register; 255 = none.",
            in_pu: "Read: destination predicate; 7 = none.",
        }
        "policy" { leader_policy: "Which lane leads: 0 = the lowest, 1 = the highest." }
        "operation" {
            op_valid: "An operation is offered; it and its payload hold until it is taken.",
            op_ready: "The operation is taken at the end of this cycle if it is valid.",
            op_kind: "What it does.",
            op_fault: "What is wrong with it; none = carry it out.",
            op_uniform: "All executing lanes gave the same id, count and state word.",
            op_warp: "Warp.",
            op_cta: "CTA slot.",
            op_id: "Barrier id.",
            op_count: "Participants in threads; 0 = none given.",
            op_redop: "Reduce: what is to be reduced.",
            op_state: "Read, write: which state.",
            op_data: "Write: the state word.",
            op_warps: "Launch: warps launched.",
            op_live: "Launch: warps that have not exited.",
            op_barriers: "Launch: barriers declared, 0 to 16.",
            op_mask: "Launch, release: the CTA's warp slots.",
            op_saved: "Release: open barriers were saved and are no fault.",
            op_lanes: "Lanes for which it stands.",
            op_votes: "Reduce: those of them whose predicate is true.",
            op_counted: "1 = caused by an instruction.",
            op_rd: "Read: destination register; 255 = none.",
            op_pu: "Read: destination predicate; 7 = none.",
        }
        "lanes" {
            lanes_valid: "One cycle: lanes go on, or must issue their instruction again.",
            lanes_warp: "Their warp.",
            lanes_mask: "The lanes.",
            lanes_leaders: "Those of them that lead (elect).",
            lanes_retry: "1 = they must issue their instruction again.",
        }
        "warps" {
            gone_valid: "One cycle: the last lanes of a warp have exited.",
            gone_warp: "The warp.",
            swallowed: "One cycle: the warp whose instruction ended here.",
            gathering: "Warps that have live lanes, all of which wait here.",
            leaving: "Warps of which an operation that an exit caused is between here and the order unit.",
            left: "One cycle: the warp of such an operation that has arrived at the order unit.",
        }
    }
}
