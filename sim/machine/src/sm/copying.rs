// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies in flight.

use super::super::warp::threads::At;
use std::collections::{BTreeMap, VecDeque};

/// A copy has at most `PIECES` pieces; the size of a piece is a multiple of `UNIT` bytes.
pub(super) const PIECES: u64 = 4;

pub(super) const UNIT: u64 = 16;

/// A copy that is issued and not performed.
pub(super) struct Copy {
    slot: usize,
    /// The index of the warp that issued the copy, and the instruction.
    pub(super) issued_by: (usize, At),
    /// The number of pieces that are not written, plus the number of signals to mbarriers that have not taken effect.
    remaining: usize,
}

/// The copies of all CTAs.
#[derive(Default)]
pub(in super::super) struct Copying {
    begun: u64,
    /// The copies in flight by their numbers.
    pub(super) copies: BTreeMap<u64, Copy>,
    /// The CTA slots of performed copies that the machine has not signalled to the unit yet. The machine signals one copy per cycle.
    pub(super) performed: VecDeque<usize>,
    /// The CTA slots of the copies issued in this cycle and in the previous one.
    pub(super) issued: [Option<usize>; 2],
}

impl Copying {
    /// Starts a copy of the CTA in slot `slot`, and returns the number of the copy. The copy is
    /// performed when `done` has been called `remaining` times, and once more for each signal of
    /// `expect_signals`.
    pub(super) fn begin(&mut self, slot: usize, issued_by: (usize, At), remaining: usize) -> u64 {
        self.begun += 1;
        self.issued[0] = Some(slot);
        self.copies.insert(self.begun, Copy { slot, issued_by, remaining });
        self.begun
    }

    /// Records that copy `copy` will send `times` signals to mbarriers.
    pub fn expect_signals(&mut self, copy: u64, times: usize) {
        if let Some(copy) = self.copies.get_mut(&copy) {
            copy.remaining += times;
        }
    }

    /// Records that a piece of the copy is written, or that one of its signals to an mbarrier has taken effect.
    pub fn done(&mut self, copy: u64) {
        let Some(copy_state) = self.copies.get_mut(&copy) else { return };
        copy_state.remaining = copy_state.remaining.saturating_sub(1);
        if copy_state.remaining == 0 {
            self.performed.push_back(copy_state.slot);
            self.copies.remove(&copy);
        }
    }

    /// The number of copies that were started so far.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Whether the copy with this number is in flight.
    pub fn contains(&self, copy: u64) -> bool {
        self.copies.contains_key(&copy)
    }

    /// Whether a copy is in flight.
    pub fn busy(&self) -> bool {
        !(self.copies.is_empty() && self.performed.is_empty())
    }
}
