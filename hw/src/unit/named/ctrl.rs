// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in the commit stage of `named`: its effects.

use super::front::{Actions, Op};
use super::lookup_op::{Numbers, Row};
use crate::prelude::*;

/// The results of the checks of the operation in the commit stage.
#[payload]
pub struct Checked {
    /// The operation's id is not declared, and must be.
    pub id_undeclared: Bit,
    /// The operation's count exceeds the warps launched.
    pub count_exceeds: Bit,
    /// The row has another reduction.
    pub kind_mismatch: Bit,
    /// The operation's warp has arrived at the row.
    pub has_arrived: Bit,
    /// The operation has no fault and changes its row.
    pub changes_row: Bit,
    /// The operation has no fault and writes the state of its warp (Write to Warp).
    pub restores_warp: Bit,
    /// The operation has a fault: found by the checks, in its operands, or from upstream.
    pub rejected: Bit,
}

/// The effect of the operation on its row if the operation has no fault.
#[payload]
pub struct Outcome<CW, AW> {
    /// The new row.
    pub row: Row<CW, AW>,
    /// If the operation changes its row: the generation is complete.
    pub completes_if_written: Bit,
    /// An Exit completes the generation.
    pub exit_completes: Bit,
    /// If the operation changes its row and leaves it open: the id is the CTA's last one without a count.
    pub records_id: Bit,
}

/// The result of the warp of the operation in the commit stage.
#[payload]
pub struct WarpResult<AW> {
    /// The operation is a Read of Result, and there is no result: `no_result`.
    pub no_result: Bit,
    /// The value: a number for POPC, 0 or 1 for AND and OR, 0 if there is no result.
    pub value: Bits<AW>,
    /// There is no result, or it is of AND or OR, or it is the highest number.
    pub not_plain_number: Bit,
    /// Bit 13 of the warp state word: there is no result, or it is of POPC.
    pub word_bit_13: Bit,
    /// Bit 12 of the warp state word: there is no result, or it is of OR.
    pub word_bit_12: Bit,
}

/// The warps of the operation in the commit stage.
#[payload]
pub struct CommitWarps<W> {
    /// The warp, one-hot; for a Release the mask of its CTA; after a reset all warps.
    pub acting_warps: Bits<W>,
    /// Warps that wait at the operation's row after the operation.
    pub waiting_warps: Bits<W>,
    /// The warp of the operation in the lookup stage is one of these.
    pub lookup_warp_waits: Bit,
}

/// The effects of the operation in the commit stage. The fields up to `clears_warps` are registers.
#[payload]
pub struct Ctrl<W, LW, CW, LC, AW> {
    /// As in the lookup stage.
    pub actions: Actions,
    /// As in the lookup stage; `fault_code` has the fault of the operands too, `warp` is 0 for a clear step.
    pub op: Op<LW, LC>,
    /// As in the lookup stage; `result` as `Coded` encodes it.
    pub numbers: Numbers<CW, AW>,
    /// The row was open before the operation.
    pub was_open: Bit,
    /// The row had a count, if it was open.
    pub had_count: Bit,
    /// The operation arrives or writes a row.
    pub targets_row: Bit,
    /// The new row, if it is written.
    pub row: Row<CW, AW>,
    /// As in [`Outcome`]: the generation is complete if `changes_row`.
    pub completes_if_written: Bit,
    /// As in [`Outcome`]: an Exit completes the generation.
    pub exit_completes: Bit,
    /// As in [`Outcome`]: the id is the last one without a count if `changes_row` and not `completes_if_written`.
    pub records_id: Bit,
    /// The operation has a fault from upstream or of its operands.
    pub has_fault_code: Bit,
    /// A clear step finds its row open, and that is a fault.
    pub open_row_fault: Bit,
    /// The operation's warps lose their waits and results: the operation is a Release, or there was a reset.
    pub clears_warps: Bit,
    /// The last result of the operation's warp.
    pub warp_result: WarpResult<AW>,
    /// The operation's warps, and the warps that wait at its row.
    pub commit_warps: CommitWarps<W>,
    /// The results of the checks.
    pub checked: Checked,
    /// A generation is complete.
    pub complete: Bit,
    /// The value of the reduction so far.
    pub reduction_value: Bits<AW>,
    /// The operation has a fault: it is refused.
    pub refused: Bit,
    /// A Read without a fault: its value is output.
    pub outputs_read: Bit,
    /// A fault enters the queue.
    pub pushes_fault: Bit,
    /// The code of that fault.
    pub fault: FaultCode,
}
