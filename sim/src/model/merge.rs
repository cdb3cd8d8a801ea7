// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two fault channels that take turns on one (`docs/interface.md`, section `bcu`).

/// Who was last, and whether what it offered is still there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merge {
    of_second: bool,
    offered: bool,
}

impl Merge {
    /// Whether it is the second channel that is at the port, if these have something.
    pub fn second(&self, first: bool, second: bool) -> bool {
        match (first, second) {
            _ if self.offered => self.of_second,
            (true, true) => !self.of_second,
            (false, false) => self.of_second,
            (_, of_second) => of_second,
        }
    }

    /// The rising edge.
    pub fn clock(&mut self, first: bool, second: bool, ready: bool) {
        *self = Merge { of_second: self.second(first, second), offered: (first || second) && !ready };
    }
}
