// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What comes of operations: releases, results, faults, and what the units say of the warps to each other.

use super::Destination;
use crate::payload::payload;
use crate::unit::op::{FaultCode, Reduction};
use rust_hdl::prelude::*;

/// A deadlock: no warp of the CTA can ever go on.
#[payload]
pub struct DeadCta<LC> {
    /// The CTA slot that is dead.
    pub cta: Bits<LC>,
}

/// A second id without a count is open in a CTA.
#[payload]
pub struct ImplicitConflict<LC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
}

/// A barrier has completed.
#[payload]
pub struct Release<W, LC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
    /// Its id.
    pub id: Bits<4>,
    /// The warps that waited at it and go on; 0 without release_valid.
    #[always]
    pub warps: Bits<W>,
    /// What was reduced, if anything.
    pub reduction: Reduction,
    /// Its result: 0 or 1 for and and or, the number for popc.
    pub value: Bits<12>,
}

/// An operation has its effects: what becomes of its warps, who are stopped or not. All but the warps is 0 without commit_valid.
#[payload]
pub struct StopChange<W> {
    /// The bit of its warp; Release: the warp slots of the CTA.
    pub warps: Bits<W>,
    /// It is refused, and the fault policy applies to its warp.
    #[always]
    pub refused: Bit,
    /// A state word says that its warp is trapped.
    #[always]
    pub traps: Bit,
    /// A state word says that its warp is not trapped any more.
    #[always]
    pub frees: Bit,
    /// It is a Release.
    #[always]
    pub leaves: Bit,
}

/// An operation has its effects. All but the warps is 0 without commit_valid.
#[payload]
pub struct Commit<W> {
    pub change: StopChange<W>,
    /// It is one of a warp, and no Exit that was refused upstream: nothing of its warp is on its way any more.
    #[always]
    pub settles: Bit,
}

/// An operation of a warp has its effect in a unit beside `named`, or is refused there. All is 0 without commit_valid.
#[payload]
pub struct UnitCommit<W> {
    /// The bit of its warp.
    #[always]
    pub warps: Bits<W>,
    /// It is refused, and the fault policy applies to its warp.
    #[always]
    pub refused: Bit,
}

/// Warps go on behind their waits.
#[payload]
pub struct Woken<W> {
    /// The warps; 0 without release_valid.
    #[always]
    pub warps: Bits<W>,
}

/// A Read has its result.
#[payload]
pub struct ReadResult<LW> {
    /// Its warp.
    pub warp: Bits<LW>,
    /// Value for the destination register.
    pub value: Bits<32>,
    /// Value for the destination predicate.
    pub predicate: Bit,
}

/// A B2R has its result: that of a Read, with its destination.
#[payload]
pub struct Writeback<LW> {
    pub result: ReadResult<LW>,
    pub destination: Destination,
}

/// Lanes go on, or must issue their instruction again.
#[payload]
pub struct LaneRelease<LW, L> {
    /// Their warp.
    pub warp: Bits<LW>,
    /// The lanes.
    pub mask: Bits<L>,
    /// Those of them that lead (elect).
    pub leaders: Bits<L>,
    /// 1 = they must issue their instruction again.
    pub retry: Bit,
}

/// The last lanes of a warp have exited.
#[payload]
pub struct WarpExit<LW> {
    /// The warp.
    pub warp: Bits<LW>,
}

/// What was refused, and why.
#[payload]
pub struct Refusal<LW, LC> {
    /// What was wrong.
    pub code: FaultCode,
    /// 1 = an operation of a warp.
    pub has_warp: Bit,
    /// Warp, 0 if the fault has none.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// A fault: an operation on a named barrier was refused, or a barrier left open.
#[payload]
pub struct NamedFault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Barrier id.
    pub id: Bits<4>,
}

/// A fault: an operation was refused, or a CTA is dead.
#[payload]
pub struct Fault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Barrier id; 0 of mbarrier's faults.
    pub id: Bits<5>,
    /// Mbarrier: shared address of the object, else 0.
    pub address: Bits<32>,
}

/// What the barriers say of the warps to what comes in.
#[payload]
pub struct BarrierStatus<W> {
    /// Warps that wait at a barrier of either kind or are stopped.
    pub halted: Bits<W>,
    /// Of `mem_order`: as its ports.
    pub held: Bits<W>,
    pub crowded: Bits<W>,
    pub full: Bits<W>,
    pub parked: Bits<W>,
    /// The warp of which an operation was parked, or had its effects without being parked before.
    pub op_done: Bits<W>,
    /// Rows are being cleared.
    pub clearing: Bit,
    /// A launch goes into `named`; a release without fault.
    pub launches: Bit,
    pub releases: Bit,
}

/// What comes in says of the warps to the barriers, and outside.
#[payload]
pub struct IssueStatus<W> {
    /// Warps launched and not gone.
    pub live: Bits<W>,
    /// Warps that have live lanes, all of which wait for other lanes.
    pub gathering: Bits<W>,
    /// Warps that may not issue.
    pub blocked: Bits<W>,
    /// Warps that may not even read or write state.
    pub busy: Bits<W>,
}
