// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The vector clocks of a CTA's warps and lanes, and the last accesses to each byte.

use super::barriers::{Cluster, Gateway, Objects};
use super::vector::VectorClock;
use crate::warp::threads::bits;
use crate::warp::Group;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The clock of a copy that its thread has not waited for: no access is ordered after the copy.
pub(super) const NEVER: u32 = u32::MAX;

/// An access to a byte.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) warp: usize,
    pub(super) lane: usize,
    /// The clocks of the warp and of the lane at the issue of the access.
    pub(super) clock: u32,
    pub(super) lane_clock: u32,
    /// The index of the location of the access.
    pub(super) place: usize,
    /// Whether the access is strong; it does not race with another strong access.
    pub(super) strong: bool,
    /// The number of the access instruction in the run; the accesses of one instruction do not race
    /// with each other.
    pub(super) issue: u64,
    /// The group of an asynchronous copy; `None` if the access is not an asynchronous copy.
    pub(super) group: Option<Group>,
    /// The stored value, if it is known: two threads that store the same value do not race.
    pub(super) value: Option<u8>,
}

/// The last accesses to a byte.
#[derive(Clone, Debug, Default)]
pub(super) struct Byte {
    pub(super) write: Option<Touch>,
    /// The last read by each lane since `write`.
    pub(super) reads: Vec<Touch>,
}

/// The clocks of one CTA.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    pub(super) cta: usize,
    /// For each warp, the clocks of everything that is ordered before the next access of the warp.
    pub(super) warps: Vec<VectorClock>,
    /// For each warp and lane, the clocks of all lanes of the warp.
    pub(super) lanes: Vec<Vec<Vec<u32>>>,
    /// The arrivals of incomplete generations: their lanes, and the clocks that they release; the key is barrier and warp.
    pub(super) arrivals: HashMap<(u8, usize), VecDeque<(u64, VectorClock)>>,
    pub(super) bytes: BTreeMap<u64, Byte>,
    pub(super) objects: Objects,
    pub(super) gateway: Gateway,
    pub(super) cluster: Cluster,
}

/// A warp that accesses memory.
#[derive(Clone, Copy)]
pub(crate) struct Thread {
    pub cta: usize,
    pub warp: usize,
    /// The number of warps of the CTA, and the number of lanes of a warp.
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

    /// The number of the present step of a warp. A warp starts a new step whenever it releases its
    /// clocks.
    pub(super) fn clock(&self, warp: usize) -> u32 {
        self.warps[warp].get((self.cta, warp))
    }

    /// Starts the next step of a warp, so that the clocks that the warp has released so far do not cover its later accesses.
    pub(super) fn tick(&mut self, warp: usize) {
        self.warps[warp].tick((self.cta, warp));
    }

    /// Records an access to byte `at`. Returns an earlier access that races with it, and whether the earlier access is a store.
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
            // The read of a copy in flight is kept even if a plain read of its lane follows, because the copy may still read the byte
            // later.
            let same = |read: &Touch| (read.warp, read.lane) == (touch.warp, touch.lane);
            byte.reads.retain(|read| !same(read) || read.clock == NEVER && touch.clock != NEVER);
            byte.reads.push(touch);
        }
        write.or(read)
    }

    /// Records that all lanes of a warp meet.
    pub(super) fn meet_all(&mut self, warp: usize) {
        let lanes = self.lanes.get(warp).map_or(1, Vec::len);
        self.meet(warp, u64::MAX >> (64 - lanes.clamp(1, 64)));
    }

    /// Records that lanes of a warp meet: each of these lanes acquires the clocks of all these lanes.
    pub(super) fn meet(&mut self, warp: usize, lanes: u64) {
        let Some(lane_clocks) = self.lanes.get_mut(warp) else { return };
        let mut joined = vec![0; lane_clocks.len()];
        bits(lanes).filter_map(|lane| lane_clocks.get(lane)).for_each(|clocks| join(&mut joined, clocks));
        for lane in bits(lanes) {
            if let Some(clocks) = lane_clocks.get_mut(lane) {
                join(clocks, &joined);
                clocks[lane] += 1;
            }
        }
    }
}
