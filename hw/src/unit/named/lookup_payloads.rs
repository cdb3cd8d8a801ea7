// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the operation in the lookup stage of `named`. The commit stage has some of these payloads one cycle later.
//! Sizes: counts of warps of `CW` bits, warp numbers of `LW` bits, CTA slot numbers of `LC` bits, counts of barriers of `IW` bits,
//! sums of a reduction of `AW` bits.

use crate::prelude::*;

/// The actions of an operation in its last (or only) lookup cycle. If all bits are 0, there is no effect.
#[payload]
pub struct Actions {
    /// An operation is in its last or only lookup cycle, with or without a fault.
    pub last_slot: Bit,
    /// 1: once the operation in its last lookup cycle takes effect, no operation of its warp is in flight. 0: a Launch, a Release,
    /// or an Exit with a fault from upstream.
    pub warp_done: Bit,
    /// Sync, Arrive or Reduce without a fault from upstream.
    pub arrives: Bit,
    /// Write to Barrier without a fault from upstream.
    pub writes_row: Bit,
    /// Read without a fault from upstream.
    pub reads: Bit,
    /// Write to Warp without a fault from upstream, in its second lookup cycle.
    pub writes_warp: Bit,
    /// Exit without a fault from upstream, in its second lookup cycle.
    pub exits: Bit,
    /// Launch without a fault from upstream, in its second lookup cycle.
    pub launches: Bit,
    /// Release without a fault from upstream, in its second lookup cycle.
    pub releases: Bit,
    /// Sync or Reduce without a fault from upstream: `waiting` includes its warp already in the lookup stage.
    pub waiter: Bit,
    /// An arrival, a Write to Barrier or a Read of Barrier without a fault from upstream: its barrier id must be declared.
    pub needs_declared_id: Bit,
    /// A clear step, not an operation: its row is cleared.
    pub is_scrub: Bit,
    /// A clear step after a reset: the entry of its CTA slot is cleared too.
    pub clears_cta_entry: Bit,
}

/// The operation in the first of its two lookup cycles.
#[payload]
pub struct FirstSlot {
    /// An operation is in the first of its two lookup cycles.
    pub occupied: Bit,
    /// An Exit without a fault from upstream is in its first lookup cycle.
    pub exit: Bit,
    /// A Launch without a fault from upstream is in its first lookup cycle.
    pub launch: Bit,
}

/// The source of an operation, for its fault.
#[payload]
pub struct Origin<LW, LC> {
    /// The fault policy does not apply to the operation: it is a Launch or a Release, or has the fault `not_resident`.
    pub exempt: Bit,
    /// The operation belongs to a warp: it is neither a Launch nor a Release.
    pub has_warp: Bit,
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// CTA slot as given at the port.
    pub cta: Bits<LC>,
    /// Barrier id as given at the port.
    pub id: Bits<4>,
}

/// The state that an operation addresses.
#[payload]
pub struct Target<LC> {
    /// The kind of state word of a Read or Write.
    pub state: StateWord,
    /// CTA slot as the address of tables: as given at the port, or 0 if only one CTA slot is built.
    pub table_slot: Bits<LC>,
    /// Barrier id of the row that the operation looks up.
    pub row_id: Bits<4>,
}

/// The operands of an operation for its row.
#[payload]
pub struct RowOperands<CW, AW> {
    /// Arrival: a count is given. Write to Barrier: the state word has a number of expected warps. Write to Warp: the result is of
    /// POPC.
    pub has_count: Bit,
    /// 1: the contribution is ORed into bit 0 of the sum (AND, OR). 0: the contribution is added to the sum.
    pub merges_contribution: Bit,
    /// Write to Barrier: the row becomes idle.
    pub sets_idle: Bit,
    /// Number of warps that are expected; 0 if no count is given.
    pub op_expected: Bits<CW>,
    /// Number of warps that are expected, minus 1: once this many warps have arrived, the next arrival completes the row.
    pub expected_minus_one: Bits<CW>,
    /// Number of warps that arrive: 1 for an arrival, the number in the state word for a Write to Barrier.
    pub arrivals: Bits<CW>,
    /// The contribution to the sum.
    pub contribution: Bits<AW>,
    /// The reduction to which the contribution belongs; for a Write to Warp, the reduction of the result in its state word.
    pub op_reduction: Reduction,
}

/// The state of the warp of an operation after the operation.
#[payload]
pub struct WarpState {
    /// The arrived bit of the warp is 1 after the operation.
    pub sets_arrived: Bit,
    /// The warp waits after the operation: a Sync, a Reduce, or a Write to Warp whose state word has the waiting bit.
    pub waits: Bit,
    /// Write to Warp: the warp becomes trapped.
    pub sets_trapped: Bit,
}

/// A fault that the operands alone determine.
#[payload]
pub struct OperandFault {
    /// Code of the fault.
    pub fault: FaultCode,
    /// There is a fault.
    pub has_fault: Bit,
}

/// A row. If `open` is 0, all other fields are stale and ignored.
#[payload]
pub struct Row<CW, AW> {
    /// A generation of the row has begun and is not complete.
    pub open: Bit,
    /// A warp waits at the row.
    pub has_waiter: Bit,
    /// A count was given for the generation.
    pub with_count: Bit,
    /// Sum of the contributions. For AND it is 1 if a predicate was false.
    pub sum: Bits<AW>,
    /// The reduction of the generation.
    pub reduction: Reduction,
    /// Number of warps expected; 0 if no count was given.
    pub expected: Bits<CW>,
    /// Number of warps that have arrived.
    pub count: Bits<CW>,
}

/// The row of the operation in the lookup stage, compared with the operation.
#[payload]
pub struct RowMatch {
    /// The row is open, and the operation adds to it: it is not a Write to Barrier, which replaces the row.
    pub adds_to_row: Bit,
    /// The row's number of expected warps, or its reduction, differs from that of the operation.
    pub row_mismatch: Bit,
}

/// The sizes of a CTA, as its Launch gives them.
#[payload]
pub struct Sizes<CW, IW> {
    /// Number of barriers declared, at most the number that is built.
    pub barriers: Bits<IW>,
    /// Number of warps launched.
    pub warps: Bits<CW>,
}

/// The number of warps of a CTA that have not exited.
#[payload]
pub struct LiveWarps<CW> {
    /// Number of live warps minus 1.
    pub live_minus_one: Bits<CW>,
    /// Number of live warps.
    pub live: Bits<CW>,
}

/// Whether the warp of the operation in the lookup stage has arrived at the operation's row. `raw_arrived` selects which of the
/// other two bits is valid.
#[payload]
pub struct WarpArrival {
    /// The warp's bit in the arrived mask as read.
    pub raw_arrived: Bit,
    /// Whether the warp has arrived, if `raw_arrived` is 1.
    pub arrived_if_set: Bit,
    /// Whether the warp has arrived, if `raw_arrived` is 0.
    pub arrived_if_clear: Bit,
}
