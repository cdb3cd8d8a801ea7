// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What travels on the channels and strobes of the units, in the order of the data's way.
//!
//! An operation grows and shrinks on its way: `decode` and `residency` make it, `gather` makes one warp's out of its lanes', `order` takes
//! what `named` does not need. Its parts are payloads of their own, so that a unit passes on as one value what it does not look at. Sizes have
//! the same names everywhere: `W` warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, `L` lanes, contributions of `VW` bits.

use crate::payload::payload;
use crate::unit::op::{FaultCode, Form, OpKind, RedOp, Reduction, StateWord};
use rust_hdl::prelude::*;

/// A launch: a CTA takes its slot.
#[payload]
pub struct Launch<W, LC, L> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Its warp slots.
    pub warps: Bits<W>,
    /// Those of its warps that have exited already.
    pub exited: Bits<W>,
    /// The live lanes of the last of its warp slots.
    pub lanes: Bits<L>,
    /// Barriers declared, 0 to 16.
    pub barriers: Bits<5>,
}

/// A CTA's release: it gives its slot back.
#[payload]
pub struct Retire<LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Its open barriers were saved and are no fault.
    pub saved: Bit,
}

/// The exit of lanes of a warp.
#[payload]
pub struct Exit<LW, L> {
    /// Warp.
    pub warp: Bits<LW>,
    /// Its lanes that exit.
    pub lanes: Bits<L>,
}

/// A CTA has come: its warps are live.
#[payload]
pub struct LaunchedCta<LC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
}

/// A CTA has gone: its slot and its warp slots are free.
#[payload]
pub struct RetiredCta<LC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
}

/// The 128 bits of an instruction word.
#[payload]
pub struct InstructionWord {
    /// Instruction word, bits 31:0.
    pub word_0: Bits<32>,
    /// Instruction word, bits 63:32.
    pub word_1: Bits<32>,
    /// Instruction word, bits 95:64.
    pub word_2: Bits<32>,
    /// Instruction word, bits 127:96.
    pub word_3: Bits<32>,
}

/// An instruction: a warp issues it.
#[payload]
pub struct Instruction<LW, L> {
    pub word: InstructionWord,
    /// Warp that issues.
    pub warp: Bits<LW>,
    /// What is asked of the warp's lanes.
    pub form: Form,
    /// Warp sync, elect: the lanes that wait for each other.
    #[when(form = [WarpSync, Elect])]
    pub members: Bits<L>,
    /// Active lanes.
    pub active: Bits<L>,
    /// Lanes whose guard predicate is true.
    pub guard: Bits<L>,
    /// Lanes in which the predicate named in bits 100:98 is true, before negation.
    pub predicate: Bits<L>,
    /// Value of the register named in bits 31:24, in the lowest executing lane.
    pub ra: Bits<32>,
    /// Value of the register named in bits 39:32, in the lowest executing lane.
    pub rb: Bits<32>,
    /// All executing lanes hold the same values in these registers.
    pub uniform: Bit,
}

/// What an operation does, and all that an instruction says of it.
#[payload]
pub struct Request<LC> {
    /// What it does.
    pub kind: OpKind,
    /// What is wrong with it; none = carry it out.
    pub fault: FaultCode,
    /// All executing lanes gave the same id, count and state word.
    pub uniform: Bit,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<4>,
    /// Participants in threads; 0 = none given.
    #[when(kind = [Sync, Arrive, Reduce])]
    pub count: Bits<12>,
    /// Reduce: what is to be reduced.
    #[when(kind = [Reduce])]
    pub redop: RedOp,
    /// Read, write: which state.
    #[when(kind = [Read, Write])]
    pub state: StateWord,
    /// Write: the state word.
    #[when(kind = [Write])]
    pub data: Bits<32>,
}

/// Where the result of a Read goes.
#[payload]
pub struct Destination {
    /// Destination register; 255 = none.
    pub rd: Bits<8>,
    /// Destination predicate; 7 = none.
    pub pu: Bits<3>,
}

/// What a launch or a release says of its CTA.
#[payload]
pub struct CtaWarps<W, CW> {
    /// Launch: warps launched.
    pub warps: Bits<CW>,
    /// Launch: warps that have not exited.
    pub live: Bits<CW>,
    /// Launch: barriers declared, 0 to 16.
    pub barriers: Bits<5>,
    /// Launch, release: the CTA's warp slots.
    pub mask: Bits<W>,
    /// Release: open barriers were saved and are no fault.
    pub saved: Bit,
}

/// The lanes of a warp that execute an operation.
#[payload]
pub struct LaneSet<L> {
    /// Arrivals: what is asked of the warp's lanes.
    pub form: Form,
    /// Executing lanes; exit: the lanes that exit; launch: the live lanes of the last warp.
    pub lanes: Bits<L>,
    /// Reduce: executing lanes whose predicate is true.
    pub votes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
}

/// An operation: what comes out of `residency`, an exit, a launch or a release.
#[payload]
pub struct CtaOp<W, LW, CW, LC, L> {
    /// Exit, launch or release.
    pub kind: OpKind,
    /// What is wrong with it; none = carry it out.
    pub fault: FaultCode,
    /// Exit: warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    pub cta_warps: CtaWarps<W, CW>,
    /// Exit: the lanes; launch: the live lanes of the last warp.
    pub lanes: Bits<L>,
}

/// An operation: what `decode` made of an instruction.
#[payload]
pub struct DecodedOp<LW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    pub lane_set: LaneSet<L>,
    pub destination: Destination,
}

/// An operation: one of lanes, on its way into `gather`.
#[payload]
pub struct LaneOp<W, LW, CW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    pub cta_warps: CtaWarps<W, CW>,
    pub lane_set: LaneSet<L>,
    /// 1 = from an instruction.
    pub counted: Bit,
    pub destination: Destination,
}

/// An operation: one of a warp, on its way out of `gather`.
#[payload]
pub struct GatheredOp<W, LW, CW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    pub cta_warps: CtaWarps<W, CW>,
    /// Lanes for which it stands.
    pub lanes: Bits<L>,
    /// Reduce: those of them whose predicate is true.
    pub votes: Bits<L>,
    /// 1 = caused by an instruction.
    pub counted: Bit,
    pub destination: Destination,
}

/// An operation: one of `named`.
#[payload]
pub struct NamedOp<W, LW, CW, LC, VW> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    /// Reduce: the warp's contribution.
    pub value: Bits<VW>,
    pub cta_warps: CtaWarps<W, CW>,
}

/// An operation: one of a warp with its contribution, on its way into `order`.
#[payload]
pub struct WarpOp<W, LW, CW, LC, VW> {
    pub op: NamedOp<W, LW, CW, LC, VW>,
    /// 1 = caused by an instruction.
    pub counted: Bit,
    pub destination: Destination,
}

/// An operation: one that waits for no memory access any more, on its way out of `order`.
#[payload]
pub struct OrderedOp<W, LW, CW, LC, VW> {
    pub op: NamedOp<W, LW, CW, LC, VW>,
    pub destination: Destination,
}

/// A memory access is issued, in its warp's present epoch.
#[payload]
pub struct Issue<LW> {
    /// Its warp.
    pub warp: Bits<LW>,
}

/// A memory access is performed.
#[payload]
pub struct Perform<LW> {
    /// Its warp.
    pub warp: Bits<LW>,
    /// The epoch in which it was issued.
    pub epoch: Bit,
}

/// An operation has entered the barriers.
#[payload]
pub struct Entered<LC> {
    /// What it does.
    pub kind: OpKind,
    /// What was wrong with it.
    pub fault: FaultCode,
    /// Its CTA slot.
    pub cta: Bits<LC>,
}

/// A deadlock: no warp of the CTA can ever go on.
#[payload]
pub struct DeadCta<LC> {
    /// The CTA slot that is dead.
    pub cta: Bits<LC>,
}

/// A second id without a count is open in a CTA.
#[payload]
pub struct Tangle<LC> {
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

/// An operation has its effects: what becomes of its warps, who are stopped or not. All is 0 without commit_valid.
#[payload]
pub struct StopChange<W> {
    /// The bit of its warp; Release: the warp slots of the CTA.
    #[always]
    pub warps: Bits<W>,
    /// It is refused, and the fault policy applies to its warp.
    #[always]
    pub refused: Bit,
    /// A state word says that its warp is trapped, or that it is not.
    #[always]
    pub traps: Bit,
    #[always]
    pub frees: Bit,
    /// It is a Release.
    #[always]
    pub leaves: Bit,
}

/// An operation has its effects. All is 0 without commit_valid.
#[payload]
pub struct Commit<W> {
    pub change: StopChange<W>,
    /// It is one of a warp, and no Exit that was refused upstream: nothing of its warp is on its way any more.
    #[always]
    pub settles: Bit,
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

/// A fault: an operation was refused, or a CTA is dead.
#[payload]
pub struct Fault<LW, LC> {
    /// What was wrong.
    pub code: FaultCode,
    /// Warp, 0 if the fault has none.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<4>,
}

/// What the barriers say of the warps to what comes in.
#[payload]
pub struct BarrierStatus<W> {
    /// Warps that wait at a barrier or are stopped.
    pub halted: Bits<W>,
    /// Of `order`: as its ports.
    pub held: Bits<W>,
    pub full: Bits<W>,
    pub parked: Bits<W>,
    /// The warp of which an operation was parked, or had its effects without being parked before.
    pub settled: Bits<W>,
    /// Rows are being cleared.
    pub clearing: Bit,
    /// A release without fault goes into `named`.
    pub through: Bit,
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
    /// Warps of which an operation has yet to have its effects.
    pub in_flight: Bits<W>,
}
