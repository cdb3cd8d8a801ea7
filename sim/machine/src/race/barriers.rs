// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What races know of the gateway, of mbarriers and of the barrier of a cluster.

use super::vector::VectorClock;
use bcu_program::Place;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

/// Of one thread group.
#[derive(Debug, Default)]
pub(super) struct Gateway {
    /// What each warp has handed to memory, by fences or because it came from others.
    pub(super) fenced: HashMap<usize, VectorClock>,
    /// What signals on their way to the gateway hand on, by warp.
    pub(super) sent: HashMap<usize, VecDeque<VectorClock>>,
    /// What the signals of open phases hand on, by barrier.
    pub(super) phases: HashMap<u8, VectorClock>,
    /// What consumers get with their notification, by barrier and warp.
    pub(super) notified: HashMap<(u8, usize), VectorClock>,
}

/// What is handed on: clocks for all accesses, and those that hold for inits of mbarriers alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    pub(super) accesses: VectorClock,
    pub(super) inits: VectorClock,
}

/// What the barrier of a cluster hands on within one CTA.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// By warp, what its fences have released.
    pub(super) fences: HashMap<usize, Released>,
    /// By phase, what arrivals hand on.
    pub(super) phases: BTreeMap<u64, Released>,
    /// By warp, the inits of mbarriers that it sees, beside those that its clocks order before it.
    pub(super) inits: HashMap<usize, VectorClock>,
}

/// What the mbarriers of a CTA hand on, by their addresses.
#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) phases: HashMap<u32, Phases>,
    /// By warp, operations under way in their order: the mbarrier, and what an arrival hands on.
    pub(super) asked: HashMap<usize, VecDeque<(u32, Option<VectorClock>)>>,
    /// By warp, the mbarrier at which it has waited last.
    pub(super) waits: HashMap<usize, u32>,
    /// Copies on their way: the mbarrier that they tell, their bytes, and the instruction of the run.
    pub(super) flying: Vec<(u32, Range<u64>, u64)>,
    pub(super) made: HashMap<u32, Made>,
}

/// Who has made an mbarrier, and the clocks of then.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) warp: usize,
    pub(super) lane: usize,
    pub(super) clock: u32,
    pub(super) lane_clock: u32,
    pub(super) place: Place,
}

/// An operation that is on its way.
pub(in super::super) struct Asks<'p> {
    pub object: u32,
    pub lanes: u64,
    pub makes: bool,
    /// It hands on what its warp did before.
    pub releases: bool,
    pub place: &'p Place,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    /// What the arrivals of the open phase have handed on, and what those of all phases before have.
    pub(super) open: VectorClock,
    pub(super) passed: VectorClock,
}

/// What the unit has decided of an operation.
#[derive(Clone, Copy)]
pub(in super::super) struct Decided {
    pub object: u32,
    /// The warp within its CTA; `None` is no operation of a warp.
    pub warp: Option<usize>,
    /// The other CTA that has sent it.
    pub sender: Option<usize>,
    pub refused: bool,
    pub completes: bool,
}

/// What has come of copies.
pub(in super::super) enum Landed {
    /// These bytes of shared memory.
    Bytes(Range<u64>),
    /// All plain copies of a lane so far.
    Lane(usize),
}
