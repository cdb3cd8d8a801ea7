// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where a multiprocessor has room for a CTA, and what is there.

/// What a multiprocessor has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Room {
    /// Free CTA slots and warp slots, ...
    pub ctas: usize,
    pub free: usize,
    /// ... and warp slots that are not.
    pub held: usize,
}

/// A CTA that has its slots and has yet to stand at the channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) slot: usize,
    pub(super) warps: u64,
    /// Live lanes of its last warp.
    pub(super) lanes: u64,
    pub(super) barriers: usize,
    pub(super) cluster: usize,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// The slot of its grid in the hub.
    pub(super) grid: Option<usize>,
}
