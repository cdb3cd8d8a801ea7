// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The issues of a cycle on a multiprocessor.

use super::super::warp::{Chosen, Needs};

/// The issues of a cycle. The lists are kept so that no cycle allocates them.
#[derive(Default)]
pub(super) struct Issuing {
    /// The number of accesses issued in this cycle.
    pub(super) accesses: usize,
    /// The warps whose next instruction awaits no result: warp slot, index and instruction with what it
    /// needs.
    pub(super) ready: Vec<(usize, usize, Chosen, Needs)>,
    /// Those of the ready warps whose next instruction has its channel: warp slot and order of launch.
    pub(super) candidates: Vec<(usize, u64)>,
}
