// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the operation in the lookup stage of `named`. The commit stage has some of them a cycle later.

use crate::prelude::*;

/// The actions of an operation in its last slot; with all bits 0 the operation has no effect.
#[payload]
pub struct Actions {
    /// An operation is in its last or only slot, with or without a fault.
    pub last_slot: Bit,
    /// `last_slot`, and no operation of its warp is in flight afterwards: no Launch, no Release, no Exit with a fault from upstream.
    pub warp_done: Bit,
    /// Sync, Arrive or Reduce without a fault from upstream.
    pub arrives: Bit,
    /// Write to Barrier without a fault from upstream.
    pub writes_row: Bit,
    /// Read without a fault from upstream.
    pub reads: Bit,
    /// Write to Warp without a fault from upstream, in its second slot.
    pub writes_warp: Bit,
    /// Exit without a fault from upstream, in its second slot.
    pub exits: Bit,
    /// Launch without a fault from upstream, in its second slot.
    pub launches: Bit,
    /// Release without a fault from upstream, in its second slot.
    pub releases: Bit,
    /// Sync or Reduce without a fault from upstream: its warp is output as waiting.
    pub waiter: Bit,
    /// The operation's id must be a declared one.
    pub needs_declared_id: Bit,
    /// A clear step, not an operation: its row is cleared.
    pub is_scrub: Bit,
    /// A clear step after a reset: the entry of its CTA slot is cleared too.
    pub clears_cta_entry: Bit,
}

/// The operation in the first of its two slots.
#[payload]
pub struct FirstSlot {
    /// An operation is in the first of its two slots.
    pub occupied: Bit,
    /// An Exit without a fault from upstream is in its first slot.
    pub exit: Bit,
    /// A Launch without a fault from upstream is in its first slot.
    pub launch: Bit,
}

/// The source of an operation, for its fault.
#[payload]
pub struct Origin<LW, LC> {
    /// The fault policy does not apply to the operation: fault `not_resident`, Launch, Release.
    pub exempt: Bit,
    /// The operation belongs to a warp: no Launch, no Release.
    pub has_warp: Bit,
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// CTA slot as given.
    pub cta: Bits<LC>,
    /// Barrier id as given.
    pub id: Bits<4>,
}

/// The state that an operation addresses.
#[payload]
pub struct Target<LC> {
    /// The kind of state word of a Read or Write.
    pub state: StateWord,
    /// CTA slot for tables: as given, or 0 if one slot is built.
    pub table_slot: Bits<LC>,
    /// Barrier id of the row that the operation looks up.
    pub row_id: Bits<4>,
}

/// The operands of an operation for its row.
#[payload]
pub struct RowOperands<CW, AW> {
    /// A count is given, of an arrival or as the expected warps of a barrier state word; or the result of a Write to Warp is of
    /// POPC.
    pub has_count: Bit,
    /// The contribution is ORed into bit 0 of the sum (AND, OR), not added.
    pub merges_contribution: Bit,
    /// Write to Barrier: the row becomes idle.
    pub sets_idle: Bit,
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
}

/// The state of the warp of an operation after the operation.
#[payload]
pub struct WarpState {
    /// The arrived bit of the warp is 1 afterwards.
    pub sets_arrived: Bit,
    /// The warp waits afterwards: Sync, Reduce, or a Write to Warp with that state.
    pub waits: Bit,
    /// Write to Warp: the warp becomes trapped.
    pub sets_trapped: Bit,
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
    /// A warp waits at the row.
    pub has_waiter: Bit,
    /// A count was given for the generation.
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

/// Whether the warp of the operation in the lookup stage has arrived at its row.
#[payload]
pub struct WarpArrival {
    /// The warp's bit in the arrived mask as read.
    pub raw_arrived: Bit,
    /// Whether the warp has arrived, if `raw_arrived` is 1.
    pub arrived_if_set: Bit,
    /// Whether the warp has arrived, if `raw_arrived` is 0.
    pub arrived_if_clear: Bit,
}
