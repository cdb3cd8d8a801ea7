// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The walks of `deadlock_detector` over the CTA slots while nothing else happens.

use super::{DeadlockDetector, DeadlockDetectorIn, Seen};

impl DeadlockDetector {
    /// Takes over the place of the walks and their observations.
    pub(crate) fn adopt_walks(&mut self, from: &DeadlockDetector) {
        (self.slot, self.second, self.look, self.seen) = (from.slot, from.second, from.look, from.seen);
    }

    /// The cycles after which all walks have come back to their present places.
    fn round(&self) -> u64 {
        (2 * self.sizes.warps() * self.sizes.cta_slots()) as u64
    }

    /// The number of cycles in which only the walks advance, if nothing else has changed in the last cycle: until the decision on a CTA
    /// slot reports or ends a deadlock. `seen` is the input of this name in each of the cycles, `stalled` is constant.
    pub(crate) fn cycles_without_decision(&self, seen: impl Iterator<Item = Seen>, stalled: u64) -> u64 {
        if self.out.dead_valid || self.found.is_some() || self.entered.is_some() {
            return 0;
        }
        let mut ahead = self.clone();
        // The observations of a round are complete: all later rounds are equal to the second one.
        let rounds = 2 * self.round();
        let changes = |ahead: &mut DeadlockDetector, seen: Seen| {
            ahead.step(seen, stalled);
            (ahead.out, ahead.reported) != (self.out, self.reported)
        };
        let decided = seen.take(rounds as usize).position(|seen| changes(&mut ahead, seen));
        decided.map_or(u64::MAX, |cycles| cycles as u64)
    }

    /// Advances the walks by `cycles` cycles, in which no decision changes anything.
    pub(crate) fn walks(&mut self, cycles: u64, seen: impl Iterator<Item = Seen>, stalled: u64) {
        let round = self.round();
        // After a whole round the observations depend on the last round only.
        let steps = if cycles > 2 * round { round + cycles % round } else { cycles };
        seen.take(steps as usize).for_each(|seen| self.step(seen, stalled));
    }

    /// Applies a cycle in which only the walks advance.
    fn step(&mut self, seen: Seen, stalled: u64) {
        if let Some((slot, look)) = self.seen.take() {
            self.decide(slot, look, true);
        }
        self.walk(&DeadlockDetectorIn { seen: Some(seen), stalled, ..DeadlockDetectorIn::default() });
    }
}
