// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mbarriers of the race detector, and the operations and copies in flight to them.

use super::clock::{Source, NEVER};
use super::known::Known;
use super::order::before::Before;
use crate::schedule_file::Execution;
use bcu_model::mbarrier_object::MbarrierKind;
use bcu_program::Place;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

/// The sources of mbarriers have this bit; those of warps do not.
const OBJECTS: u32 = 1 << 31;

/// An mbarrier, as CTA and address.
pub(super) type Key = (usize, u32);

/// What the arrivals at one mbarrier have released.
#[derive(Debug)]
pub(super) struct Object {
    /// The source of the copies that signal the mbarrier; their step is the number of their phase, from 1.
    pub(super) source: Source,
    /// The number of completed phases.
    pub(super) phases: u32,
    /// What the arrivals of the open phase have released.
    pub(super) open: Known,
    /// What the arrivals of all earlier phases have released.
    pub(super) passed: Known,
    pub(super) init: Option<Init>,
    /// Whether another CTA has sent an operation or a copy.
    pub(super) is_used_remotely: bool,
}

/// The lane that initialised an mbarrier, and its step at that time.
#[derive(Clone, Debug)]
pub(super) struct Init {
    pub(super) warp: usize,
    pub(super) source: Source,
    pub(super) lane: usize,
    pub(super) step: u32,
    pub(super) place: Place,
}

/// Bytes of a copy in flight, and the mbarrier that the copy signals.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) key: Key,
    pub(super) bytes: Range<u64>,
    pub(super) event: u32,
    /// The start of the copy.
    pub(super) before: Rc<Before>,
}

/// An operation of a warp that was issued.
#[derive(Clone, Debug)]
pub(super) struct Issued {
    pub(super) object: u32,
    pub(super) lanes: u64,
    pub(super) acquires: bool,
    /// What an arrival releases.
    pub(super) released: Option<Known>,
    /// Whether a loop repeats the wait until it returns true.
    pub(super) is_repeated: bool,
    pub(super) before: Rc<Before>,
}

/// The last operation of a warp on an mbarrier, for which the warp may wait.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub(super) object: u32,
    pub(super) lanes: u64,
    pub(super) acquires: bool,
    /// What was released to the phase of the wait and to the phases before it, once the phase is complete.
    pub(super) passed: Option<Known>,
}

/// An operation in flight to an mbarrier of another CTA.
#[derive(Clone, Debug)]
pub(super) struct RemoteIssued {
    pub(super) released: Option<Known>,
    pub(super) before: Rc<Before>,
}

#[derive(Debug, Default)]
pub(super) struct Objects {
    pub(super) objects: HashMap<Key, Object>,
    /// The number of mbarriers so far.
    pub(super) count: u32,
    /// For each warp of a CTA, its operations in flight in order: the mbarrier, the lanes, and what an arrival releases.
    pub(super) issued: HashMap<(usize, usize), VecDeque<Issued>>,
    /// For each warp of a CTA, its last operation.
    pub(super) waits: HashMap<(usize, usize), Wait>,
    /// The operations in flight to mbarriers of other CTAs; the key is sending CTA, receiving CTA and address.
    pub(super) remote: HashMap<(usize, usize, u32), VecDeque<RemoteIssued>>,
    pub(super) in_flight: Vec<InFlight>,
}

/// An operation in flight to an mbarrier.
pub(in super::super) struct ObjectOp<'p> {
    pub object: u32,
    pub lanes: u64,
    pub is_init: bool,
    /// Whether the operation is an init or an invalidation, which store to the bytes of the mbarrier.
    pub stores: bool,
    pub arrival: Arrival,
    /// Whether a wait acquires what was released to its phase; a relaxed wait does so only with a fence.
    pub acquires: bool,
    pub answer_use: AnswerUse,
    pub place: &'p Place,
    pub execution: Option<Execution>,
}

/// How the program uses the answer of an operation on an mbarrier.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct AnswerUse {
    /// Whether the operation is a wait that a loop repeats until it returns true.
    pub is_repeated: bool,
    /// Whether the state that an arrival returns is used as nothing but the phase of waits.
    pub is_only_phase: bool,
}

/// Whether an operation on an mbarrier is an arrival, and its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Arrival {
    No,
    /// The arrival releases what a fence before it has released.
    Relaxed,
    /// The arrival releases the earlier accesses of its lanes.
    Release,
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
    pub kind: MbarrierKind,
    /// The answer of a wait.
    pub answer: bool,
    /// Whether the wait suspends its warp.
    pub suspends: bool,
    /// Whether no later phase expects arrivals.
    pub drops_last: bool,
    /// Whether the open phase has all arrivals, and its bytes are not those expected.
    pub waits_for_bytes: bool,
    /// The number of bytes that the operation expects or completes.
    pub bytes: u32,
}

/// The bytes or copies that have completed.
#[derive(Clone, Debug)]
pub(in super::super) enum Landed {
    /// Bytes of shared memory that a bulk copy has written.
    Bytes(Range<u64>),
    /// All plain copies that a lane has started up to copy `last` of its warp.
    Copies { lane: usize, last: u32 },
    /// All work on the tensor core that a lane has started up to this number.
    Work { lane: usize, last: u32 },
}

impl Objects {
    pub(super) fn object(&mut self, key: Key) -> &mut Object {
        let Objects { objects, count, .. } = self;
        objects.entry(key).or_insert_with(|| {
            *count += 1;
            Object {
                source: Source(OBJECTS | *count),
                phases: 0,
                open: Known::default(),
                passed: Known::default(),
                init: None,
                is_used_remotely: false,
            }
        })
    }

    pub(super) fn remove_cta(&mut self, cta: usize) {
        self.objects.retain(|(of, _), _| *of != cta);
        self.issued.retain(|(of, _), _| *of != cta);
        self.waits.retain(|(of, _), _| *of != cta);
        self.remote.retain(|(from, to, _), _| *from != cta && *to != cta);
        self.in_flight.retain(|copy| copy.key.0 != cta);
    }

    /// Records a copy in flight.
    pub(super) fn copy_in_flight(&mut self, copy: InFlight) {
        self.in_flight.push(copy);
    }
}

/// The event of a copy that signals an mbarrier has this source and step until the copy has completed.
pub(super) const IN_FLIGHT: (Source, u32) = (Source(u32::MAX), NEVER);
