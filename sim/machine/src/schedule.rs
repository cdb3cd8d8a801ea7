// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp that issues among those that could issue.

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
    last: usize,
}

impl Scheduler {
    pub fn new(policy: Policy, seed: u64) -> Self {
        Scheduler { policy, random: fastrand::Rng::with_seed(seed), last: usize::MAX }
    }

    /// Chooses one of `ready`, which holds (warp slot, order of launch) in order of warp slots.
    pub fn pick(&mut self, ready: &[(usize, u64)]) -> Option<usize> {
        let first = ready.first()?;
        let chosen = match self.policy {
            Policy::RoundRobin => ready.iter().find(|(slot, _)| self.last != usize::MAX && *slot > self.last).unwrap_or(first),
            Policy::Random => &ready[self.random.usize(..ready.len())],
            Policy::Oldest => ready.iter().min_by_key(|(_, age)| *age).unwrap_or(first),
        };
        self.last = chosen.0;
        Some(chosen.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picks(policy: Policy, ready: &[(usize, u64)]) -> Vec<usize> {
        let mut scheduler = Scheduler::new(policy, 7);
        (0..6).filter_map(|_| scheduler.pick(ready)).collect()
    }

    #[test]
    fn each_policy_chooses_in_its_order() {
        let ready = [(0, 9), (2, 3), (5, 4)];
        assert_eq!(picks(Policy::RoundRobin, &ready), [0, 2, 5, 0, 2, 5]);
        assert_eq!(picks(Policy::Oldest, &ready), [2; 6]);
        assert_eq!(picks(Policy::Random, &ready), picks(Policy::Random, &ready));
        assert!(picks(Policy::Random, &ready).iter().any(|s| *s != 0));
        assert!(picks(Policy::RoundRobin, &[]).is_empty());
    }
}
