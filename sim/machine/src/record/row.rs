// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arrivals of the open generation of one barrier.

use super::Arrival;

/// One barrier of a CTA.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Row {
    /// The number of completed generations.
    pub completed: usize,
    /// The arrivals by instructions in the open generation.
    pub arrivals: Vec<Arrival>,
    /// The arrivals of a generation whose state the program has saved, until the program restores the state.
    aside: Vec<Arrival>,
}

impl Row {
    /// Completes the open generation; returns its number, from 1, and its arrivals.
    pub fn completes(&mut self) -> (usize, Vec<Arrival>) {
        self.completed += 1;
        (self.completed, std::mem::take(&mut self.arrivals))
    }

    /// Records that a state word sets the number of arrived warps to `count`; 0 makes the barrier idle.
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
