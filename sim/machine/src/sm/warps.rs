// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of a multiprocessor, each with the last answer to whether it can issue. The answer is dropped whenever the warp is borrowed to
//! be changed, so the scheduler examines only warps that may have changed.

use super::super::warp::{Chosen, Needs, Warp};
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

/// The warps of all CTAs launched so far, in launch order.
#[derive(Default)]
pub(in super::super) struct Warps {
    warps: Vec<Warp>,
    /// For each warp, its warp slot and whether it can issue; `None`: the warp may have changed.
    known: Vec<(usize, Option<Readiness>)>,
}

impl Warps {
    pub fn push(&mut self, warp: Warp) {
        self.known.push((warp.slot, None));
        self.warps.push(warp);
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Warp> {
        self.known.iter_mut().for_each(|(_, readiness)| *readiness = None);
        self.warps.iter_mut()
    }

    /// The warp slot of a warp, and whether the warp can issue, if it has not changed since [`Warps::keep`].
    pub(super) fn readiness(&self, index: usize) -> (usize, Option<Readiness>) {
        self.known[index]
    }

    /// Keeps the result of an examination.
    pub(super) fn keep(&mut self, index: usize, readiness: Readiness) {
        self.known[index].1 = Some(readiness);
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
        self.known[index].1 = None;
        &mut self.warps[index]
    }
}
