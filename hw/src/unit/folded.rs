// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of an operation in its stored form, in which fields that no kind uses together share their bits: see `fold`.

use crate::prelude::*;

/// The fields of an operation except its warp and lanes.
#[payload]
pub struct OpFields<W, LC> {
    pub request: Request<LC>,
    /// Launch, release: the CTA's warps.
    pub mask: Bits<W>,
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: its lanes are all live lanes of the warp.
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
    /// Arrivals: count, and above it 8 bits for the contribution; Read: rd, above it pu; Launch, Release: warps 31:0; others: data.
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
    /// Launch, Release: the warps of the CTA above the lowest 32.
    pub upper_mask: Bits<W>,
}
