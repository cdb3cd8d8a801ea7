// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The free slots of a multiprocessor, and placed CTAs.

/// The free and the occupied slots of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct FreeSlots {
    /// The number of free CTA slots.
    pub cta_slots: usize,
    /// The number of free warp slots.
    pub warp_slots: usize,
    /// The number of occupied warp slots.
    pub occupied_warp_slots: usize,
}

/// A CTA that has its slots, and whose launch is not offered to the unit yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) slot: usize,
    pub(super) warps: u64,
    /// The live lanes of the CTA's last warp, one bit each.
    pub(super) lanes: u64,
    pub(super) barriers: usize,
    pub(super) cluster: usize,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The slot of the CTA's grid in the hub; `None` if the run has one grid.
    pub(super) grid: Option<usize>,
}
