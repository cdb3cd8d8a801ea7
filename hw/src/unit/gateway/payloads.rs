// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads between the blocks of `gateway`.

use crate::prelude::*;

/// The actions of an operation without a fault from upstream; with all bits 0 the operation has no effect.
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

/// A row that is cleared, in the pipeline.
#[payload]
pub struct Clearing {
    /// There is a row to clear, and no operation.
    pub scrub: Bit,
    /// The row is one of those after reset, when the rows of all CTA slots are cleared; with the first row of a slot, the slot's
    /// entry is also cleared.
    pub all_slots: Bit,
}

/// The source of an operation.
#[payload]
pub struct Origin<LW, LC> {
    /// The operation belongs to a warp: it is not a Launch, a Release or a row to clear.
    pub has_warp: Bit,
    /// Once the operation takes effect, no operation of its warp is in flight any more.
    pub warp_done: Bit,
    /// Warp of the operation; 0 for a row to clear.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// The counts of a Launch, as given.
#[payload]
pub struct LaunchCounts<CW> {
    /// Warps launched.
    pub warps: Bits<CW>,
    /// Barriers declared.
    pub barriers: Bits<6>,
}

/// The counts of the launch in a CTA slot.
#[payload]
pub struct Group<CW, IW> {
    /// Warps launched.
    pub warps: Bits<CW>,
    /// Barriers declared, at most the number that is built.
    pub barriers: Bits<IW>,
}

/// The row of a barrier. While no phase is open its numbers and the two masks of signals are 0.
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
    /// For a warp that has signalled as consumer: it waits. For another warp: it is notified.
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

/// The effects of an operation in its last cycle; with all bits 0 the operation has no effect.
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

/// Whether an operation in its last cycle is refused.
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
    /// If the phase is complete: all its consumers.
    pub notified_warps: Bits<W>,
    /// If the phase is complete: its consumers that wait.
    pub woken_warps: Bits<W>,
}
