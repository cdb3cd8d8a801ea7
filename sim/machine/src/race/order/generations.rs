// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rule of named barriers: every arrival of a generation is ordered after every arrival of the generation before it. Otherwise another
//! schedule may count an arrival into the other generation.

use super::super::clock::Clock;
use super::before::Mark;
use std::collections::HashMap;

/// The last generation of each barrier, given by CTA and id.
#[derive(Debug, Default)]
pub(in super::super) struct Generations {
    last: HashMap<(usize, u8), (Clock, Vec<Mark>)>,
}

impl Generations {
    /// The arrivals of the last generation that are not ordered before an arrival of the next one, before which `executed` is ordered.
    pub(in super::super) fn unordered(&self, barrier: (usize, u8), executed: &Clock) -> Vec<Mark> {
        let Some((_, marks)) = self.last.get(&barrier).filter(|(clock, _)| !executed.includes(clock)) else { return vec![] };
        let is_unordered = |mark: &&Mark| {
            let mut clock = Clock::default();
            mark.add_to(&mut clock);
            !executed.includes(&clock)
        };
        marks.iter().filter(is_unordered).cloned().collect()
    }

    /// Records that a generation is complete, with its arrivals.
    pub(in super::super) fn complete(&mut self, barrier: (usize, u8), marks: Vec<Mark>) {
        let mut clock = Clock::default();
        marks.iter().for_each(|mark| mark.add_to(&mut clock));
        self.last.insert(barrier, (clock, marks));
    }

    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.last.retain(|(of, _), _| *of != cta);
    }
}
