// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `gateway`, with their payloads (`docs/contract/gateway.md`, the port table).

use super::op::{port_enum, Code};
use super::outcome::Fault;
use super::wire::{Fields, PortAction, Value, Walk};

port_enum! {
    /// The kind of an operation, by the value of `op_kind`.
    GatewayKind { Signal, Wait, Exit, Launch, Release, Refused }
}

impl GatewayKind {
    /// Whether a warp executes the operation, in contrast to the host's operations on its CTA.
    pub fn is_of_a_warp(self) -> bool {
        !matches!(self, GatewayKind::Launch | GatewayKind::Release)
    }
}

/// The message of a signal or a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Message {
    pub id: u8,
    /// 0: producer and consumer, 1: producer, 2: consumer.
    pub role: u8,
    pub producers: u8,
    pub consumers: u8,
}

impl Message {
    /// The message in a word: bits 31:24 consumers, 23:16 producers, 15:14 type (`role`), 7:0 id.
    pub fn from_word(word: u32) -> Message {
        let [id, middle, producers, consumers] = word.to_le_bytes();
        Message { id, role: middle >> 6, producers, consumers }
    }

    pub fn produces(self) -> bool {
        self.role < 2
    }

    pub fn consumes(self) -> bool {
        matches!(self.role, 0 | 2)
    }
}

/// An operation for the gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayOp {
    pub kind: GatewayKind,
    pub fault: Code,
    /// All executing lanes gave the same message.
    pub uniform: bool,
    pub warp: u8,
    pub cta: u8,
    pub message: Message,
    /// Launch: warps launched, barriers declared.
    pub warps: u8,
    pub barriers: u8,
    /// Release: the warp slots of the CTA.
    pub mask: u64,
    /// The number of the operation in the stream; it is at no port.
    pub tag: u32,
}

impl GatewayOp {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.choice("fault", &mut self.fault);
        at.field("uniform", &mut self.uniform, 1);
        at.warp(&mut self.warp);
        at.cta(&mut self.cta);
        at.field("id", &mut self.message.id, 8);
        at.field("role", &mut self.message.role, 2);
        at.field("producers", &mut self.message.producers, 8);
        at.field("consumers", &mut self.message.consumers, 8);
        at.field("warps", &mut self.warps, at.sizes().count_bits());
        at.field("barriers", &mut self.barriers, 6);
        at.field("mask", &mut self.mask, at.sizes().warps());
    }
}

/// The payload of the release strobe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notification {
    pub cta: u8,
    pub id: u8,
    /// The consumers of a phase that has completed, one bit per warp; 0 if the release answers the wait of a notified warp.
    pub notified: u64,
    /// The warps that resume, one bit per warp.
    pub warps: u64,
}

impl Notification {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.cta(&mut self.cta);
        at.field("id", &mut self.id, 5);
        at.always("notified", &mut self.notified, at.sizes().warps());
        at.warps(&mut self.warps);
    }
}

/// The payload of the commit strobe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayCommit {
    pub warps: u64,
    pub refused: bool,
    pub cta_release: bool,
    pub warp_done: bool,
}

impl GatewayCommit {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.warps(&mut self.warps);
        at.always("refused", &mut self.refused, 1);
        at.always("cta_release", &mut self.cta_release, 1);
        at.always("warp_done", &mut self.warp_done, 1);
    }
}

/// Input ports of `gateway`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GatewayIn {
    pub reset: bool,
    pub op: Option<GatewayOp>,
    pub fault_ready: bool,
}

/// Output ports of `gateway`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayOut {
    pub op_ready: bool,
    pub release_valid: bool,
    pub release: Notification,
    pub commit_valid: bool,
    pub commit: GatewayCommit,
    /// Warps that wait at a barrier, one bit per warp.
    pub waiting: u64,
    /// CTA slots with a row in use, one bit per slot.
    pub open: u64,
    /// A Release is in flight, or rows are being cleared.
    pub clearing: bool,
    pub fault_valid: bool,
    pub fault: Fault,
}

/// Visits all ports.
pub fn ports(i: &mut GatewayIn, o: &mut GatewayOut, at: &mut Walk<impl PortAction>) {
    let (warps, slots) = (at.sizes().warps(), at.sizes().cta_slots());
    at.input("reset", &mut i.reset, 1);
    at.channel_in("op", &mut i.op, &mut o.op_ready, GatewayOp::fields);
    at.strobe_out("release", &mut o.release_valid, &mut o.release, Notification::fields);
    at.strobe_out("commit", &mut o.commit_valid, &mut o.commit, GatewayCommit::fields);
    at.output("waiting", &mut o.waiting, warps);
    at.output("open", &mut o.open, slots);
    at.output("clearing", &mut o.clearing, 1);
    at.channel_out("fault", &mut o.fault_valid, &mut i.fault_ready, &mut o.fault, Fault::fields_of_gateway);
}
