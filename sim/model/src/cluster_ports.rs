// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `cluster`, their payloads, and the payloads of the messages to and from `cluster_hub` (`docs/contract/clusters.md`, the
//! port tables).

use super::mbarrier_ports::{Commit, Launch};
use super::op::{port_enum, Code};
use super::outcome::Refused;
use super::warp_cta::WarpCta;
use super::wire::{Fields, PortAction, Value, Walk};
use bcu_isa::ports::Dir;

port_enum! {
    /// The kind of an operation, by the value of `op_kind`.
    ClusterKind { Arrive, Wait }
}

port_enum! {
    /// The kind of a message about a CTA to the hub. A CTA that is gone sends GoneOdd if it has sent an odd number of Arrived messages.
    ClusterMessageKind { Present, Arrived, Gone, GoneOdd }
}

impl ClusterMessageKind {
    pub fn is_gone(self) -> bool {
        matches!(self, ClusterMessageKind::Gone | ClusterMessageKind::GoneOdd)
    }
}

port_enum! {
    /// The kind of a message from the hub about a cluster.
    HubKind { Complete, Closed }
}

/// An operation of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterOp {
    pub kind: ClusterKind,
    pub fault: Code,
    pub warp: u8,
    pub cta: u8,
}

/// A message to the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClusterMessage {
    pub kind: ClusterMessageKind,
    pub cluster: u16,
    pub rank: u8,
    pub size: u8,
}

impl ClusterMessage {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("kind", &mut self.kind);
        at.field("cluster", &mut self.cluster, at.sizes().cluster_bits());
        at.field("rank", &mut self.rank, 4);
        at.field("size", &mut self.size, 5);
    }
}

/// A message of the hub: its kind, and its cluster slot.
pub type HubMessage = (HubKind, u16);

/// Visits the fields of a message of the hub.
pub fn hub_fields((kind, cluster): &mut HubMessage, at: &mut Fields<impl PortAction>) {
    at.choice("kind", kind);
    at.field("cluster", cluster, at.sizes().cluster_bits());
}

/// Input ports of `cluster`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusterIn {
    pub reset: bool,
    pub launch: Option<Launch>,
    pub live: u64,
    pub warp_cta: WarpCta,
    pub ended: u64,
    pub op: Option<ClusterOp>,
    pub cluster_in: Option<HubMessage>,
    pub cluster_out_ready: bool,
    pub fault_ready: bool,
}

/// Output ports of `cluster`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ClusterOut {
    pub op_ready: bool,
    pub cluster_out_valid: bool,
    pub cluster_out: ClusterMessage,
    pub commit_valid: bool,
    pub commit: Commit,
    pub release_valid: bool,
    /// The warps that resume, one bit per warp.
    pub release: u64,
    pub waiting: u64,
    pub closed_valid: bool,
    pub closed: u16,
    pub freed: u64,
    pub fault_valid: bool,
    pub fault: Refused,
}

impl ClusterOut {
    /// Visits the links from and to the hub.
    pub fn link(&mut self, cluster_in: &mut Option<HubMessage>, ready: &mut bool, at: &mut Walk<impl PortAction>) {
        at.strobe_in("cluster_in", cluster_in, hub_fields);
        at.channel_out("cluster_out", &mut self.cluster_out_valid, ready, &mut self.cluster_out, ClusterMessage::fields);
    }
}

/// Visits a cluster slot as the only field of a payload.
pub fn cluster_slot(cluster: &mut u16, at: &mut Fields<impl PortAction>) {
    at.field("cluster", cluster, at.sizes().cluster_bits());
}

/// Visits all ports.
pub fn ports(i: &mut ClusterIn, o: &mut ClusterOut, at: &mut Walk<impl PortAction>) {
    let (warps, slots) = (at.sizes().warps(), at.sizes().cta_slots());
    at.input("reset", &mut i.reset, 1);
    at.strobe_in("launch", &mut i.launch, Launch::fields);
    at.input("live", &mut i.live, warps);
    i.warp_cta.ports(Dir::In, at);
    at.input("ended", &mut i.ended, slots);
    at.channel_in("op", &mut i.op, &mut o.op_ready, |op: &mut ClusterOp, at| {
        at.choice("kind", &mut op.kind);
        at.choice("fault", &mut op.fault);
        at.warp(&mut op.warp);
        at.cta(&mut op.cta);
    });
    o.link(&mut i.cluster_in, &mut i.cluster_out_ready, at);
    at.strobe_out("commit", &mut o.commit_valid, &mut o.commit, Commit::fields);
    at.strobe_out("release", &mut o.release_valid, &mut o.release, |warps, at| at.warps(warps));
    at.output("waiting", &mut o.waiting, warps);
    at.strobe_out("closed", &mut o.closed_valid, &mut o.closed, cluster_slot);
    at.output("freed", &mut o.freed, slots);
    at.channel_out("fault", &mut o.fault_valid, &mut i.fault_ready, &mut o.fault, Refused::fields);
}
