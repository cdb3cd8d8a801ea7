// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a seed of `mbarrier`'s stimulus does, and how often.

use super::super::Rng;

/// What a seed does; chances are in thousandths per cycle.
pub struct Habits {
    /// A CTA is launched, and one retired; with its objects saved.
    pub launch: u64,
    pub retire: u64,
    pub saved: u64,
    /// Least and most cycles from a request to its answer.
    pub latency: [u64; 2],
    /// What `wait_limit` is drawn from, and how often it changes.
    pub limits: [u64; 2],
    pub limit: u64,
    /// Chance that a wait has a hint, that a try waits with all live lanes.
    pub hint: u64,
    pub whole: u64,
    /// Chance that an operation is misuse: a wrong operand, or any operation on any object.
    pub misuse: u64,
    pub wild: u64,
    /// Chance that a word of memory begins as garbage.
    pub garbage: u64,
    /// Chance that an operation that can be one on another CTA's object is; that nobody is there; least and most cycles to the answer.
    pub remote: u64,
    pub absent: u64,
    pub travel: [u64; 2],
}

impl Habits {
    pub fn draw(rng: &mut Rng, ticks: u64) -> Self {
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Habits {
            launch: one(rng, &[20, 200, 1000]),
            retire: one(rng, &[0, 0, 1, 3, 20]),
            saved: one(rng, &[0, 500, 1000]),
            latency: rng.pick(&[[1, 1], [1, 3], [1, 20], [20, 50], [0, 0]]).unwrap_or([1, 1]),
            limits: rng.pick(&[[1, 1], [1, 3], [1, ticks], [ticks, ticks]]).unwrap_or([1, 1]),
            limit: one(rng, &[0, 1, 100]),
            hint: one(rng, &[0, 300, 1000]),
            whole: one(rng, &[0, 500, 900, 1000, 1000]),
            misuse: one(rng, &[0, 0, 10, 100, 400]),
            wild: one(rng, &[0, 0, 10, 100, 500]),
            garbage: one(rng, &[0, 0, 200, 1000]),
            remote: one(rng, &[0, 100, 500, 900]),
            absent: one(rng, &[0, 0, 100, 1000]),
            travel: rng.pick(&[[1, 1], [1, 5], [5, 60], [200, 500]]).unwrap_or([1, 1]),
        }
    }
}
