// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the walks of `deadlock_detector` observe in idle cycles.

use crate::warp_cta::WarpCta;

/// What the walks observe while nothing changes.
pub(crate) struct Walked<'w> {
    /// The warp in the input `seen` of the first cycle.
    pub(crate) first: u8,
    /// The fields of `seen` for all warps, one bit per warp.
    pub(crate) live: u64,
    pub(crate) in_flight: u64,
    pub(crate) warp_cta: &'w WarpCta,
    pub(crate) stalled: u64,
}
