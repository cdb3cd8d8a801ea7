// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions, and the operations that they become.
//!
//! The fields of an operation change along its path: `decode` and `cta_table` make the operation, `gather` merges the operations of
//! a warp's lanes into one operation of the warp, and `mem_order` drops the fields that no downstream unit needs. The parts of an
//! operation are separate payloads, so a unit can pass a part on as one value without reading its fields.

use crate::payload::payload;
use crate::unit::mbarrier::kind::MbarrierKind;
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

/// An instruction that a warp issues.
#[payload]
pub struct Instruction<LW, L> {
    pub word: InstructionWord,
    /// Warp that issues the instruction.
    pub warp: Bits<LW>,
    /// How the lanes of the warp take part.
    pub form: Form,
    /// WarpSync, Elect: the lanes that wait for each other.
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
    /// All executing lanes hold equal values in `ra`, and equal values in `rb`.
    pub uniform: Bit,
}

/// What an operation does, with all fields that come from its instruction.
#[payload]
pub struct Request<LC> {
    /// Kind of operation.
    pub kind: OpKind,
    /// Fault found upstream; None = the operation is to be executed.
    pub fault: FaultCode,
    /// 1 = all executing lanes gave equal operands.
    pub uniform: Bit,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<4>,
    /// Number of participating threads; 0 = none given.
    #[when(kind = [Sync, Arrive, Reduce])]
    pub count: Bits<12>,
    /// Reduce: the kind of reduction; mbarrier: Popc, by which `gather` counts the lanes.
    #[when(kind = [Reduce, Mbarrier])]
    pub redop: RedOp,
    /// Read, write: the kind of state word.
    #[when(kind = [Read, Write])]
    pub state: StateWord,
    /// Write: the state word; mbarrier: the shared address; gateway: the message, whose bit 13 is 1 for a wait.
    #[when(kind = [Write, Mbarrier, Gateway])]
    pub data: Bits<32>,
}

/// The fields of an operation on an mbarrier that come from its MBAR instruction.
#[payload]
pub struct MbarrierRequest {
    /// Mbarrier: kind of the operation on the object.
    pub mbarrier: MbarrierKind,
    /// Mbarrier: arrivals or bytes that one lane gives, 2^21 - 1 = this number or more; TryWait: the hint in ticks.
    pub number: Bits<21>,
    /// Mbarrier: parity of the phase that a wait tests.
    pub phase: Bit,
    /// Mbarrier: 1 = the form for shared memory of the cluster, 0 = the local form.
    pub cluster: Bit,
}

/// The destination of a result.
#[payload]
pub struct Destination {
    /// Destination register (of a token: the first of two); 255 = none.
    pub rd: Bits<8>,
    /// Destination predicate; 7 = none.
    pub pu: Bits<3>,
}

/// The counts of a launch.
#[payload]
pub struct CtaSizes<CW> {
    /// Launch: number of warps launched.
    #[when(kind: OpKind = [Launch])]
    pub warps: Bits<CW>,
    /// Launch: number of warps that have not exited.
    #[when(kind: OpKind = [Launch])]
    pub live: Bits<CW>,
    /// Launch: number of barriers declared; a number above BARRIERS counts as BARRIERS.
    #[when(kind: OpKind = [Launch])]
    pub barriers: Bits<6>,
}

/// Values of a Launch or Release that are not fields of its operation: they pass from `cta_table` to `dispatch` beside the
/// operation.
#[payload]
pub struct Sideband<CW> {
    /// The counts of the launch.
    pub sizes: CtaSizes<CW>,
    /// Release: the state of the CTA's open barriers was saved, so open barriers are not a fault.
    pub saved: Bit,
}

/// The lanes of a warp that execute an operation.
#[payload]
pub struct LaneSet<L> {
    /// Arrivals: how the lanes of the warp take part.
    #[when(kind: OpKind = [Sync, Arrive, Reduce, ClusterArrive, ClusterArriveRelaxed, ClusterWait])]
    pub form: Form,
    /// Executing lanes; exit: the lanes that exit; launch: the live lanes of the last warp.
    pub lanes: Bits<L>,
    /// Reduce: executing lanes whose predicate is true; mbarrier: all executing lanes.
    #[when(kind: OpKind = [Reduce, Mbarrier])]
    pub votes: Bits<L>,
    /// WarpSync, Elect: the lanes that wait for each other.
    #[when(form = [WarpSync, Elect])]
    pub members: Bits<L>,
}

/// An operation in the form that `cta_table` outputs: an exit, a launch or a release.
#[payload]
pub struct CtaOp<W, LW, LC, L> {
    /// Kind of operation: Exit, Launch or Release.
    pub kind: OpKind,
    /// Fault found upstream; None = the operation is to be executed.
    pub fault: FaultCode,
    /// Exit: the warp.
    #[when(kind = [Exit])]
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Launch, release: warp slots of the CTA.
    #[when(kind = [Launch, Release])]
    pub mask: Bits<W>,
    /// Exit: the lanes that exit; launch: the live lanes of the last warp.
    #[when(kind = [Exit, Launch])]
    pub lanes: Bits<L>,
}

/// An operation in the form that `decode` outputs, from an instruction.
#[payload]
pub struct DecodedOp<LW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    pub lane_set: LaneSet<L>,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: 1 = the operation is an arrival that waits for earlier accesses of its warp.
    #[when(kind: OpKind = [Mbarrier])]
    pub release: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An operation of some lanes of a warp, at the input of `gather`.
#[payload]
pub struct LaneOp<W, LW, LC, L> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    /// Launch, release: warp slots of the CTA.
    #[when(kind: OpKind = [Launch, Release])]
    pub mask: Bits<W>,
    pub lane_set: LaneSet<L>,
    /// 1 = from an instruction, 0 = from `cta_table`.
    pub from_instr: Bit,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: 1 = the operation is an arrival that waits for earlier accesses of its warp.
    #[when(kind: OpKind = [Mbarrier])]
    pub release: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// The fields of a warp's operation that both `gather` and `mem_order` pass on.
#[payload]
pub struct StreamOp<W, LW, LC, VW> {
    pub request: Request<LC>,
    /// Warp.
    pub warp: Bits<LW>,
    /// Reduce: contribution of the warp; mbarrier: number of lanes that execute the operation.
    #[when(kind: OpKind = [Reduce, Mbarrier])]
    pub value: Bits<VW>,
    /// Launch, release: warp slots of the CTA.
    #[when(kind: OpKind = [Launch, Release])]
    pub mask: Bits<W>,
}

/// An operation for `named`.
#[payload]
pub struct NamedOp<W, LW, CW, LC, VW> {
    pub op: StreamOp<W, LW, LC, VW>,
    pub sizes: CtaSizes<CW>,
    /// Release: the state of the CTA's open barriers was saved, so open barriers are not a fault.
    #[when(kind: OpKind = [Release])]
    pub saved: Bit,
}

/// An operation of a warp, between `gather` and `mem_order`.
#[payload]
pub struct WarpOp<W, LW, LC, VW> {
    pub op: StreamOp<W, LW, LC, VW>,
    /// 1 = caused by an instruction, 0 = by `cta_table`.
    pub from_instr: Bit,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: 1 = the operation is an arrival that waits for earlier accesses of its warp.
    #[when(kind: OpKind = [Mbarrier])]
    pub release: Bit,
    /// Mbarrier: all live lanes of the warp execute the operation.
    #[when(kind: OpKind = [Mbarrier])]
    pub all_live_lanes: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An operation that no longer waits for memory accesses, at the output of `mem_order`.
#[payload]
pub struct OrderedOp<W, LW, LC, VW> {
    pub op: StreamOp<W, LW, LC, VW>,
    #[when(kind: OpKind = [Mbarrier])]
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: all live lanes of the warp execute the operation.
    #[when(kind: OpKind = [Mbarrier])]
    pub all_live_lanes: Bit,
    #[when(kind: OpKind = [Read, Mbarrier])]
    pub destination: Destination,
}

/// An mbarrier operation between `dispatch` and `lane_numbers`. `number` in `mbarrier_request` is for one lane; `lane_numbers` multiplies
/// `number` by the number of lanes.
#[payload]
pub struct LaneRequest<LW, LC, VW> {
    pub mbarrier_request: MbarrierRequest,
    /// Fault found upstream; None = the operation is to be executed.
    pub fault: FaultCode,
    /// All executing lanes gave equal operands.
    pub uniform: Bit,
    pub warp: Bits<LW>,
    pub cta: Bits<LC>,
    pub address: Bits<32>,
    /// Number of lanes that execute the operation.
    pub lanes: Bits<VW>,
    /// All live lanes of the warp execute the operation.
    pub all_live_lanes: Bit,
    pub destination: Destination,
}

/// An operation enters `gather`; the payload is its CTA slot.
#[payload]
pub struct OpCta<LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// An operation enters `named` or `gateway`.
#[payload]
pub struct Entered<LC> {
    /// Kind of operation.
    pub kind: OpKind,
    /// Fault of the operation; None = no fault.
    pub fault: FaultCode,
    /// CTA slot.
    pub cta: Bits<LC>,
}
