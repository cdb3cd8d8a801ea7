// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The walks of `deadlock_detector` over the CTA slots while nothing else happens.

use super::walked::Walked;
use super::DeadlockDetector;

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
    /// slot reports or ends a deadlock.
    pub(crate) fn cycles_without_decision(&self, walked: &Walked) -> u64 {
        if self.out.dead_valid || self.found.is_some() || self.entered.is_some() {
            return 0;
        }
        let slots = 0..self.sizes.cta_slots() as u8;
        let is_decisive = slots.into_iter().any(|slot| self.is_decisive(slot, walked.look(slot)));
        let limit = match is_decisive {
            // The observations of a round are complete: all later rounds are equal to the second one.
            true => 2 * self.round(),
            // Only the walks over the present CTA slot, and the decision before them, may be about earlier observations.
            false => 2 * self.sizes.warps() as u64 + 2,
        };
        let cycles = self.clone().walk_on(limit, walked);
        if cycles < limit {
            cycles
        } else {
            u64::MAX
        }
    }

    /// Advances the walks by `cycles` cycles, in which no decision changes anything.
    pub(crate) fn walks(&mut self, cycles: u64, walked: &Walked) {
        let round = self.round();
        // After a whole round the observations depend on the last round only.
        let steps = if cycles > 2 * round { round + cycles % round } else { cycles };
        self.walk_on(steps, walked);
    }

    /// Advances the walks by `cycles` cycles, or until a decision would change something. Returns the number of cycles.
    fn walk_on(&mut self, cycles: u64, walked: &Walked) -> u64 {
        let warps = self.sizes.warps() as u64;
        let (mut done, mut warp) = (0, u64::from(walked.first));
        while done < cycles {
            if let Some((slot, look)) = self.seen.take() {
                let before = (self.out, self.reported);
                self.decide(slot, look, true);
                if (self.out, self.reported) != before {
                    return done;
                }
            }
            // The rest of the walk over the CTA slot, or as much of it as there are cycles.
            let steps = (warps - warp).min(cycles - done);
            let stepped = (u64::MAX >> (64 - steps)) << warp;
            let of_slot = walked.warp_cta.warps_of_slot(self.slot) & stepped;
            let live = walked.live & of_slot;
            self.look.present |= self.second && live != 0;
            self.look.awake |= live & !walked.stalled != 0;
            self.look.moved |= walked.in_flight & of_slot != 0;
            (done, warp) = (done + steps, warp + steps);
            if warp == warps {
                warp = 0;
                self.end_walk();
            }
        }
        done
    }
}
