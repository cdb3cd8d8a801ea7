// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The walk of `cta_table` over the warps while nothing else happens.

use super::{CtaTable, Job};
use crate::deadlock_detector::{Seen, Walked};

impl CtaTable {
    /// Takes over the place of the walk.
    pub(crate) fn adopt_walk(&mut self, from: &CtaTable) {
        (self.walk_warp, self.seen) = (from.walk_warp, from.seen);
    }

    /// Whether only the walk advances, if nothing else has changed in the last cycle.
    pub(crate) fn only_walks(&self) -> bool {
        self.seen.is_some() && self.exit.is_none() && self.stepped.is_none() && !matches!(self.job, Job::End | Job::Claim)
    }

    /// The output `seen` from the present cycle on, while only the walk advances; `in_flight` is the input of this name. `stalled` is an
    /// input of `deadlock_detector`.
    pub(crate) fn walked(&self, in_flight: u64, stalled: u64) -> Walked<'_> {
        let first = self.seen.map_or(0, |seen| seen.warp);
        Walked { first, live: self.live, in_flight, warp_cta: &self.warp_cta, stalled }
    }

    fn seen_of(&self, warp: u8, in_flight: u64) -> Seen {
        let is_in = |warps: u64| warps >> warp & 1 != 0;
        Seen { warp, cta: self.warp_cta.slot_of(warp), live: is_in(self.live), in_flight: is_in(in_flight) }
    }

    /// Advances the walk by `cycles` cycles.
    pub(crate) fn walk(&mut self, cycles: u64, in_flight: u64) {
        let warps = self.sizes.warps() as u64;
        let after = |warp: u8, steps: u64| ((u64::from(warp) + steps % warps) % warps) as u8;
        self.walk_warp = after(self.walk_warp, cycles);
        self.seen = Some(self.seen_of(after(self.walk_warp, warps - 1), in_flight));
    }
}
