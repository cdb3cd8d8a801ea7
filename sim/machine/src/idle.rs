// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Skips cycles in which nothing happens: every warp waits for time to pass, for memory or for other warps, and the unit is idle.

use super::gpu::Gpu;
use super::patience::Patience;
use super::play::MIN_UNCHANGED;
use super::sm::Sm;

/// The maximum number of cycles that are skipped at once, so that an interrupt is noticed.
const MOST: u64 = 1 << 20;

impl Gpu<'_> {
    /// Skips the cycles in which nothing happens, after a cycle without an event. `silent` is the number of consecutive silent cycles.
    /// Returns the number of skipped cycles that are silent too.
    pub(super) fn skip_idle_cycles(&mut self, patience: &Patience, silent: u64, max_cycles: u64) -> u64 {
        let in_unit = self.unit.idle_cycles(&self.sms);
        let is_constrained =
            self.sms.iter().any(|sm| sm.constraints.as_ref().is_some_and(|constraints| !constraints.borrow().is_over()));
        let waits_for_turn = self.sms.iter().any(Sm::waits_for_turn);
        if in_unit == 0 || self.finished() || is_constrained || waits_for_turn {
            return 0;
        }
        let Some(event) = self.next_event(patience, max_cycles) else { return 0 };
        // The limits in `play` are compared after a cycle, so the last cycle before a limit is executed.
        let is_silent = !self.running();
        let until_limit = if is_silent { patience.limit(self).saturating_sub(silent + 1) } else { u64::MAX };
        let cycles = event.saturating_sub(self.cycle).min(in_unit).min(until_limit).min(MOST);
        self.cycle += cycles;
        self.sms.iter_mut().for_each(|sm| sm.cycle += cycles);
        self.unit.sleep(cycles);
        if is_silent {
            cycles
        } else {
            0
        }
    }

    /// The first cycle from the present one on in which something may happen without an event in the unit; `None` if that is unknown.
    fn next_event(&self, patience: &Patience, max_cycles: u64) -> Option<u64> {
        let is_late = self.changed_at + patience.limit(self).max(MIN_UNCHANGED);
        // `watch` and `only_spins` compare these cycles after the cycle before.
        let limits = [self.changed_at + MIN_UNCHANGED + 1, is_late, max_cycles].map(|limit| limit.saturating_sub(1));
        let mut first = limits.into_iter().filter(|limit| *limit >= self.cycle).min().unwrap_or(u64::MAX);
        for sm in &self.sms {
            first = first.min(sm.next_event()?);
        }
        Some(first.min(self.uncore.grids.next_event()?))
    }
}
