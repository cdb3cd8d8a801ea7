// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A range of the cycles of a run, which an output shows.

/// The cycles from `from` to before `to`; `to` is `None` for the end of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub from: u64,
    pub to: Option<u64>,
}

impl Window {
    /// Whether the window has a cycle of the cycles `from` to before `to`.
    pub fn meets(&self, from: u64, to: u64) -> bool {
        to > self.from && self.to.is_none_or(|end| from < end)
    }

    /// Whether a run of `cycles` cycles continues after the window.
    pub fn ends_before(&self, cycles: u64) -> bool {
        self.to.is_some_and(|end| end < cycles)
    }
}
