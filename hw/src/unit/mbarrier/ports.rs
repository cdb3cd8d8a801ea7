// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What travels on the channels and strobes of `mbarrier`, and the kinds of its operations: the port table of `docs/mbarrier.md`.

use crate::payload::payload;
use crate::ports::PortValue;
use crate::unit::channels::{Destination, Refusal};
use crate::unit::op::{port_enum, FaultCode};
use rust_hdl::prelude::*;

port_enum! {
    /// What an operation on an mbarrier does.
    pub enum MbarrierKind {
        /// A new object of n arrivals.
        Init,
        /// No object any more.
        Inval,
        /// n arrivals.
        Arrive,
        /// Bytes are expected, then arrivals.
        ArriveExpect,
        /// Arrivals that must not complete the phase.
        ArriveNoComplete,
        /// As the three before, and n fewer are expected in the phases to come.
        Drop,
        DropExpect,
        DropNoComplete,
        /// Bytes are expected.
        Expect,
        /// Bytes have come.
        Complete,
        /// n more arrivals are pending.
        AddPending,
        /// Whether a phase is over.
        TestWait,
        /// The same, and the warp may be suspended until it is.
        TryWait,
    }
}

/// An operation on an mbarrier: a warp executes it.
#[payload]
pub struct MbarrierOp<LW, LC, XL> {
    /// What it does.
    pub kind: MbarrierKind,
    /// What is wrong with it; none = carry it out.
    pub fault: FaultCode,
    /// All executing lanes gave the same operands.
    pub uniform: Bit,
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Shared address: rank in bits 31:24, offset below.
    pub address: Bits<32>,
    /// 1 = the form for shared memory of the cluster.
    pub cluster: Bit,
    /// Arrivals, of all lanes; 2^20 and above: out of range.
    pub count: Bits<21>,
    /// Bytes, of all lanes; 2^21 - 1: that or more.
    pub bytes: Bits<21>,
    /// Waits: the phase that is asked for.
    pub phase: Bit,
    /// TryWait: most ticks to wait; 0 = no hint.
    pub hint: Bits<XL>,
    /// TryWait: all live lanes of the warp execute it.
    pub whole: Bit,
    pub destination: Destination,
}

/// An arrival or bytes: a copy engine or a tensor unit sends it.
#[payload]
pub struct MbarrierTx<LC, XW> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Offset of the object divided by 8.
    pub object: Bits<XW>,
    /// Arrivals, 0 with bytes.
    pub count: Bits<6>,
    /// Bytes that have come, 0 with arrivals.
    pub bytes: Bits<21>,
}

/// An operation on an object of another CTA of the cluster.
#[payload]
pub struct NetOut<LC, XW, KC> {
    /// Cluster slot.
    pub cluster: Bits<KC>,
    /// Rank of the other CTA.
    pub rank: Bits<4>,
    /// CTA slot of the one that sends it.
    pub cta: Bits<LC>,
    /// Offset of the object divided by 8.
    pub object: Bits<XW>,
    /// What it does.
    pub kind: MbarrierKind,
    /// Arrivals, below 2^20.
    pub count: Bits<20>,
    /// Bytes, of all lanes; 2^21 - 1: that or more.
    pub bytes: Bits<21>,
}

/// The same where it arrives.
#[payload]
pub struct NetIn<LC, XW> {
    /// CTA slot of the object.
    pub cta: Bits<LC>,
    /// Offset of the object divided by 8.
    pub object: Bits<XW>,
    /// What it does.
    pub kind: MbarrierKind,
    /// Arrivals, below 2^20.
    pub count: Bits<20>,
    /// Bytes, of all lanes; 2^21 - 1: that or more.
    pub bytes: Bits<21>,
    /// Where it came from, whatever that means to the network.
    pub source: Bits<8>,
}

/// An operation of `net_in` has had its effect, or was refused.
#[payload]
pub struct NetReply {
    /// As it came.
    pub source: Bits<8>,
    /// 1 = no CTA was there.
    pub absent: Bit,
}

/// An operation of `net_out` has arrived.
#[payload]
pub struct NetAck<LC> {
    /// CTA slot of the one that sent it.
    pub cta: Bits<LC>,
    /// 1 = no CTA was there.
    pub absent: Bit,
}

/// A request to shared memory.
#[payload]
pub struct MemRequest<LC, XW> {
    /// 1 = a write.
    pub write: Bit,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Offset of the word divided by 8.
    pub object: Bits<XW>,
    /// Write: the word; read: 0.
    pub data: Bits<64>,
}

/// A request to shared memory is answered.
#[payload]
pub struct MemResponse {
    /// Read: the word.
    pub data: Bits<64>,
}

/// An operation on an mbarrier has its result.
#[payload]
pub struct MbarrierToken<LW> {
    /// Its warp.
    pub warp: Bits<LW>,
    /// The object's word before the operation; 0 if it was refused.
    pub word: Bits<64>,
    /// Waits: the phase is over.
    pub predicate: Bit,
    /// It was refused: registers keep their values.
    pub refused: Bit,
    pub destination: Destination,
}

/// Suspended warps go on.
#[payload]
pub struct MbarrierWake<W> {
    /// The warps; 0 without wake_valid.
    #[always]
    pub warps: Bits<W>,
    /// Their predicate: 1 = the phase is over.
    pub value: Bit,
}

/// A fault: an operation on an mbarrier was refused.
#[payload]
pub struct MbarrierFault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Shared address of the object.
    pub address: Bits<32>,
}
