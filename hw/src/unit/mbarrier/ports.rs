// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes of `mbarrier`: the port table of `docs/contract/mbarrier.md`.
//!
//! Channels: `op`, `tx`, `net_out`, `net_in`, `mem_request`, `fault`. Strobes: `tx_done`, `net_ack`, `net_reply`, `mem_response`, `token`,
//! `wake`.
//! Sizes: `W` warps with numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, tick counts of `XL`
//! bits, cluster slot numbers of `KC` bits.

use super::kind::MbarrierKind;
use crate::payload::payload;
use crate::unit::channels::{Destination, Refusal};
use crate::unit::op::FaultCode;
use rust_hdl::prelude::*;

/// An operation of a warp on an mbarrier.
#[payload]
pub struct MbarrierOp<LW, LC, XL> {
    /// Kind of operation.
    pub kind: MbarrierKind,
    /// Fault found upstream; None = the operation is to be executed.
    pub fault: FaultCode,
    /// All executing lanes gave the same operands.
    pub uniform: Bit,
    /// Warp that executes the operation.
    pub warp: Bits<LW>,
    /// CTA slot of the warp.
    pub cta: Bits<LC>,
    /// Shared address of the object: rank in bits 31:24, offset below.
    pub address: Bits<32>,
    /// 1 = the form for shared memory of the cluster, 0 = the local form.
    pub cluster: Bit,
    /// Arrivals of all executing lanes; 2^20 and above are out of range.
    pub count: Bits<21>,
    /// Bytes of all executing lanes; 2^21 - 1 stands for 2^21 - 1 bytes or more.
    pub bytes: Bits<21>,
    /// Waits: parity of the phase to test.
    pub phase: Bit,
    /// TryWait: maximum number of ticks to wait; 0 = no hint.
    pub hint: Bits<XL>,
    /// TryWait: all live lanes of the warp execute the operation.
    pub all_live_lanes: Bit,
    pub destination: Destination,
}

/// Arrivals or completed bytes, from a copy engine or a tensor unit.
#[payload]
pub struct MbarrierTx<LC, XW> {
    /// CTA slot of the object.
    pub cta: Bits<LC>,
    /// Offset of the object divided by 8.
    pub object: Bits<XW>,
    /// Number of arrivals; 0 if bytes are sent.
    pub count: Bits<6>,
    /// Number of bytes that have completed; 0 if arrivals are sent.
    pub bytes: Bits<21>,
}

/// A transfer on `tx` has taken effect, or was refused.
#[payload]
pub struct TxDone<LC> {
    /// CTA slot of the object.
    pub cta: Bits<LC>,
}

/// An operation on an object of another CTA of the cluster.
#[payload]
pub struct NetOut<LC, XW, KC> {
    /// Cluster slot of the CTA that has the object.
    pub cluster: Bits<KC>,
    /// Rank of the CTA that has the object.
    pub rank: Bits<4>,
    /// CTA slot of the sender.
    pub cta: Bits<LC>,
    /// Offset of the object divided by 8.
    pub object: Bits<XW>,
    /// Kind of operation: 2 (Arrive) to 9 (Complete).
    pub kind: MbarrierKind,
    /// Arrivals of all executing lanes, below 2^20.
    pub count: Bits<20>,
    /// Bytes of all executing lanes; 2^21 - 1 stands for 2^21 - 1 bytes or more.
    pub bytes: Bits<21>,
}

/// An operation of another CTA of the cluster on an object of this multiprocessor. The unit `mbarrier` of the sender has sent
/// the operation on its `net_out`.
#[payload]
pub struct NetIn<LC, XW> {
    /// CTA slot of the object.
    pub cta: Bits<LC>,
    /// Offset of the object divided by 8.
    pub object: Bits<XW>,
    /// Kind of operation: 2 (Arrive) to 9 (Complete).
    pub kind: MbarrierKind,
    /// Arrivals of all executing lanes, below 2^20.
    pub count: Bits<20>,
    /// Bytes of all executing lanes; 2^21 - 1 stands for 2^21 - 1 bytes or more.
    pub bytes: Bits<21>,
    /// Code of the network for the sender; this unit returns the code in `net_reply`.
    pub source: Bits<8>,
}

/// An operation of `net_in` has taken effect, or was refused.
#[payload]
pub struct NetReply {
    /// `source` of the operation.
    pub source: Bits<8>,
    /// 1 = no CTA was in the CTA slot of the object.
    pub absent: Bit,
}

/// An operation of `net_out` has taken effect, or was refused.
#[payload]
pub struct NetAck<LC> {
    /// CTA slot of the sender.
    pub cta: Bits<LC>,
    /// 1 = the target CTA was absent: the cluster has no CTA of the rank, or no CTA was in the CTA slot of the object.
    pub absent: Bit,
}

/// A request to shared memory.
#[payload]
pub struct MemRequest<LC, XW> {
    /// 1 = write, 0 = read.
    pub write: Bit,
    /// CTA slot of the shared memory.
    pub cta: Bits<LC>,
    /// Offset of the word divided by 8.
    pub object: Bits<XW>,
    /// Write: the word; read: 0.
    pub data: Bits<64>,
}

/// The answer to a request to shared memory.
#[payload]
pub struct MemResponse {
    /// Read: the word; write: don't care.
    pub data: Bits<64>,
}

/// An operation on an mbarrier has its result.
#[payload]
pub struct MbarrierToken<LW> {
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// The object's word before the operation; 0 if the operation was refused or remote.
    pub word: Bits<64>,
    /// Waits: the phase is complete.
    pub predicate: Bit,
    /// 1 = the operation was refused: its destination registers keep their values.
    pub refused: Bit,
    pub destination: Destination,
}

/// Suspended warps are woken.
#[payload]
pub struct MbarrierWake<W> {
    /// Warps that are woken; 0 while wake_valid is 0.
    #[always]
    pub warps: Bits<W>,
    /// Predicate for these warps: 1 = the phase is complete.
    pub value: Bit,
}

/// A fault: an operation on an mbarrier was refused.
#[payload]
pub struct MbarrierFault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Shared address of the object.
    pub address: Bits<32>,
}
