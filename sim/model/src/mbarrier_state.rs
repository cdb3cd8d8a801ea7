// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `mbarrier` keeps of the operations under way.

use super::mbarrier_clock::TimeOut;
use super::mbarrier_net::Answer;
use super::mbarrier_object::{MbarrierKind, Object};
use super::mbarrier_ports::{MbarrierOp, NetIn, Transfer};
use super::op::Code;

/// What waits in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// With what is wrong with it as such in `fault`.
    Op(MbarrierOp),
    Tx(Transfer),
    Net(NetIn),
    TimeOut(TimeOut),
    /// An operation has left for the network.
    Answer(Answer),
    /// One of this CTA has found nobody there.
    Absent(u8),
    /// A step of the walk, for this entry.
    Step(usize),
}

/// An object that is cached.
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

/// The walk over the entries of a CTA that goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) cta: u8,
    /// The slot is known for a cycle already.
    pub(super) begun: bool,
    /// The next step to put into the queue, if there is one.
    pub(super) step: Option<usize>,
    pub(super) through: bool,
}

/// What a decision says of its item and of those behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) done: bool,
    pub(super) restart: bool,
}

/// What was decided of an operation, for whoever wants to know what happened inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    pub kind: MbarrierKind,
    pub cta: u8,
    /// Shared address, without the rank.
    pub address: u32,
    /// Warp slot; `None` of a copy engine.
    pub warp: Option<u8>,
    /// Arrivals and bytes.
    pub n: u32,
    pub t: u32,
    /// Why it was refused.
    pub fault: Code,
    /// The object, as far as the operation came to it.
    pub before: Option<Object>,
    pub after: Option<Object>,
    pub completes: bool,
    /// Where it came from over the network: the sender's CTA slot, and its multiprocessor above.
    pub source: Option<u8>,
    /// Its warp is suspended.
    pub suspends: bool,
    /// The answer of a wait.
    pub answer: bool,
}
