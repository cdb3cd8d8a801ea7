// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a thread knows of the others, and who touched a byte last.

use super::barriers::{Cluster, Gateway, Objects};
use crate::memory::Bank;
use crate::warp::threads::bits;
use crate::warp::Group;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A copy that nobody has waited for has not happened for anyone.
pub(super) const NEVER: u32 = u32::MAX;

/// Bytes of memory whose strong accesses order each other.
const WORD: u64 = 4;

/// So many of these words are kept apart.
const MOST_WORDS: usize = 1 << 16;

/// An access to a byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) warp: usize,
    pub(super) lane: usize,
    /// Of its warp and of its lane when it was issued.
    pub(super) clock: u32,
    pub(super) lane_clock: u32,
    /// Index among the places.
    pub(super) place: usize,
    /// Atomic or otherwise strong: no race with another such.
    pub(super) strong: bool,
    /// Which instruction of the run it belongs to.
    pub(super) issue: u64,
    /// Group of an asynchronous copy.
    pub(super) group: Option<Group>,
    /// What it stores, if that is known: two threads that store the same do no harm.
    pub(super) value: Option<u8>,
}

/// What is known of a byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Byte {
    pub(super) write: Option<Touch>,
    /// Since then, the last of each lane.
    pub(super) reads: Vec<Touch>,
}

/// One CTA.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    /// By warp, then by warp.
    pub(super) warps: Vec<Vec<u32>>,
    /// By warp, then by lane, then by lane.
    pub(super) lanes: Vec<Vec<Vec<u32>>>,
    /// By barrier and warp, the arrivals that are not complete: their lanes, and what they hand on.
    pub(super) arrivals: HashMap<(u8, usize), VecDeque<(u64, Vec<u32>)>>,
    /// What strong accesses handed on, by memory and word of [`WORD`] bytes.
    pub(super) strong: HashMap<(Bank, u64), Vec<u32>>,
    pub(super) bytes: BTreeMap<u64, Byte>,
    pub(super) objects: Objects,
    pub(super) gateway: Gateway,
    pub(super) cluster: Cluster,
}

/// Who accesses memory.
#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub cta: usize,
    pub warp: usize,
    /// Warps of the CTA, and lanes of a warp.
    pub warps: usize,
    pub width: usize,
}

/// [`join`] where fewer warps may be known than in `from`.
pub(super) fn grown(clocks: &mut Vec<u32>, from: &[u32]) {
    clocks.resize(clocks.len().max(from.len()), 0);
    join(clocks, from);
}

pub(super) fn join(into: &mut [u32], from: &[u32]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into = (*into).max(*from));
}

impl Clocks {
    /// Takes note of an access; gives an earlier one that nothing orders before it, and whether that stored.
    pub(super) fn touch(&mut self, at: u64, touch: Touch, store: bool) -> Option<(Touch, bool)> {
        let byte = self.bytes.entry(at).or_default();
        let ordered = |before: &Touch| {
            if before.issue == touch.issue || before.strong && touch.strong {
                return true;
            }
            if before.clock == NEVER {
                return false;
            }
            match before.warp == touch.warp {
                false => before.clock <= self.warps[touch.warp][before.warp],
                true if before.lane == touch.lane => true,
                true => before.lane_clock <= self.lanes[touch.warp][touch.lane][before.lane],
            }
        };
        let same = |write: &Touch| store && write.value.is_some() && write.value == touch.value;
        let write = byte.write.filter(|write| !ordered(write) && !same(write)).map(|write| (write, true));
        let read = byte.reads.iter().find(|read| store && !ordered(read)).map(|read| (*read, false));
        if store {
            byte.write = Some(touch);
            byte.reads.clear();
        } else {
            // A copy that nobody has waited for still reads.
            let same = |read: &Touch| (read.warp, read.lane) == (touch.warp, touch.lane);
            byte.reads.retain(|read| !same(read) || read.clock == NEVER && touch.clock != NEVER);
            byte.reads.push(touch);
        }
        write.or(read)
    }

    /// A strong access takes what those before it at its bytes handed on. In whatever memory they are: a flag or a lock in global memory
    /// orders as one in shared memory does.
    pub(super) fn strong(&mut self, warp: usize, (bank, at): (Bank, u64), bytes: u64) {
        for word in at / WORD..=at.saturating_add(bytes.max(1) - 1) / WORD {
            // Beyond these all words order each other, which may hide a race and makes none.
            let is_kept = self.strong.len() < MOST_WORDS || self.strong.contains_key(&(bank, word));
            let word = if is_kept { word } else { u64::MAX };
            let before = self.strong.entry((bank, word)).or_insert_with(|| vec![0; self.warps.len()]);
            join(&mut self.warps[warp], before);
            join(before, &self.warps[warp]);
        }
        self.warps[warp][warp] += 1;
    }

    /// All lanes of a warp meet.
    pub(super) fn meet_all(&mut self, warp: usize) {
        let lanes = self.lanes.get(warp).map_or(1, Vec::len);
        self.meet(warp, u64::MAX >> (64 - lanes.clamp(1, 64)));
    }

    /// Lanes of a warp meet: each has what all of them had.
    pub(super) fn meet(&mut self, warp: usize, lanes: u64) {
        let Some(own) = self.lanes.get_mut(warp) else { return };
        let mut all = vec![0; own.len()];
        bits(lanes).filter_map(|lane| own.get(lane)).for_each(|clocks| join(&mut all, clocks));
        for lane in bits(lanes) {
            if let Some(clocks) = own.get_mut(lane) {
                join(clocks, &all);
                clocks[lane] += 1;
            }
        }
    }
}
