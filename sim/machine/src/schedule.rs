// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp that issues among those that could issue.

use bcu_model::bits::{members, next_in_turn};
use serde::{Deserialize, Serialize};

/// The machine's choice among the warps that can issue in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The next warp slot after the one that issued last.
    #[default]
    RoundRobin,
    /// Any of them, drawn by the seed.
    Random,
    /// The warp that was launched first; within a CTA the lowest warp.
    Oldest,
}

impl std::fmt::Display for Policy {
    /// The name in a machine description.
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Policy::RoundRobin => "round_robin",
            Policy::Random => "random",
            Policy::Oldest => "oldest",
        })
    }
}

/// The scheduling policy with its state.
pub(super) struct Scheduler {
    policy: Policy,
    random: fastrand::Rng,
    last: Option<usize>,
}

impl Scheduler {
    pub fn new(policy: Policy, seed: u64) -> Self {
        Scheduler { policy, random: fastrand::Rng::with_seed(seed), last: None }
    }

    /// Chooses one of the warp slots in `ready`, one bit each. `launched` gives for each warp slot the order in which its warp was launched.
    pub fn pick(&mut self, ready: u64, launched: &[Option<usize>]) -> Option<usize> {
        let slot = match self.policy {
            Policy::RoundRobin => next_in_turn(ready, self.last)?,
            Policy::Random if ready == 0 => return None,
            Policy::Random => members(ready).nth(self.random.usize(..ready.count_ones() as usize))?,
            Policy::Oldest => members(ready).min_by_key(|slot| launched.get(*slot).copied().flatten())?,
        };
        self.last = Some(slot);
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(policy: Policy, ready: u64) -> Vec<usize> {
        let mut scheduler = Scheduler::new(policy, 7);
        let launched = [Some(9), None, Some(3), None, None, Some(4)];
        (0..6).filter_map(|_| scheduler.pick(ready, &launched)).collect()
    }

    #[test]
    fn each_policy_chooses_in_its_order() {
        let ready = 1 << 0 | 1 << 2 | 1 << 5;
        assert_eq!(picks(Policy::RoundRobin, ready), [0, 2, 5, 0, 2, 5]);
        assert_eq!(picks(Policy::Oldest, ready), [2; 6]);
        assert_eq!(picks(Policy::Random, ready), picks(Policy::Random, ready));
        assert!(picks(Policy::Random, ready).iter().any(|s| *s != 0));
        for policy in [Policy::RoundRobin, Policy::Random, Policy::Oldest] {
            assert!(picks(policy, 0).is_empty());
        }
    }
}
