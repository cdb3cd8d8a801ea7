// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ticks of `mbarrier` while nothing else happens.

use super::{Ticks, TICK};

impl Ticks {
    /// Takes over the time.
    pub(crate) fn adopt_time(&mut self, from: &Ticks) {
        (self.passed, self.looked) = (from.passed, from.looked);
    }

    /// The number of cycles in which only the time advances, if nothing else has changed in the last cycle: until the time-out of a warp.
    /// `waiting`: the warps in the output `suspended`.
    pub(crate) fn cycles_without_time_out(&self, waiting: u64) -> u64 {
        if self.late.is_some() || self.suspended.is_some() {
            return 0;
        }
        let ticks = 1 << self.sizes.limit_bits();
        let time_outs = self.due.iter().enumerate().filter(|(warp, _)| waiting >> warp & 1 != 0);
        let cycles = time_outs.filter_map(|(warp, due)| {
            let (tick, _) = (*due)?;
            if self.looked == Some((warp as u8, tick)) {
                return Some(0);
            }
            // The warp is checked in the first cycles of each tick, and the time-out follows one cycle later.
            let check = tick * TICK + warp as u64;
            let now = self.passed % (ticks * TICK);
            Some((check + ticks * TICK - now) % (ticks * TICK) + 1)
        });
        cycles.min().unwrap_or(u64::MAX)
    }

    /// Advances the time by `cycles` cycles without a time-out.
    pub(crate) fn pass(&mut self, cycles: u64) {
        if cycles == 0 {
            return;
        }
        self.passed += cycles - 1;
        let (place, tick) = (self.passed % TICK, self.tick());
        self.looked = (place < self.sizes.warp_numbers() as u64).then_some((place as u8, tick));
        self.passed += 1;
    }
}
