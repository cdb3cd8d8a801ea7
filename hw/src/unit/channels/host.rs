// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What comes from the host and from the memory system: CTAs that come and go, warps that exit, accesses.

use crate::payload::payload;
use rust_hdl::prelude::*;

/// A CTA's place in its cluster.
#[payload]
pub struct Peer<KC> {
    /// Its cluster's slot.
    pub cluster: Bits<KC>,
    /// Its rank in the cluster.
    pub rank: Bits<4>,
    /// CTAs of the cluster: 1 to 16.
    pub size: Bits<5>,
}

/// The grid that a CTA is of.
#[payload]
pub struct InGrid<KG> {
    /// It is of a grid that others depend on, or that depends on others.
    pub of_grid: Bit,
    /// The slot of that grid.
    pub grid: Bits<KG>,
}

/// A launch: a CTA takes its slot.
#[payload]
pub struct Launch<W, LC, L, KC, KG> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Its warp slots.
    pub warps: Bits<W>,
    /// Those of its warps that have exited already.
    pub exited: Bits<W>,
    /// The live lanes of the last of its warp slots.
    pub lanes: Bits<L>,
    /// Barriers declared, 0 to 16; with a gateway to 32.
    pub barriers: Bits<6>,
    pub peer: Peer<KC>,
    pub in_grid: InGrid<KG>,
}

/// A CTA's release: it gives its slot back.
#[payload]
pub struct Retire<LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Its open barriers were saved and are no fault.
    pub saved: Bit,
}

/// A CTA that retires leaves: nothing of its warps is on its way any more.
#[payload]
pub struct Departure<W, LC> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Its warp slots.
    pub warps: Bits<W>,
    /// Its state was saved.
    pub saved: Bit,
}

/// The exit of lanes of a warp.
#[payload]
pub struct Exit<LW, L> {
    /// Warp.
    pub warp: Bits<LW>,
    /// Its lanes that exit.
    pub lanes: Bits<L>,
}

/// A CTA has come: its warps are live.
#[payload]
pub struct NewCta<W, LC, KC, KG> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
    pub peer: Peer<KC>,
    pub in_grid: InGrid<KG>,
    /// Its warps that are live.
    pub warps: Bits<W>,
}

/// A step of the walk over the warps.
#[payload]
pub struct SeenWarp<LW, LC> {
    /// Warp.
    pub warp: Bits<LW>,
    /// The CTA slot it was last launched in.
    pub cta: Bits<LC>,
    /// It is launched and not gone.
    pub live: Bit,
    /// An operation of it has yet to have its effects.
    pub in_flight: Bit,
}

/// A CTA has come, with its place in its cluster.
#[payload]
pub struct LaunchedCta<LC, KC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
    pub peer: Peer<KC>,
}

/// A CTA has gone: its slot and its warp slots are free.
#[payload]
pub struct RetiredCta<LC> {
    /// Its CTA slot.
    pub cta: Bits<LC>,
}

/// An asynchronous copy is issued.
#[payload]
pub struct CopyIssue<LC> {
    /// The CTA slot of its warp.
    pub cta: Bits<LC>,
}

/// An asynchronous copy is performed, and so is all that it causes.
#[payload]
pub struct CopyPerform<LC> {
    /// The CTA slot of its warp.
    pub cta: Bits<LC>,
}

/// A memory access is issued, in its warp's present epoch.
#[payload]
pub struct Issue<LW> {
    /// Its warp.
    pub warp: Bits<LW>,
}

/// A memory access is performed.
#[payload]
pub struct Perform<LW> {
    /// Its warp.
    pub warp: Bits<LW>,
    /// The epoch in which it was issued.
    pub epoch: Bit,
}
