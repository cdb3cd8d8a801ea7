// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The records that `mbarrier` keeps of operations in flight.

use super::mbarrier_clock::TimeOut;
use super::mbarrier_net::Answer;
use super::mbarrier_object::{MbarrierKind, Object};
use super::mbarrier_ports::{MbarrierOp, NetIn, Transfer};
use super::op::Code;

/// An item in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// Its `fault` is the fault that does not depend on the object.
    Op(MbarrierOp),
    Tx(Transfer),
    Net(NetIn),
    TimeOut(TimeOut),
    /// The result of an operation that has left for the network.
    Answer(Answer),
    /// A remote operation of this CTA has found no CTA at its target.
    Absent(u8),
    /// A step of the walk, for this entry.
    WalkStep(usize),
}

/// A cached object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) cta: u8,
    /// Number of the word.
    pub(super) number: u32,
    pub(super) object: Object,
    pub(super) dirty: bool,
    /// Warps that are suspended on it.
    pub(super) waiting: u64,
}

/// The walk over the entries of a CTA that leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) cta: u8,
    /// The slot was chosen at least a cycle ago.
    pub(super) begun: bool,
    /// The next step to put into the queue, if there is one.
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
    /// Arrivals and bytes.
    pub n: u32,
    pub t: u32,
    /// The fault with which it was refused.
    pub fault: Code,
    /// The object before and after, if the operation reached it.
    pub before: Option<Object>,
    pub after: Option<Object>,
    pub completes: bool,
    /// The sender of an operation from the network: the sender's CTA slot, with its multiprocessor in the bits above.
    pub source: Option<u8>,
    /// Whether its warp is suspended.
    pub suspends: bool,
    /// The predicate of a wait.
    pub answer: bool,
}
