// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The records that `mbarrier` keeps of operations in flight.

use super::mbarrier_clock::TimeOut;
use super::mbarrier_net::Answer;
use super::mbarrier_object::{MbarrierKind, Object};
use super::mbarrier_ports::{MbarrierOp, NetIn, Transfer};
use super::op::Code;

/// An item in the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Item {
    /// An operation of a warp; its `fault` is the fault that does not depend on the object.
    Op(MbarrierOp),
    Tx(Transfer),
    Net(NetIn),
    TimeOut(TimeOut),
    /// The result of an operation that was sent to the network.
    Answer(Answer),
    /// A remote operation of the CTA in this CTA slot has not found its target CTA.
    Absent(u8),
    /// A step of the walk, for this entry.
    WalkStep(usize),
}

/// A cached object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) cta: u8,
    /// The number of the object's 8-byte word in shared memory.
    pub(super) number: u32,
    pub(super) object: Object,
    pub(super) dirty: bool,
    /// Warps that are suspended on the entry, one bit per warp.
    pub(super) waiting: u64,
}

/// The walk over the entries of a CTA that leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Round {
    pub(super) cta: u8,
    /// The CTA slot of the walk was chosen at least one cycle ago.
    pub(super) begun: bool,
    /// The entry of the next step to put into the queue; `None`: all steps are in the queue.
    pub(super) next_entry: Option<usize>,
    pub(super) through: bool,
}

/// The consequence of a decision: its item leaves the queue (`done`), and the later items start again (`restart`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) done: bool,
    pub(super) restart: bool,
}

/// The decision on an operation, for observers of the events inside the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    pub kind: MbarrierKind,
    pub cta: u8,
    /// The shared address without the rank.
    pub address: u32,
    /// The warp slot; `None` for an operation that is not from a warp of this multiprocessor.
    pub warp: Option<u8>,
    /// The number of arrivals.
    pub n: u32,
    /// The number of bytes.
    pub t: u32,
    /// The fault for which the operation was refused.
    pub fault: Code,
    /// The object before the operation; `None` if the operation has not reached an object.
    pub before: Option<Object>,
    /// The object after the operation; `None` if the operation has not reached an object.
    pub after: Option<Object>,
    pub completes: bool,
    /// The sender of an operation from the network: the sender's CTA slot, with its multiprocessor in the bits above.
    pub source: Option<u8>,
    /// Whether the operation suspends its warp.
    pub suspends: bool,
    /// The predicate of a wait.
    pub answer: bool,
}
