// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of a multiprocessor, each with the last answer to whether it can issue. The answer is dropped whenever the warp is borrowed to
//! be changed, so the scheduler examines only warps that may have changed.

use super::super::warp::threads::bits;
use super::super::warp::{Chosen, Needs, Warp};
use bcu_model::bits::assign;
use std::ops::{Deref, Index, IndexMut};

/// Whether a warp can issue while its `blocked` bit is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    /// The warp can issue this instruction as soon as what it needs is free.
    Ready(Chosen, Needs),
    /// The warp cannot issue before this cycle.
    NotBefore(u64),
    /// The warp cannot issue before it changes.
    Waits,
    /// The warp cannot issue now, and has to be examined in every cycle.
    Held,
}

/// The warps of all CTAs launched so far, in launch order. Sets of warp slots have one bit per slot.
pub(in super::super) struct Warps {
    warps: Vec<Warp>,
    /// For each warp slot, the result of the last examination of its warp.
    readiness: Vec<Readiness>,
    /// The slots whose warps may have changed since their last examination, or are held.
    unknown: u64,
    /// The slots whose warps cannot issue before some cycle.
    timed: u64,
    /// The slots whose warps can issue, without those in `conditional`.
    ready: u64,
    /// The slots whose warps can issue if what they need is free.
    conditional: u64,
}

impl Warps {
    /// No warps, for a multiprocessor with `slots` warp slots.
    pub fn new(slots: usize) -> Warps {
        Warps { warps: vec![], readiness: vec![Readiness::Held; slots], unknown: u64::MAX, timed: 0, ready: 0, conditional: 0 }
    }

    pub fn push(&mut self, warp: Warp) {
        self.unknown |= 1 << warp.slot;
        self.warps.push(warp);
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Warp> {
        self.unknown = u64::MAX;
        self.warps.iter_mut()
    }

    /// The warp slots that must be examined to choose the warp that issues in cycle `cycle`.
    pub(super) fn unexamined(&self, cycle: u64) -> u64 {
        let is_due = |slot: &usize| matches!(self.readiness[*slot], Readiness::NotBefore(first) if first <= cycle);
        bits(self.timed).filter(is_due).fold(self.unknown, |slots, slot| slots | 1 << slot)
    }

    /// Keeps the result of an examination of the warp in slot `slot`.
    pub(super) fn keep(&mut self, slot: usize, readiness: Readiness) {
        self.readiness[slot] = readiness;
        // Other warps can change at any time whether a warp may issue that waits for other warps.
        let is_unknown = matches!(readiness, Readiness::Held | Readiness::Ready(_, Needs::OtherWarps | Needs::Columns));
        assign(&mut self.unknown, slot, is_unknown);
        assign(&mut self.timed, slot, matches!(readiness, Readiness::NotBefore(_)));
        assign(&mut self.ready, slot, matches!(readiness, Readiness::Ready(_, Needs::Nothing | Needs::OtherWarps)));
        assign(&mut self.conditional, slot, self.ready >> slot & 1 == 0 && matches!(readiness, Readiness::Ready(..)));
    }

    /// The warp slots whose warps can issue: those that need nothing else, and the others. Every slot in `among` must have been examined.
    pub(super) fn ready(&self, among: u64) -> (u64, u64) {
        (self.ready & among, self.conditional & among)
    }

    /// The first cycle in which the warp in a slot can issue, if it waits for time only.
    pub(super) fn not_before(&self, slot: usize) -> Option<u64> {
        match self.readiness[slot] {
            Readiness::NotBefore(first) => Some(first),
            _ => None,
        }
    }

    /// The next instruction of the warp in a slot, and what it needs; `None` if the warp cannot issue.
    pub(super) fn next(&self, slot: usize) -> Option<(Chosen, Needs)> {
        match self.readiness[slot] {
            Readiness::Ready(chosen, needs) => Some((chosen, needs)),
            _ => None,
        }
    }
}

impl Deref for Warps {
    type Target = [Warp];

    fn deref(&self) -> &[Warp] {
        &self.warps
    }
}

impl<'w> IntoIterator for &'w Warps {
    type Item = &'w Warp;
    type IntoIter = std::slice::Iter<'w, Warp>;

    fn into_iter(self) -> Self::IntoIter {
        self.warps.iter()
    }
}

impl Index<usize> for Warps {
    type Output = Warp;

    fn index(&self, index: usize) -> &Warp {
        &self.warps[index]
    }
}

impl IndexMut<usize> for Warps {
    fn index_mut(&mut self, index: usize) -> &mut Warp {
        let warp = &mut self.warps[index];
        self.unknown |= 1 << warp.slot;
        warp
    }
}
