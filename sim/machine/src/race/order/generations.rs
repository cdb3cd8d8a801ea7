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
    /// The arrival of the last generation that is not ordered before an arrival of the next one, before which `seen` is ordered.
    pub(in super::super) fn unordered(&self, barrier: (usize, u8), seen: &Clock) -> Option<&Mark> {
        let (clock, marks) = self.last.get(&barrier)?;
        if seen.includes(clock) {
            return None;
        }
        let is_missing = |mark: &&Mark| {
            let mut clock = Clock::default();
            mark.add_to(&mut clock);
            !seen.includes(&clock)
        };
        marks.iter().find(is_missing)
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
