// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cycles that a table counts: runs of random stimulus, each identified by its first seed.

use crate::lockstep::units::EPISODE;
use serde::{Deserialize, Serialize};

/// A run of random stimulus. The seed increases by 1 every [`EPISODE`] cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a run with `seed` and `cycles`")]
pub struct Run {
    /// The seed of the first cycles.
    pub seed: u64,
    pub cycles: u64,
}

impl Run {
    /// The seed of the last cycles.
    pub fn last_seed(self) -> u64 {
        self.seed.wrapping_add(self.cycles.div_ceil(EPISODE as u64).saturating_sub(1))
    }

    /// The first seed that both runs have.
    pub fn first_common_seed(self, other: Run) -> Option<u64> {
        let has = |run: Run, seed: u64| seed.wrapping_sub(run.seed) < run.cycles.div_ceil(EPISODE as u64);
        let both = |seed: &u64| has(self, *seed) && has(other, *seed);
        [self.seed, other.seed].into_iter().find(both)
    }

    /// The seed with which another run continues this one; `None` if this one ends within an episode.
    fn next_seed(self) -> Option<u64> {
        let episode = EPISODE as u64;
        self.cycles.is_multiple_of(episode).then(|| self.seed.wrapping_add(self.cycles / episode))
    }
}

/// Sorts runs by seed, and joins each run with the run that continues it. So the parts of a divided run become one run
/// again.
pub fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_unstable();
    let mut joined: Vec<Run> = vec![];
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.next_seed() == Some(run.seed) => last.cycles = last.cycles.saturating_add(run.cycles),
            _ => joined.push(run),
        }
    }
    joined
}
