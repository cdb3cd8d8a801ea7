// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What travels on the channels and strobes of `cluster` and `cluster_hub`, and the kinds of it: the port tables of `docs/clusters.md`.

use crate::payload::payload;
use crate::ports::PortValue;
use crate::unit::op::{port_enum, FaultCode};
use rust_hdl::prelude::*;

port_enum! {
    /// What an operation at the barrier of a cluster does.
    pub enum ClusterKind {
        /// The warp arrives and goes on.
        Arrive,
        /// The warp waits until the phase in which it arrived is over.
        Wait,
    }
}

port_enum! {
    /// What the hub is told of a CTA.
    pub enum ClusterMessageKind {
        /// It is there.
        Present,
        /// All its live warps have arrived in the phase that is open.
        Arrived,
        /// It has ended, and has said Arrived an even number of times.
        Gone,
        /// It has ended, and has said Arrived an odd number of times.
        GoneOdd,
    }
}

port_enum! {
    /// What the hub tells of a cluster.
    pub enum HubKind {
        /// All its CTAs that are not gone have arrived.
        Complete,
        /// All its CTAs are gone.
        Closed,
    }
}

/// An operation at the barrier of a cluster: a warp executes it.
#[payload]
pub struct ClusterOp<LW, LC> {
    /// What it does.
    pub kind: ClusterKind,
    /// What is wrong with it; none = carry it out.
    pub fault: FaultCode,
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// A message to the hub of clusters: a CTA says what has become of it.
#[payload]
pub struct ClusterMessage<KC> {
    /// What it says.
    pub kind: ClusterMessageKind,
    /// Its cluster's slot.
    pub cluster: Bits<KC>,
    /// Its rank in the cluster.
    pub rank: Bits<4>,
    /// CTAs of the cluster.
    pub size: Bits<5>,
}

/// A message of the hub of clusters.
#[payload]
pub struct HubMessage<KC> {
    /// What has become of the cluster.
    pub kind: HubKind,
    /// Its slot.
    pub cluster: Bits<KC>,
}

/// A cluster.
#[payload]
pub struct NamedCluster<KC> {
    /// Its slot.
    pub cluster: Bits<KC>,
}
