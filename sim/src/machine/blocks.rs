// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The block scheduler: the CTAs of a run in their order, each for the multiprocessor that has room for it.

use super::plan::CtaPlan;

/// The CTAs of a run.
pub(super) struct Blocks {
    plans: Vec<CtaPlan>,
    /// How many of them have been given away.
    given: usize,
}

impl Blocks {
    pub fn new(plans: Vec<CtaPlan>) -> Blocks {
        Blocks { plans, given: 0 }
    }

    /// CTAs that nobody has taken yet.
    pub fn left(&self) -> usize {
        self.plans.len() - self.given
    }

    /// The number of the next CTA, and what it is.
    pub fn next(&self) -> Option<(usize, &CtaPlan)> {
        Some((self.given, self.plans.get(self.given)?))
    }

    /// The next CTA is taken.
    pub fn give(&mut self) {
        self.given += 1;
    }
}
