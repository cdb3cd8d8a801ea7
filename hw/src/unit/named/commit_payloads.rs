// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the operation in the commit stage of `named`.

use super::lookup_payloads::Row;
use crate::prelude::*;

/// The results of the checks for the operation in the commit stage: what it may change.
#[payload]
pub struct Checked {
    /// The operation has no fault and changes its row.
    pub changes_row: Bit,
    /// The operation has no fault and writes the state of its warp (Write to Warp).
    pub restores_warp: Bit,
    /// The operation's warp had arrived at the row before the operation.
    pub has_arrived: Bit,
}

/// The faults that the checks have found in the operation in the commit stage.
#[payload]
pub struct Findings {
    /// The operation needs a declared barrier id, and its id is not declared.
    pub id_undeclared: Bit,
    /// Arrival: its count is above the number of warps launched.
    pub count_exceeds: Bit,
    /// The row and the operation have different reductions. Meaningless if the row is not open.
    pub kind_mismatch: Bit,
    /// The operation has a fault: found by the checks, in its operands, or from upstream.
    pub rejected: Bit,
}

/// The completion of a generation of the row by the operation.
#[payload]
pub struct Completion {
    /// The operation completes the generation, provided that it changes its row.
    pub completes_if_written: Bit,
    /// An Exit completes the generation.
    pub exit_completes: Bit,
    /// The barrier id of the operation becomes the CTA's last id used without a count, provided that the operation changes its
    /// row and leaves it open.
    pub records_id: Bit,
}

/// The effect of the operation on its row, under the assumption that the operation has no fault.
#[payload]
pub struct Outcome<CW, AW> {
    /// The new row.
    pub row: Row<CW, AW>,
    pub completion: Completion,
}

/// The state of the operation's row before the operation.
#[payload]
pub struct RowBefore {
    /// The row was open.
    pub was_open: Bit,
    /// The row had a count. Meaningless if the row was not open.
    pub had_count: Bit,
}

/// The result of the warp of the operation in the commit stage.
#[payload]
pub struct WarpResult<AW> {
    /// The value: a number for POPC, 0 or 1 for AND and OR, 0 if there is no result.
    pub value: Bits<AW>,
    /// 0: the result is a POPC result whose highest bit is 0. 1: a POPC result whose highest bit is 1, a result of AND or OR, or no
    /// result.
    pub not_plain_number: Bit,
    /// Bit 13 of the warp state word: 1 for a result of POPC and for no result.
    pub word_bit_13: Bit,
    /// Bit 12 of the warp state word: 1 for a result of OR and for no result.
    pub word_bit_12: Bit,
}

/// Warps that wait at the row of the operation in the commit stage.
#[payload]
pub struct RowWaiters<W> {
    /// Warps that wait at the operation's row after the operation.
    pub waiting_warps: Bits<W>,
    /// The warp of the operation in the lookup stage is one of `waiting_warps`.
    pub lookup_warp_waits: Bit,
}

/// Whether the operation in the commit stage is refused, and the fault that is queued.
#[payload]
pub struct Verdict {
    /// The operation has a fault: it is refused.
    pub refused: Bit,
    /// A fault enters the queue: the fault of the operation, or `barrier_left_open` of a clear step.
    pub pushes_fault: Bit,
    /// Code of the fault that enters the queue.
    pub fault: FaultCode,
}
