// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The race detector's state for the gateway, for mbarriers and for the barrier of a cluster.

use super::vector::VectorClock;
use bcu_program::Place;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

/// The state of one thread group.
#[derive(Debug, Default)]
pub(super) struct Gateway {
    /// By warp, the clocks of accesses that are in memory, by fences or because they were acquired from other warps.
    pub(super) fenced: HashMap<usize, VectorClock>,
    /// By warp, the clocks released by signals in flight to the gateway.
    pub(super) signals_in_flight: HashMap<usize, VecDeque<VectorClock>>,
    /// By barrier, the clocks released by the signals of the open phase.
    pub(super) phases: HashMap<u8, VectorClock>,
    /// By barrier and warp, the clocks that a consumer acquires with its notification.
    pub(super) notified: HashMap<(u8, usize), VectorClock>,
}

/// Released clocks: for all accesses, and for inits of mbarriers only.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    pub(super) accesses: VectorClock,
    pub(super) inits: VectorClock,
}

/// The clocks that the barrier of a cluster passes within one CTA.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// By warp, the clocks that its fences have released.
    pub(super) fences: HashMap<usize, Released>,
    /// By phase, the clocks that arrivals release.
    pub(super) phases: BTreeMap<u64, Released>,
    /// By warp, the inits of mbarriers that are ordered before it, in addition to those that its clocks order.
    pub(super) inits: HashMap<usize, VectorClock>,
}

/// The clocks that the mbarriers of a CTA pass, by address.
#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) phases: HashMap<u32, Phases>,
    /// By warp, its operations in flight in order: the mbarrier, and the clocks that an arrival releases.
    pub(super) issued: HashMap<usize, VecDeque<(u32, Option<VectorClock>)>>,
    /// By warp, the mbarrier of its last operation.
    pub(super) waits: HashMap<usize, u32>,
    /// Copies in flight: the mbarrier that they signal, their bytes, and the number of their instruction in the run.
    pub(super) in_flight: Vec<(u32, Range<u64>, u64)>,
    pub(super) inits: HashMap<u32, Init>,
}

/// The thread that initialised an mbarrier, and its clocks at that time.
#[derive(Clone, Debug)]
pub(super) struct Init {
    pub(super) warp: usize,
    pub(super) lane: usize,
    pub(super) clock: u32,
    pub(super) lane_clock: u32,
    pub(super) place: Place,
}

/// An operation in flight.
pub(in super::super) struct ObjectOp<'p> {
    pub object: u32,
    pub lanes: u64,
    pub is_init: bool,
    /// Whether it releases the earlier accesses of its warp.
    pub releases: bool,
    pub place: &'p Place,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    /// The clocks released by the arrivals of the open phase, and by those of all earlier phases.
    pub(super) open: VectorClock,
    pub(super) passed: VectorClock,
}

/// The unit's decision of an operation.
#[derive(Clone, Copy)]
pub(in super::super) struct Decided {
    pub object: u32,
    /// The warp within its CTA; `None` if it is not an operation of a warp.
    pub warp: Option<usize>,
    /// The other CTA that has sent it.
    pub sender: Option<usize>,
    pub refused: bool,
    pub completes: bool,
}

/// The completed part of copies.
pub(in super::super) enum Landed {
    /// These bytes of shared memory.
    Bytes(Range<u64>),
    /// All plain copies of a lane so far.
    Lane(usize),
}
