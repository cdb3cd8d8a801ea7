// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How `residency` is built, and its port table.

use super::Residency;
use crate::ports::Unit;
use rust_hdl::prelude::*;

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const S: usize, const L: usize>
    Residency<W, LW, CW, LC, S, L>
{
    /// `cta_slots` that are built, at most `S`.
    pub fn new(cta_slots: usize) -> Self {
        assert!(W == 1 << LW && S == 1 << LC && (1 << CW) > W && cta_slots <= S);
        crate::fresh!(Residency {
            clock, reset, launch_valid, launch_ready, launch_cta, launch_warps, launch_exited, launch_lanes, launch_barriers,
            retire_valid, retire_ready, retire_cta, retire_saved, exit_valid, exit_ready, exit_warp, exit_lanes, blocked,
            clearing, gone_valid, gone_warp, in_flight, op_valid, op_ready, op_kind, op_fault, op_warp, op_cta, op_warps,
            op_live, op_barriers, op_mask, op_saved, op_lanes, live, launching, new_cta, new_warps, new_exited, new_lanes,
            new_barriers, retiring, ending, old_cta, old_saved, exiting, old_warp, old_lanes, taken, alive, slots, valid, kind,
            fault, warp, cta, warps, live_warps, barriers, mask, saved, lanes, do_exit, retire_turn, do_end, do_retire,
            do_launch, verdict, of_exit, of_retire, late, remain, begins, clash, total, living;
            warp_cta: array_init::array_init(|_| Signal::default()),
            slot_bit: array_init::array_init(|_| DFF::default()),
            built: Constant::new(((1u64 << cta_slots) - 1).into())
        })
    }
}

impl<const W: usize, const LW: usize, const CW: usize, const LC: usize, const S: usize, const L: usize> Unit
    for Residency<W, LW, CW, LC, S, L>
{
    crate::ports! { "residency";
        "reset" { reset: "Synchronous, active high." }
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
            exit_valid: "A warp's exit is offered; it holds until it is taken.",
            exit_ready: "The exit is taken at the end of this cycle if it is valid.",
            exit_warp: "Warp.",
            exit_lanes: "Its lanes that exit.",
        }
        "named" {
            blocked: "Warps that may not exit.",
            clearing: "Rows are being cleared; a launch waits.",
        }
        "gather" {
            gone_valid: "One cycle: the last lanes of a warp have exited.",
            gone_warp: "The warp.",
            in_flight: "Warps of which an operation has yet to reach the barriers.",
        }
        "operation" {
            op_valid: "An operation is offered; it and its payload hold until it is taken.",
            op_ready: "The operation is taken at the end of this cycle if it is valid.",
            op_kind: "Exit, launch or release.",
            op_fault: "What is wrong with it; none = carry it out.",
            op_warp: "Exit: warp.",
            op_cta: "CTA slot.",
            op_warps: "Launch: warps launched.",
            op_live: "Launch: warps that have not exited.",
            op_barriers: "Launch: barriers declared.",
            op_mask: "Launch, release: the warp slots of the CTA.",
            op_saved: "Release: open barriers were saved.",
            op_lanes: "Exit: the lanes; launch: the live lanes of the last warp.",
        }
        "warps" {
            live: "Warps launched and not gone.",
            warp_cta: "One bit of every warp's CTA slot.",
        }
    }
}
