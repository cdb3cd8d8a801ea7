// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes of `gateway`, and the kinds of its operations: the port table of `docs/contract/gateway.md`.

use crate::payload::payload;
use crate::port_value::PortValue;
use crate::unit::channels::Refusal;
use crate::unit::op::{port_enum, FaultCode};
use rust_hdl::prelude::*;

port_enum! {
    /// Kind of an operation at the gateway.
    pub enum GatewayKind {
        /// The warp signals a barrier.
        Signal,
        /// The warp waits for its notification.
        Wait,
        /// The warp exits.
        Exit,
        /// A CTA takes its CTA slot.
        Launch,
        /// A CTA gives its CTA slot back.
        Release,
        /// Any other operation of a warp. Such an operation has a fault, which the gateway reports.
        Refused,
    }
}

/// The message of a signal or a wait.
#[payload]
pub struct GatewayMessage {
    /// Signal, wait: barrier id.
    pub id: Bits<8>,
    /// Signal: 0 producer and consumer, 1 producer, 2 consumer; 3 is refused.
    pub role: Bits<2>,
    /// Signal: number of participating producers.
    pub producers: Bits<8>,
    /// Signal: number of participating consumers.
    pub consumers: Bits<8>,
}

/// An operation at the gateway: an operation of a warp, or the Launch or Release of a CTA.
#[payload]
pub struct GatewayOp<W, LW, CW, LC> {
    /// Kind of operation.
    pub kind: GatewayKind,
    /// Fault found upstream; None = the gateway executes the operation.
    pub fault: FaultCode,
    /// Signal, wait: all executing lanes gave equal messages.
    #[when(kind = [Signal, Wait])]
    pub uniform: Bit,
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    pub message: GatewayMessage,
    /// Launch: warps launched.
    #[when(kind = [Launch])]
    pub warps: Bits<CW>,
    /// Launch: number of barriers declared; a number above BARRIERS counts as BARRIERS.
    #[when(kind = [Launch])]
    pub barriers: Bits<6>,
    /// Release: the CTA's warp slots.
    #[when(kind = [Release])]
    pub mask: Bits<W>,
}

/// A phase is complete, or a wait has taken its notification.
#[payload]
pub struct Notification<W, LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<5>,
    /// The consumers of the phase that is complete; 0 for a wait, and while release_valid is 0.
    #[always]
    pub notified: Bits<W>,
    /// The warps that resume after their wait; 0 while release_valid is 0.
    #[always]
    pub warps: Bits<W>,
}

/// An operation takes effect, or is refused. All fields are 0 while commit_valid is 0.
#[payload]
pub struct GatewayCommit<W> {
    /// One-hot: warp of the operation; Release: the warp slots of the CTA.
    #[always]
    pub warps: Bits<W>,
    /// An operation of a warp is refused, with any code but `not_resident`: the fault policy applies to the warp.
    #[always]
    pub refused: Bit,
    /// The operation is a Release that is not refused.
    #[always]
    pub cta_release: Bit,
    /// 1: no operation of the warp is in flight any more. 0: a Launch, a Release, or an Exit that was refused upstream.
    #[always]
    pub warp_done: Bit,
}

/// A fault: an operation at the gateway was refused, or a barrier was left open.
#[payload]
pub struct GatewayFault<LW, LC> {
    pub refusal: Refusal<LW, LC>,
    /// Barrier id.
    pub id: Bits<5>,
}
