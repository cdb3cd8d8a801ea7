// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads between the blocks of `gateway`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use crate::prelude::*;

/// The actions of an operation that enters without a fault. If all bits are 0, there is no operation, or the operation has no effect.
#[payload]
pub struct Actions {
    /// The operation is a Signal without a fault from upstream.
    pub signals: Bit,
    /// The operation is a Wait without a fault from upstream.
    pub waits: Bit,
    /// The operation is a Launch without a fault.
    pub launches: Bit,
    /// The operation is a Release without a fault.
    pub cta_release: Bit,
}

/// A row to clear, one cycle after entry.
#[payload]
pub struct Clearing {
    /// The stage has a row to clear, not an operation.
    pub scrub: Bit,
    /// 1: the row is cleared after reset, when all rows are cleared. With the first row of a CTA slot, the entry of the CTA slot in
    /// `ctas` is also cleared. 0: the row is cleared after a Release.
    pub all_slots: Bit,
}

/// The source of an operation.
#[payload]
pub struct Origin<LW, LC> {
    /// The operation belongs to a warp: it is not a Launch, a Release or a row to clear.
    pub has_warp: Bit,
    /// 1: once the operation takes effect, no operation of its warp is in flight. 0: an Exit with a fault, or no operation of a
    /// warp.
    pub warp_done: Bit,
    /// Warp of the operation; 0 for a row to clear.
    pub warp: Bits<LW>,
    /// CTA slot of the operation, or of the row to clear.
    pub cta: Bits<LC>,
}

/// The counts of a Launch, as given at the port.
#[payload]
pub struct LaunchCounts<CW> {
    /// Number of warps launched.
    pub warps: Bits<CW>,
    /// Number of barriers declared.
    pub barriers: Bits<6>,
}

/// The counts of the latest launch in a CTA slot.
#[payload]
pub struct Group<CW, IW> {
    /// Number of warps launched.
    pub warps: Bits<CW>,
    /// Number of barriers declared; if more are declared than built, the number that is built.
    pub barriers: Bits<IW>,
}

/// The row of a barrier. While no phase is open, the row's four numbers, `producers` and `consumers` are 0.
#[payload]
pub struct Row<W, CW> {
    /// A phase is open: a warp has signalled.
    pub open: Bit,
    /// Number of participating producers.
    pub producers_expected: Bits<CW>,
    /// Number of participating consumers.
    pub consumers_expected: Bits<CW>,
    /// Number of producers that have signalled.
    pub producers_signalled: Bits<CW>,
    /// Number of consumers that have signalled.
    pub consumers_signalled: Bits<CW>,
    /// Warps that have signalled as producers.
    pub producers: Bits<W>,
    /// Warps that have signalled as consumers.
    pub consumers: Bits<W>,
    /// Mask of warps. The bit of a warp in `consumers` is 1 if the warp waits; the bit of any other warp is 1 if
    /// the warp is notified.
    pub waiting_or_notified: Bits<W>,
}

/// Whether a row is in use: a phase is open, or a warp is notified.
#[payload]
pub struct RowUse {
    /// The row was in use before the operation.
    pub before: Bit,
    /// The row is in use after the operation.
    pub after: Bit,
}

/// The effects of an operation in cycle e. If all bits are 0, the operation has no effect.
#[payload]
pub struct Effects {
    /// The operation is a Signal or Wait that is not refused.
    pub changes: Bit,
    /// The operation is a Signal that completes the phase.
    pub completes: Bit,
    /// The operation is a Wait that takes its notification.
    pub takes_notification: Bit,
    /// The operation is a Wait whose warp now waits.
    pub waits: Bit,
    /// The operation is a Release that is not refused.
    pub cta_release: Bit,
}

/// Whether an operation in cycle e is refused, and its fault.
#[payload]
pub struct Verdict {
    /// The operation is refused.
    pub refused: Bit,
    /// Fault of the operation.
    pub fault: FaultCode,
}

/// The consumers of a phase that is complete.
#[payload]
pub struct PhaseConsumers<W> {
    /// All consumers of the phase; meaningless if the phase is not complete.
    pub notified_warps: Bits<W>,
    /// The consumers of the phase that wait; meaningless if the phase is not complete.
    pub woken_warps: Bits<W>,
}
