// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outcomes of operations: releases, results, faults, and the warp status that the units exchange.

use super::Destination;
use crate::payload::payload;
use crate::unit::op::{FaultCode, Reduction};
use rust_hdl::prelude::*;

/// A CTA is in deadlock: none of its warps can ever resume.
#[payload]
pub struct DeadCta<LC> {
    /// CTA slot of the CTA.
    pub cta: Bits<LC>,
}

/// A second barrier of a CTA was opened without a count: neither of the two barriers can complete.
#[payload]
pub struct ImplicitConflict<LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// A generation of a named barrier is complete.
#[payload]
pub struct Release<W, LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<4>,
    /// Warps that waited at the barrier and resume; 0 while release_valid is 0.
    #[always]
    pub warps: Bits<W>,
    /// Kind of reduction, if any.
    pub reduction: Reduction,
    /// Result of the reduction: 0 or 1 for `and` and `or`; for `popc` the number of true predicates.
    pub value: Bits<12>,
}

/// The part of a commit that changes which warps are stopped. All fields but `warps` are 0 while commit_valid is 0.
#[payload]
pub struct StopChange<W> {
    /// One-hot: warp of the operation; Release: the warp slots of the CTA.
    pub warps: Bits<W>,
    /// An operation of a warp is refused, with any code but `not_resident`: the fault policy applies to the warp.
    #[always]
    pub refused: Bit,
    /// A state word is written that marks the warp as trapped.
    #[always]
    pub traps: Bit,
    /// A state word is written that marks the warp as not trapped.
    #[always]
    pub untraps: Bit,
    /// The operation is a Release that is not refused.
    #[always]
    pub cta_release: Bit,
}

/// An operation takes effect. All fields but `warps` are 0 while commit_valid is 0.
#[payload]
pub struct Commit<W> {
    pub change: StopChange<W>,
    /// 1: no operation of the warp is in flight any more. 0: the operation is a Launch, a Release, or an Exit with an upstream
    /// fault.
    #[always]
    pub warp_done: Bit,
}

/// An operation of a warp takes effect, or is refused: the commit of `mbarrier`, `cluster` and `grid`. All fields are 0 while
/// commit_valid is 0.
#[payload]
pub struct UnitCommit<W> {
    /// One-hot: warp of the operation.
    #[always]
    pub warps: Bits<W>,
    /// The operation is refused, with any code but `not_resident`: the fault policy applies to its warp.
    #[always]
    pub refused: Bit,
}

/// Warps resume after their wait.
#[payload]
pub struct Woken<W> {
    /// Warps that resume; 0 while release_valid is 0.
    #[always]
    pub warps: Bits<W>,
}

/// The result of a Read.
#[payload]
pub struct ReadResult<LW> {
    /// Warp that reads.
    pub warp: Bits<LW>,
    /// Value for the destination register.
    pub value: Bits<32>,
    /// Value for the destination predicate.
    pub predicate: Bit,
}

/// The result of a B2R: the result of its Read, with the destination.
#[payload]
pub struct Writeback<LW> {
    pub result: ReadResult<LW>,
    pub destination: Destination,
}

/// Lanes resume, or must issue their instruction again.
#[payload]
pub struct LaneRelease<LW, L> {
    /// Warp of the lanes.
    pub warp: Bits<LW>,
    /// Lanes that resume, or must issue again.
    pub mask: Bits<L>,
    /// Lanes of the mask that lead an Elect, at most one.
    pub leaders: Bits<L>,
    /// 0 = the lanes resume, 1 = the lanes must issue their instruction again.
    pub retry: Bit,
}

/// The last lanes of a warp have exited.
#[payload]
pub struct WarpExit<LW> {
    /// Warp whose last lanes have exited.
    pub warp: Bits<LW>,
}

/// A fault: the refused operation, and the reason.
#[payload]
pub struct Refusal<LW, LC> {
    /// Fault code.
    pub code: FaultCode,
    /// 1 = the refused operation belongs to a warp.
    pub has_warp: Bit,
    /// Warp; 0 if has_warp is 0.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// A fault: an operation on a named barrier was refused, or a barrier was left open.
#[payload]
pub struct NamedFault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Barrier id.
    pub id: Bits<4>,
}

/// A fault: an operation was refused, or a CTA is in deadlock.
#[payload]
pub struct Fault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Faults of `named` and `gateway`: barrier id; all others: 0.
    pub id: Bits<5>,
    /// Mbarrier: shared address of the object; else 0.
    pub address: Bits<32>,
}

/// The warp status that the backend sends to the frontend.
#[payload]
pub struct BarrierStatus<W> {
    /// Warps that wait at a barrier of any kind, or are stopped.
    pub halted: Bits<W>,
    /// Warps that are fenced, or wait for a parked operation (from `mem_order`).
    pub held_warps: Bits<W>,
    /// Warps at their access limit: too many of their memory accesses are outstanding (from `mem_order`).
    pub access_limit: Bits<W>,
    /// Warps with two or more parked operations (from `mem_order`).
    pub two_parked: Bits<W>,
    /// Warps with a parked operation, with a picked operation that has not taken effect, or that are fenced (from `mem_order`).
    pub parked: Bits<W>,
    /// For one cycle: warps for which one of three events occurs. An operation was parked in the previous cycle; a fence left the
    /// queue of `mem_order` in the previous cycle; an operation that was not parked takes effect.
    pub op_done: Bits<W>,
    /// Rows of barriers are being cleared.
    pub clearing: Bit,
    /// A Launch enters `named`, or `gateway`.
    pub launch_enters: Bit,
    /// A Release without a fault enters `named`, or `gateway`.
    pub release_enters: Bit,
}

/// The warp status that the frontend sends to the backend; also output at ports of `bcu`.
#[payload]
pub struct IssueStatus<W> {
    /// Launched warps that have neither exited nor been retired.
    pub live: Bits<W>,
    /// Warps with at least one live lane, whose live lanes all wait for other lanes of the warp.
    pub gathering: Bits<W>,
    /// Warps that must not issue. B2R, B2R_RESULT and R2B may be issued while the warp's bit in `busy` is 0.
    pub blocked: Bits<W>,
    /// Warps that must not issue even a B2R, B2R_RESULT or R2B: an operation of the warp is in flight.
    pub busy: Bits<W>,
}
