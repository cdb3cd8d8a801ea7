// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of an operation in its stored form, in which two fields share their bits if no kind of operation uses both: see
//! `fold`.

use crate::prelude::*;

/// The fields of an operation except its warp and lanes.
#[payload]
pub struct OpFields<W, LC> {
    pub request: Request<LC>,
    /// Launch, Release: warp slots of the CTA.
    pub mask: Bits<W>,
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: all live lanes of the warp execute the operation.
    pub all_live_lanes: Bit,
    pub destination: Destination,
}

/// The stored fields of every operation.
#[payload]
pub struct Body<LC> {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<LC>,
    pub id: Bits<4>,
    pub redop: RedOp,
    pub state: StateWord,
    /// Arrivals: bits 11:0 the count, 19:12 the contribution to a reduction; Read: bits 7:0 the destination register rd, 10:8
    /// the destination predicate pu; Launch, Release: warp slots 31:0; all others: data.
    pub shared_bits: Bits<32>,
}

/// The stored fields that only an mbarrier operation has.
#[payload]
pub struct MbarrierBody {
    pub number: Bits<21>,
    pub destination: Destination,
    pub mbarrier: MbarrierKind,
    pub phase: Bit,
    pub cluster: Bit,
    pub all_live_lanes: Bit,
}

/// An operation in its stored form.
#[payload]
pub struct Folded<W, LC> {
    pub body: Body<LC>,
    pub mbarrier_body: MbarrierBody,
    /// Launch, Release: the CTA's warp slots from 32 on, each at the bit with its number; bits 31:0 are 0.
    pub upper_mask: Bits<W>,
}
