// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies under way.

use std::collections::{BTreeMap, VecDeque};

/// A copy comes in at most so many pieces, of multiples of so many bytes.
pub(super) const PIECES: u64 = 4;

pub(super) const UNIT: u64 = 16;

/// A copy that is issued and not performed.
pub(super) struct Copy {
    slot: usize,
    /// Pieces that are not there, and what it has yet to tell mbarriers.
    left: usize,
}

/// The copies of all CTAs.
#[derive(Default)]
pub(in super::super) struct Copying {
    begun: u64,
    /// By number.
    copies: BTreeMap<u64, Copy>,
    /// CTA slots of those that are performed, of which the unit is told one in a cycle.
    pub(super) performed: VecDeque<usize>,
    /// The CTA slot of the one that is issued in this cycle, and in the one before.
    pub(super) issued: [Option<usize>; 2],
}

impl Copying {
    /// One of a CTA slot begins, of which so much must come.
    pub(super) fn begin(&mut self, slot: usize, left: usize) -> u64 {
        self.begun += 1;
        self.issued[0] = Some(slot);
        self.copies.insert(self.begun, Copy { slot, left });
        self.begun
    }

    /// It will tell mbarriers so often.
    pub fn tells(&mut self, copy: u64, times: usize) {
        if let Some(copy) = self.copies.get_mut(&copy) {
            copy.left += times;
        }
    }

    /// A piece of it is there, or what it tells an mbarrier has had its effect.
    pub fn done(&mut self, copy: u64) {
        let Some(of) = self.copies.get_mut(&copy) else { return };
        of.left = of.left.saturating_sub(1);
        if of.left == 0 {
            self.performed.push_back(of.slot);
            self.copies.remove(&copy);
        }
    }

    /// Something comes of it by itself.
    pub fn busy(&self) -> bool {
        !(self.copies.is_empty() && self.performed.is_empty())
    }
}
