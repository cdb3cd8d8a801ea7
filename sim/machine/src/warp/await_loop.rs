// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A loop in which lanes of a warp repeat a load until it returns another value.

use super::threads::At;
use std::ops::RangeInclusive;

/// The loop in which lanes of a warp repeat a load.
#[derive(Clone, Debug)]
pub(in super::super) struct Await {
    /// The load.
    pub(in super::super) at: At,
    body: RangeInclusive<usize>,
    lanes: u64,
}

impl Await {
    /// The loop with the instructions `body`, in which lanes repeat the load `at`.
    pub(in super::super) fn new((at, lanes): (At, u64), body: RangeInclusive<usize>) -> Await {
        Await { at, body, lanes }
    }

    /// Whether an instruction is the load, executed by the same lanes.
    pub(in super::super) fn repeats(&self, (at, lanes): (At, u64)) -> bool {
        self.at == at && self.lanes == lanes
    }

    /// Whether lanes of the loop execute an instruction outside of it, or without the others.
    pub(in super::super) fn is_left_by(&self, (at, lanes): (At, u64)) -> bool {
        let is_inside = at.function == self.at.function && self.body.contains(&at.instr);
        lanes & self.lanes != 0 && !(is_inside && lanes & self.lanes == self.lanes)
    }
}
