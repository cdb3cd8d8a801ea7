// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in the lookup stage of `named`, with the findings of the blocks in that stage.

use super::front::{Actions, Op};
use super::parts::Parts;
use crate::prelude::*;

/// The numbers of an operation.
#[payload]
pub struct Numbers<CW, AW> {
    /// A count is given, of an arrival or as the expected warps of a barrier state word; or the result of a Write to Warp is of POPC.
    pub has_count: Bit,
    /// The contribution is ORed into bit 0 of the sum (AND, OR), not added.
    pub merges_contribution: Bit,
    /// The arrived bit of the warp is 1 afterwards.
    pub sets_arrived: Bit,
    /// The warp waits afterwards: Sync, Reduce, or a Write to Warp with that state.
    pub waits: Bit,
    /// Write to Barrier: the row becomes idle.
    pub sets_idle: Bit,
    /// Write to Warp: the warp becomes trapped.
    pub sets_trapped: Bit,
    /// Warps that are expected, 0 if no count is given.
    pub op_expected: Bits<CW>,
    /// Warps that are expected, minus 1: once this many have arrived, the next arrival completes the row.
    pub expected_minus_one: Bits<CW>,
    /// Warps that arrive.
    pub arrivals: Bits<CW>,
    /// The contribution to the sum.
    pub contribution: Bits<AW>,
    /// The reduction of the contribution; for a Write to Warp that of its result.
    pub op_reduction: Reduction,
    /// Write to Warp: the result, its low bits as in the state word.
    pub result: Bits<AW>,
    /// Write to Warp: the barrier id in the state word.
    pub word_id: Bits<4>,
}

/// A fault of the operands alone.
#[payload]
pub struct OperandFault {
    /// Code of the fault.
    pub fault: FaultCode,
    /// There is a fault.
    pub has_fault: Bit,
}

/// A row. If it is not open, its other fields are stale and ignored.
#[payload]
pub struct Row<CW, AW> {
    /// A generation of the row has begun and is not complete.
    pub open: Bit,
    /// A warp waits.
    pub has_waiter: Bit,
    /// A count was given.
    pub with_count: Bit,
    /// Sum of the contributions; AND: 1 if a predicate was false.
    pub sum: Bits<AW>,
    /// The reduction of the generation.
    pub reduction: Reduction,
    /// Warps expected, 0 if no count was given.
    pub expected: Bits<CW>,
    /// Warps arrived.
    pub count: Bits<CW>,
}

/// The row of the operation in the lookup stage, compared with the operation.
#[payload]
pub struct RowMatch {
    /// The row is open, and the operation adds to it (a Write to Barrier replaces it).
    pub adds_to_row: Bit,
    /// The row has another expected count or another reduction than the operation.
    pub row_mismatch: Bit,
}

/// The sizes of a launch.
#[payload]
pub struct Sizes<CW, IW> {
    /// Barriers declared.
    pub barriers: Bits<IW>,
    /// Warps launched.
    pub warps: Bits<CW>,
}

/// Warps that have not exited.
#[payload]
pub struct LiveWarps<CW> {
    /// Number of live warps minus 1.
    pub live_minus_one: Bits<CW>,
    /// Number of live warps.
    pub live: Bits<CW>,
}

/// The warp of the operation in the lookup stage.
#[payload]
pub struct OpWarp<W> {
    /// The warp, one-hot; for a Release the mask of its CTA.
    pub warp_mask: Bits<W>,
    /// `warp_mask` if the operation makes the warp wait, else 0.
    pub waiter_mask: Bits<W>,
    /// The warp's bit in the arrived mask as read.
    pub raw_arrived: Bit,
    /// Whether the warp has arrived, if `raw_arrived` is 1.
    pub arrived_if_set: Bit,
    /// Whether the warp has arrived, if `raw_arrived` is 0.
    pub arrived_if_clear: Bit,
}

/// The operation in the lookup stage: each part comes from the block that computes it.
#[payload]
pub struct LookupOp<W, LW, CW, LC, IW, AW> {
    pub parts: Parts,
    pub actions: Actions,
    pub op: Op<LW, LC>,
    pub numbers: Numbers<CW, AW>,
    pub operand_fault: OperandFault,
    pub row: Row<CW, AW>,
    pub row_match: RowMatch,
    pub sizes: Sizes<CW, IW>,
    pub live_warps: LiveWarps<CW>,
    pub op_warp: OpWarp<W>,
    pub commit_warp_waits: Bit,
}
