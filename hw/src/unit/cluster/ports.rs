// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes of `cluster` and `cluster_hub`, and their kinds: the port tables of
//! `docs/contract/clusters.md`.
//!
//! Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits, cluster slot numbers of `KC` bits.

use crate::payload::payload;
use crate::port_value::PortValue;
use crate::unit::op::{port_enum, FaultCode};
use rust_hdl::prelude::*;

port_enum! {
    /// Kind of an operation at the barrier of a cluster.
    pub enum ClusterKind {
        /// The warp arrives and does not wait.
        Arrive,
        /// The warp waits until the phase in which it arrived is complete.
        Wait,
    }
}

port_enum! {
    /// Kind of a message about a CTA to the hub.
    pub enum ClusterMessageKind {
        /// The CTA is launched.
        Present,
        /// All live warps of the CTA have arrived in the open phase.
        Arrived,
        /// The CTA has ended, after an even number of Arrived messages.
        Gone,
        /// The CTA has ended, after an odd number of Arrived messages.
        GoneOdd,
    }
}

port_enum! {
    /// Kind of a message of the hub about a cluster.
    pub enum HubKind {
        /// The phase is complete: all CTAs of the cluster that have not ended have arrived.
        Complete,
        /// All CTAs of the cluster have ended.
        Closed,
    }
}

/// An operation of a warp at the barrier of its cluster: the payload of the channel `op` of `cluster`.
#[payload]
pub struct ClusterOp<LW, LC> {
    /// Kind of operation.
    pub kind: ClusterKind,
    /// Fault found upstream; None = the operation is to be executed.
    pub fault: FaultCode,
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// A message to the hub of clusters, which reports an event of a CTA: the payload of the channel `cluster_out` of `cluster`,
/// and of the strobes `from` of `cluster_hub`.
#[payload]
pub struct ClusterMessage<KC> {
    /// Event of the CTA.
    pub kind: ClusterMessageKind,
    /// Cluster slot of the cluster of the CTA.
    pub cluster: Bits<KC>,
    /// Rank of the CTA in its cluster.
    pub rank: Bits<4>,
    /// Number of CTAs of the cluster.
    pub size: Bits<5>,
}

/// A message of the hub of clusters: the payload of the strobe `cluster_in` of `cluster`, and of the strobes `to` of
/// `cluster_hub`.
#[payload]
pub struct HubMessage<KC> {
    /// Event of the cluster.
    pub kind: HubKind,
    /// Cluster slot.
    pub cluster: Bits<KC>,
}

/// A cluster is closed: the payload of the strobe `closed` of `cluster`.
#[payload]
pub struct NamedCluster<KC> {
    /// Cluster slot.
    pub cluster: Bits<KC>,
}
