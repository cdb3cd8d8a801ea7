// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions, and the operations that they become.
//!
//! An operation grows and shrinks on its way: `decode` and `cta_table` make it, `gather` makes one warp's out of its lanes', `mem_order` takes
//! what no unit behind it needs. Its parts are payloads of their own, so that a unit passes on as one value what it does not look at.

use crate::payload::payload;
use crate::unit::mbarrier::ports::MbarrierKind;
use crate::unit::op::{FaultCode, Form, OpKind, RedOp, StateWord};
use rust_hdl::prelude::*;

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
    /// Reduce: what is to be reduced; mbarrier: popc.
    #[when(kind = [Reduce, Mbarrier])]
    pub redop: RedOp,
    /// Read, write: which state.
    #[when(kind = [Read, Write])]
    pub state: StateWord,
    /// Write: the state word; mbarrier: the shared address; gateway: the message, in which bit 13 says that it is a wait.
    #[when(kind = [Write, Mbarrier, Gateway])]
    pub data: Bits<32>,
}

/// What an instruction says of an mbarrier.
#[payload]
pub struct MbarrierRequest {
    /// Mbarrier: what it does to the object.
    pub mbarrier: MbarrierKind,
    /// Mbarrier: arrivals or bytes of one lane, 2^21 - 1: that or more; try_wait: the hint in ticks.
    pub number: Bits<21>,
    /// Mbarrier: the phase that a wait asks for.
    pub phase: Bit,
    /// Mbarrier: 1 = the form for shared memory of the cluster.
    pub cluster: Bit,
}

/// Where a result goes.
#[payload]
pub struct Destination {
    /// Destination register, of a token the first of two; 255 = none.
    pub rd: Bits<8>,
    /// Destination predicate; 7 = none.
    pub pu: Bits<3>,
}

/// The numbers of a launch.
#[payload]
pub struct CtaSizes<CW> {
    /// Launch: warps launched.
    #[when(kind: OpKind = [Launch])]
    pub warps: Bits<CW>,
    /// Launch: warps that have not exited.
    #[when(kind: OpKind = [Launch])]
    pub live: Bits<CW>,
    /// Launch: barriers declared, 0 to 16; with a gateway to 32.
    #[when(kind: OpKind = [Launch])]
    pub barriers: Bits<6>,
}

/// What stands beside the stream of operations, in `cta_table`, for the launch and the release that are on their way.
#[payload]
pub struct Beside<CW> {
    pub sizes: CtaSizes<CW>,
    /// Release: open barriers were saved and are no fault.
    pub saved: Bit,
}

/// The lanes of a warp that execute an operation.
#[payload]
pub struct LaneSet<L> {
    /// Arrivals: what is asked of the warp's lanes.
    #[when(kind: OpKind = [Sync, Arrive, Reduce, ClusterArrive, ClusterArriveRelaxed, ClusterWait])]
    pub form: Form,
    /// Executing lanes; exit: the lanes that exit; launch: the live lanes of the last warp.
    pub lanes: Bits<L>,
    /// Reduce: executing lanes whose predicate is true; mbarrier: all executing lanes.
    #[when(kind: OpKind = [Reduce, Mbarrier])]
    pub votes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    #[when(form = [WarpSync, Elect])]
    pub members: Bits<L>,
}

/// An operation: what comes out of `cta_table`, an exit, a launch or a release.
#[payload]
pub struct CtaOp<W, LW, LC, L> {
    /// Exit, launch or release.
    pub kind: OpKind,
    /// What is wrong with it; none = carry it out.
    pub fault: FaultCode,
    /// Exit: warp.
    #[when(kind = [Exit])]
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Launch, release: the CTA's warp slots.
    #[when(kind = [Launch, Release])]
    pub mask: Bits<W>,
    /// Exit: the lanes; launch: the live lanes of the last warp.
    #[when(kind = [Exit, Launch])]
    pub lanes: Bits<L>,
}

/// An operation: what `decode` made of an instruction.
#[payload]
pub struct DecodedOp<LW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    pub lane_set: LaneSet<L>,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: an arrival that waits for the accesses before it.
    #[when(kind: OpKind = [Mbarrier])]
    pub release: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An operation: one of lanes, on its way into `gather`.
#[payload]
pub struct LaneOp<W, LW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    /// Launch, release: the CTA's warp slots.
    #[when(kind: OpKind = [Launch, Release])]
    pub mask: Bits<W>,
    pub lane_set: LaneSet<L>,
    /// 1 = from an instruction.
    pub counted: Bit,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: an arrival that waits for the accesses before it.
    #[when(kind: OpKind = [Mbarrier])]
    pub release: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An operation: one of a warp, as `gather` and `mem_order` pass it on.
#[payload]
pub struct StreamOp<W, LW, LC, VW> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    /// Reduce: the warp's contribution; mbarrier: how many lanes execute it.
    #[when(kind: OpKind = [Reduce, Mbarrier])]
    pub value: Bits<VW>,
    /// Launch, release: the CTA's warp slots.
    #[when(kind: OpKind = [Launch, Release])]
    pub mask: Bits<W>,
}

/// An operation: one of `named`.
#[payload]
pub struct NamedOp<W, LW, CW, LC, VW> {
    pub op: StreamOp<W, LW, LC, VW>,
    pub sizes: CtaSizes<CW>,
    /// Release: open barriers were saved and are no fault.
    #[when(kind: OpKind = [Release])]
    pub saved: Bit,
}

/// An operation: one of a warp with its contribution, on its way from `gather` into `mem_order`.
#[payload]
pub struct WarpOp<W, LW, LC, VW> {
    pub op: StreamOp<W, LW, LC, VW>,
    /// 1 = caused by an instruction.
    pub counted: Bit,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: an arrival that waits for the accesses before it.
    #[when(kind: OpKind = [Mbarrier])]
    pub release: Bit,
    /// Mbarrier: its lanes are all live lanes of the warp.
    #[when(kind: OpKind = [Mbarrier])]
    pub whole: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An operation: one that waits for no memory access any more, on its way out of `mem_order`.
#[payload]
pub struct OrderedOp<W, LW, LC, VW> {
    pub op: StreamOp<W, LW, LC, VW>,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: its lanes are all live lanes of the warp.
    #[when(kind: OpKind = [Mbarrier])]
    pub whole: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An operation of a CTA comes into the stream.
#[payload]
pub struct OfCta<LC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
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
