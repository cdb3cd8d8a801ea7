// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The observations of `deadlock_detector` about a CTA slot.

/// The observations of the two walks about a CTA slot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Look {
    /// The second walk found a live warp.
    pub present: bool,
    /// A walk found a live warp that can issue.
    pub awake: bool,
    /// A walk found an operation of the CTA in flight, or one entered the stream meanwhile.
    pub moved: bool,
}

impl Look {
    /// Whether the CTA slot has live warps of which none can issue.
    pub fn waits(self) -> bool {
        self.present && !self.awake
    }
}
