// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Payloads from and to the host and the memory system: CTA launch and retirement, warp exits, memory accesses.

use crate::payload::payload;
use rust_hdl::prelude::*;

/// The position of a CTA in its cluster.
#[payload]
pub struct Peer<KC> {
    /// Cluster slot of the CTA's cluster.
    pub cluster: Bits<KC>,
    /// Rank of the CTA in its cluster.
    pub rank: Bits<4>,
    /// Number of CTAs of the cluster, 1 to CLUSTER_SIZE.
    pub size: Bits<5>,
}

/// The grid that a CTA belongs to.
#[payload]
pub struct InGrid<KG> {
    /// 1 = the CTA belongs to a grid that depends on other grids, or on which other grids depend.
    pub has_grid: Bit,
    /// Grid slot of the CTA's grid.
    pub grid: Bits<KG>,
}

/// A launch: a CTA takes a CTA slot and warp slots.
#[payload]
pub struct Launch<W, LC, L, KC, KG> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Warp slots of the CTA.
    pub warps: Bits<W>,
    /// Warps of the CTA that are launched as exited, because they had exited when the CTA's state was saved.
    pub exited: Bits<W>,
    /// Live lanes of the last warp of the CTA, which is the highest of its warp slots.
    pub lanes: Bits<L>,
    /// Number of barriers declared; a number above BARRIERS counts as BARRIERS.
    pub barriers: Bits<6>,
    pub peer: Peer<KC>,
    pub in_grid: InGrid<KG>,
}

/// A retirement: a CTA gives its CTA slot and warp slots back.
#[payload]
pub struct Retire<LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// 1 = the state of the CTA's open barriers was saved, so open barriers are not a fault.
    pub saved: Bit,
}

/// A CTA departs: its retirement has begun, and no operation of its warps is in flight any more.
#[payload]
pub struct Departure<W, LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Warp slots of the CTA.
    pub warps: Bits<W>,
    /// 1 = the state of the CTA's open barriers was saved.
    pub saved: Bit,
}

/// Lanes of a warp exit.
#[payload]
pub struct Exit<LW, L> {
    /// Warp.
    pub warp: Bits<LW>,
    /// Lanes of the warp that exit.
    pub lanes: Bits<L>,
}

/// A CTA is launched: its warps are live.
#[payload]
pub struct NewCta<W, LC, KC, KG> {
    /// CTA slot.
    pub cta: Bits<LC>,
    pub peer: Peer<KC>,
    pub in_grid: InGrid<KG>,
    /// Warps of the CTA that are live.
    pub warps: Bits<W>,
}

/// A step of the walk over all warps: the state of one warp.
#[payload]
pub struct WalkStep<LW, LC> {
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot of the CTA that the warp slot belongs to, or belonged to last.
    pub cta: Bits<LC>,
    /// The warp is launched and has neither exited nor been retired.
    pub live: Bit,
    /// An operation of the warp has not yet taken effect.
    pub in_flight: Bit,
}

/// A CTA is launched; the payload is its CTA slot and its position in its cluster.
#[payload]
pub struct LaunchedCta<LC, KC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    pub peer: Peer<KC>,
}

/// A CTA is retired: its CTA slot and its warp slots are free.
#[payload]
pub struct RetiredCta<LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// An asynchronous copy is issued.
#[payload]
pub struct CopyIssue<LC> {
    /// CTA slot of the warp that issued the copy.
    pub cta: Bits<LC>,
}

/// An asynchronous copy is performed, and everything that it triggers has happened.
#[payload]
pub struct CopyPerform<LC> {
    /// CTA slot of the warp that issued the copy.
    pub cta: Bits<LC>,
}

/// A memory access is issued; the access is counted in the present epoch of its warp.
#[payload]
pub struct Issue<LW> {
    /// Warp that issued the access.
    pub warp: Bits<LW>,
}

/// A memory access is performed.
#[payload]
pub struct Perform<LW> {
    /// Warp that issued the access.
    pub warp: Bits<LW>,
    /// The epoch in which the access was issued.
    pub epoch: Bit,
}
