// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a thread knows of the others, and who touched a byte last.

use super::barriers::{Cluster, Gateway, Objects};
use super::vector::VectorClock;
use crate::warp::threads::bits;
use crate::warp::Group;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A copy that nobody has waited for has not happened for anyone.
pub(super) const NEVER: u32 = u32::MAX;

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
    pub(super) cta: usize,
    /// By warp, what has happened before its next access.
    pub(super) warps: Vec<VectorClock>,
    /// By warp, then by lane, then by lane.
    pub(super) lanes: Vec<Vec<Vec<u32>>>,
    /// By barrier and warp, the arrivals that are not complete: their lanes, and what they hand on.
    pub(super) arrivals: HashMap<(u8, usize), VecDeque<(u64, VectorClock)>>,
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

fn join(into: &mut [u32], from: &[u32]) {
    into.iter_mut().zip(from).for_each(|(into, from)| *into = (*into).max(*from));
}

impl Clocks {
    pub(super) fn new(thread: Thread) -> Clocks {
        let first = |warp: usize| {
            let mut clock = VectorClock::default();
            clock.tick((thread.cta, warp));
            clock
        };
        let lanes = (0..thread.width).map(|i| (0..thread.width).map(|j| u32::from(i == j)).collect()).collect();
        Clocks {
            cta: thread.cta,
            warps: (0..thread.warps).map(first).collect(),
            lanes: vec![lanes; thread.warps],
            ..Clocks::default()
        }
    }

    /// The steps of a warp so far.
    pub(super) fn clock(&self, warp: usize) -> u32 {
        self.warps[warp].get((self.cta, warp))
    }

    /// What a warp does from now on is not handed on by what it has handed on before.
    pub(super) fn tick(&mut self, warp: usize) {
        self.warps[warp].tick((self.cta, warp));
    }

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
                false => before.clock <= self.warps[touch.warp].get((self.cta, before.warp)),
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
