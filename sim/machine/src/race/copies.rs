// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The asynchronous copies of a warp that it waits for in groups.

use crate::warp::Group;

/// A copy of a lane that has not been waited for.
#[derive(Debug)]
struct OpenCopy {
    lane: usize,
    group: Group,
    number: u32,
}

/// The copies of a warp, numbered from 1 in the order of their start.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// The number of the last copy.
    last: u32,
    open: Vec<OpenCopy>,
}

impl Copies {
    /// Numbers a copy that a lane starts.
    pub(super) fn begin(&mut self, lane: usize, group: Group) -> u32 {
        self.last += 1;
        self.open.push(OpenCopy { lane, group, number: self.last });
        self.last
    }

    /// Records that a lane has waited for the copies of its groups before `end`; with `only_read`, until their sources were read. Returns
    /// the number of the last of these copies.
    pub(super) fn waited_for(&mut self, lane: usize, end: Group, only_read: bool) -> Option<u32> {
        let is_over = |copy: &OpenCopy| copy.lane == lane && copy.group.bulk == end.bulk && copy.group.number < end.number;
        let last = self.open.iter().filter(|copy| is_over(copy)).map(|copy| copy.number).max();
        if !only_read {
            self.open.retain(|copy| !is_over(copy));
        }
        last
    }
}
