// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the walks of `deadlock_detector` observe in idle cycles.

use super::look::Look;
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

impl Walked<'_> {
    /// The observations of two whole walks about a CTA slot.
    pub(super) fn look(&self, slot: u8) -> Look {
        let of_slot = self.warp_cta.warps_of_slot(slot);
        let live = self.live & of_slot;
        Look { present: live != 0, awake: live & !self.stalled != 0, moved: self.in_flight & of_slot != 0 }
    }
}
