// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Asynchronous copies of a warp: the groups that each lane has committed, and the copies in flight.

use super::super::memory::{Access, AccessEffect};
use super::copy_group::Group;
use bcu_program::CopyWait;

/// An asynchronous copy that a lane has started and that is not performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    lane: usize,
    group: Group,
    /// The number of the copy among all copies of the warp.
    number: u64,
    /// Whether the bytes of the copy have been read and not stored yet.
    read: bool,
}

/// The asynchronous copies of one warp.
#[derive(Clone, Debug)]
pub(in super::super) struct Copies {
    /// For each lane, the number of groups committed so far: of `cp.async` copies (index 0) and of bulk copies (index 1).
    committed: Vec<[u32; 2]>,
    open: Vec<Open>,
    /// The number of copies started so far.
    begun: u64,
}

impl Copies {
    pub fn new(width: usize) -> Copies {
        Copies { committed: vec![[0; 2]; width], open: vec![], begun: 0 }
    }

    /// Commits the open copies of a lane as a group: bulk copies if `bulk` is set, else `cp.async`
    /// copies.
    pub fn commit(&mut self, lane: usize, bulk: bool) {
        if let Some(committed) = self.committed.get_mut(lane) {
            committed[usize::from(bulk)] += 1;
        }
    }

    /// The group to which the next copy of a lane belongs.
    pub fn group(&self, lane: usize, bulk: bool) -> Group {
        Group { bulk, number: self.committed.get(lane).map_or(0, |committed| committed[usize::from(bulk)]) }
    }

    /// Records that a lane starts a copy of group `group`. Returns the number of the copy.
    pub fn begin(&mut self, lane: usize, group: Group) -> u64 {
        let number = self.begun;
        self.open.push(Open { lane, group, number, read: false });
        self.begun += 1;
        number
    }

    /// The number of the next copy.
    pub fn next(&self) -> u64 {
        self.begun
    }

    /// Whether all `cp.async` copies of a lane with numbers lower than `end` have completed.
    pub fn done_before(&self, lane: usize, end: u64) -> bool {
        !self.open.iter().any(|open| open.lane == lane && !open.group.bulk && open.number < end)
    }

    /// The first group of a lane that `wait` does not wait for.
    pub fn end(&self, lane: usize, wait: CopyWait) -> Group {
        let next = self.group(lane, wait.bulk);
        Group { number: wait.max_in_flight.map_or(u32::MAX, |most| next.number.saturating_sub(most)), ..next }
    }

    /// Whether all copies of a lane that `wait` waits for are complete.
    pub fn done(&self, lane: usize, wait: CopyWait) -> bool {
        let end = self.end(lane, wait);
        let counts = |open: &Open| open.lane == lane && open.group.bulk == end.bulk && open.group.number < end.number;
        !self.open.iter().any(|open| counts(open) && !(wait.read && open.read))
    }

    /// Records a performed access, which may belong to a copy.
    pub fn performed(&mut self, access: &Access) {
        for number in access.parts.iter().filter_map(|part| part.copy) {
            let Some(at) = self.open.iter().position(|open| open.number == number) else { continue };
            match access.effect {
                AccessEffect::BulkRead(_) => self.open[at].read = true,
                AccessEffect::Copy(..) | AccessEffect::BulkWrite(..) => drop(self.open.swap_remove(at)),
                _ => return,
            }
        }
    }
}
