// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arrivals of the generation of one barrier that is under way.

use super::Arrival;

/// One barrier of a CTA.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Row {
    /// Generations before this one.
    pub completed: usize,
    /// The arrivals that came as instructions.
    pub arrivals: Vec<Arrival>,
    /// Those of a generation whose state a program has taken out, until it comes back.
    aside: Vec<Arrival>,
}

impl Row {
    /// The generation is complete: its number, from 1, and its arrivals.
    pub fn completes(&mut self) -> (usize, Vec<Arrival>) {
        self.completed += 1;
        (self.completed, std::mem::take(&mut self.arrivals))
    }

    /// A state word has set how many warps have arrived; 0 makes the barrier idle.
    pub fn restored(&mut self, count: usize) {
        if count == 0 {
            if !self.arrivals.is_empty() {
                self.aside = std::mem::take(&mut self.arrivals);
            }
            return;
        }
        if self.arrivals.is_empty() {
            self.arrivals = std::mem::take(&mut self.aside);
        }
        self.arrivals.truncate(count);
    }
}
