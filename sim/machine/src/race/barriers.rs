// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The race detector's state for the gateway, for mbarriers and for the barrier of a cluster.

use super::vector::VectorClock;
use bcu_program::Place;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

/// The state of the gateway for one thread group.
#[derive(Debug, Default)]
pub(super) struct Gateway {
    /// For each warp, the clocks of accesses that are certainly performed, either because a fence
    /// of the warp waited for them or because the warp acquired their clocks from other warps.
    pub(super) fenced: HashMap<usize, VectorClock>,
    /// For each warp, the clocks that its signals in flight to the gateway have released.
    pub(super) signals_in_flight: HashMap<usize, VecDeque<VectorClock>>,
    /// For each barrier, the clocks that the signals of its open phase have released.
    pub(super) phases: HashMap<u8, VectorClock>,
    /// The clocks that a consumer acquires with its notification; the key is barrier and warp.
    pub(super) notified: HashMap<(u8, usize), VectorClock>,
}

/// Released clocks: `accesses` order all accesses, `inits` order only the inits of mbarriers.
#[derive(Clone, Debug, Default)]
pub(super) struct Released {
    pub(super) accesses: VectorClock,
    pub(super) inits: VectorClock,
}

/// The clocks that warps of one CTA pass to each other by the barrier of the cluster.
#[derive(Debug, Default)]
pub(super) struct Cluster {
    /// For each warp, the clocks that its fences have released.
    pub(super) fences: HashMap<usize, Released>,
    /// For each phase, the clocks that its arrivals have released.
    pub(super) phases: BTreeMap<u64, Released>,
    /// For each warp, the clocks of mbarrier inits that are ordered before the warp, in addition to the inits that the warp's clocks
    /// already order.
    pub(super) inits: HashMap<usize, VectorClock>,
}

/// The clocks that warps of a CTA pass to each other by its mbarriers; the address of an mbarrier is the key.
#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) phases: HashMap<u32, Phases>,
    /// For each warp, its operations in flight in order: the mbarrier, and the clocks if the operation is an arrival.
    pub(super) issued: HashMap<usize, VecDeque<(u32, Option<VectorClock>)>>,
    /// For each warp, the mbarrier of its last decided operation.
    pub(super) waits: HashMap<usize, u32>,
    /// Copies in flight: the address of the mbarrier that a copy signals, its bytes, and the number of its instruction in the run.
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

/// An operation in flight to an mbarrier.
pub(in super::super) struct ObjectOp<'p> {
    pub object: u32,
    pub lanes: u64,
    pub is_init: bool,
    /// Whether the operation releases the earlier accesses of its warp.
    pub releases: bool,
    pub place: &'p Place,
}

/// The clocks that arrivals at one mbarrier have released.
#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    /// The clocks that the arrivals of the open phase have released, and the clocks that the arrivals of all earlier phases have released.
    pub(super) open: VectorClock,
    pub(super) passed: VectorClock,
}

/// An operation on an mbarrier that the unit has decided.
#[derive(Clone, Copy)]
pub(in super::super) struct Decided {
    pub object: u32,
    /// The number of the warp in its CTA; `None` if no warp of this CTA has sent the operation.
    pub warp: Option<usize>,
    /// The CTA that has sent the operation, if it is not the CTA of the mbarrier.
    pub sender: Option<usize>,
    pub refused: bool,
    pub completes: bool,
}

/// The bytes or copies that have completed.
pub(in super::super) enum Landed {
    /// Bytes of shared memory that a bulk copy has written.
    Bytes(Range<u64>),
    /// All plain copies that a lane has started so far.
    Lane(usize),
}
