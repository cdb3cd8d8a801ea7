// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Asynchronous copies of a warp: the groups that each lane has committed, and the copies under way.

use super::super::memory::{Access, AccessEffect};
use super::copy_group::Group;
use bcu_program::CopyWait;

/// A copy of a lane that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Open {
    lane: usize,
    group: Group,
    /// Among all copies of the warp.
    number: u64,
    /// Its bytes have been read, but are not stored yet.
    read: bool,
}

#[derive(Clone, Debug)]
pub(in super::super) struct Copies {
    /// By lane, the groups committed so far: of `cp.async`, and of bulk copies.
    committed: Vec<[u32; 2]>,
    open: Vec<Open>,
    /// Copies begun so far.
    begun: u64,
}

impl Copies {
    pub fn new(width: usize) -> Copies {
        Copies { committed: vec![[0; 2]; width], open: vec![], begun: 0 }
    }

    /// The copies of a lane so far are a group.
    pub fn commit(&mut self, lane: usize, bulk: bool) {
        if let Some(committed) = self.committed.get_mut(lane) {
            committed[usize::from(bulk)] += 1;
        }
    }

    /// The group of the next copy of a lane.
    pub fn group(&self, lane: usize, bulk: bool) -> Group {
        Group { bulk, number: self.committed.get(lane).map_or(0, |committed| committed[usize::from(bulk)]) }
    }

    pub fn begin(&mut self, lane: usize, group: Group) {
        self.open.push(Open { lane, group, number: self.begun, read: false });
        self.begun += 1;
    }

    /// The number of the next copy.
    pub fn next(&self) -> u64 {
        self.begun
    }

    /// No plain copy of a lane with a number below this one is under way.
    pub fn done_before(&self, lane: usize, end: u64) -> bool {
        !self.open.iter().any(|open| open.lane == lane && !open.group.bulk && open.number < end)
    }

    /// The first group of a lane that is not waited for.
    pub fn end(&self, lane: usize, wait: CopyWait) -> Group {
        let next = self.group(lane, wait.bulk);
        Group { number: wait.left.map_or(u32::MAX, |left| next.number.saturating_sub(left)), ..next }
    }

    /// Nothing that is waited for is under way in a lane.
    pub fn done(&self, lane: usize, wait: CopyWait) -> bool {
        let end = self.end(lane, wait);
        let counts = |open: &Open| open.lane == lane && open.group.bulk == end.bulk && open.group.number < end.number;
        !self.open.iter().any(|open| counts(open) && !(wait.read && open.read))
    }

    /// An access was performed, perhaps that of a copy.
    pub fn performed(&mut self, access: &Access) {
        for part in access.parts.iter().filter(|part| part.signal.is_none()) {
            let mut own =
                self.open.iter_mut().enumerate().filter(|(_, open)| (open.lane, open.group) == (part.lane, part.group));
            match access.effect {
                AccessEffect::BulkRead(_) => {
                    own.find(|(_, open)| !open.read).into_iter().for_each(|(_, open)| open.read = true)
                }
                AccessEffect::Copy(..) | AccessEffect::BulkWrite(..) => {
                    let first = own.find(|(_, open)| open.read == open.group.bulk).map(|(first, _)| first);
                    first.map(|first| self.open.swap_remove(first));
                }
                _ => return,
            }
        }
    }
}
