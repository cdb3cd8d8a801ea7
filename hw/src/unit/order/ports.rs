// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The port table of `order`.

use super::Order;
use crate::ports::Unit;

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const VW: usize, const OB: usize> Unit
    for Order<W, LW, CW, LC, VW, OB>
{
    crate::ports! { "order";
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
            in_value: "Reduce: the warp's contribution.",
            in_state: "Read, write: which state.",
            in_data: "Write: the state word.",
            in_warps: "Launch: warps launched.",
            in_live: "Launch: warps that have not exited.",
            in_barriers: "Launch: barriers declared, 0 to 16.",
            in_mask: "Launch, release: the CTA's warp slots.",
            in_saved: "Release: open barriers were saved and are no fault.",
            in_counted: "1 = caused by an instruction.",
            in_rd: "Read: destination register; 255 = none.",
            in_pu: "Read: destination predicate; 7 = none.",
        }
        "memory" {
            issue_valid: "One cycle: a memory access is issued, in its warp's present epoch.",
            issue_warp: "Its warp.",
            perform_valid: "One cycle: a memory access is performed.",
            perform_warp: "Its warp.",
            perform_epoch: "The epoch in which it was issued.",
            epoch: "Every warp's present epoch.",
        }
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
            op_value: "Reduce: the warp's contribution.",
            op_state: "Read, write: which state.",
            op_data: "Write: the state word.",
            op_warps: "Launch: warps launched.",
            op_live: "Launch: warps that have not exited.",
            op_barriers: "Launch: barriers declared, 0 to 16.",
            op_mask: "Launch, release: the CTA's warp slots.",
            op_saved: "Release: open barriers were saved and are no fault.",
            op_rd: "Read: destination register; 255 = none.",
            op_pu: "Read: destination predicate; 7 = none.",
        }
        "warps" {
            held: "Warps that may not issue: what they wait for is parked, or no further access may be outstanding.",
            full: "Warps of which a second operation is parked.",
            parked: "Warps of which an operation is parked.",
            settled: "One cycle: the warp whose instruction was passed on or parked.",
            left: "One cycle: the warp of which an operation that an exit caused was passed on or parked.",
        }
    }
}
