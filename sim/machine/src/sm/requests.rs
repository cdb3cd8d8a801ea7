// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers in flight.

use crate::race::{Issuer, Landed};
use bcu_isa::instr::{decode, Op};
use bcu_isa::mbar::Mbar;
use bcu_model::decode::Instruction;
use bcu_model::op::Form;
use bcu_program::window::RANK_AT;
use std::collections::VecDeque;

/// A request of the unit that shared memory has accepted.
pub(super) struct Request {
    pub(super) due: u64,
    /// The CTA whose memory is accessed; `None` if the CTA has ended.
    pub(super) cta: Option<usize>,
    pub(super) address: u64,
    /// The data to write; `None` for a read.
    pub(super) data: Option<u64>,
}

/// A signal to an mbarrier: bytes of a copy, or the arrival of a lane whose copies are done.
#[derive(Clone, Debug)]
pub(super) struct ObjectSignal {
    pub(super) slot: usize,
    pub(super) object: u64,
    pub(super) arrivals: u64,
    pub(super) bytes: u64,
    /// The copy that sends the signal.
    pub(super) copy: Copied,
    /// What has landed, for the race detector: it is ordered before the phase in which the signal takes effect.
    pub(super) landed: Option<(Issuer, Landed)>,
}

/// A copy: the number of its multiprocessor, and the number of the copy on that multiprocessor.
pub(in super::super) type Copied = (usize, u64);

/// A message between multiprocessors: a signal to an mbarrier, or the response to a copy.
#[derive(Clone, Debug)]
pub(in super::super) enum Message {
    /// A signal of copy `copy` to an mbarrier of CTA `cta`: arrivals or bytes.
    Signal { cta: usize, object: u64, arrivals: u64, bytes: u64, copy: Copied, landed: Option<(Issuer, Landed)> },
    /// The response to the copy that sent a signal: the signal has taken effect.
    CopyDone(Copied),
}

/// A deferred arrival of a lane.
pub(super) struct DeferredArrival {
    pub(super) warp: usize,
    pub(super) lane: usize,
    /// The CTA of the mbarrier.
    pub(super) cta: usize,
    /// The arrival waits for all copies of its lane whose numbers are lower than this number; `None`: the arrival waits for no copy.
    pub(super) copies: Option<u64>,
    /// For `tcgen05.commit`: the arrival waits for all work of its lane on the tensor core whose numbers are lower than this number.
    pub(super) work: Option<u32>,
    pub(super) object: u64,
    pub(super) copy: u64,
    /// The first cycle in which the arrival may be performed. From this cycle on, the unit's outputs show the effect of the instruction
    /// that caused the arrival.
    pub(super) from: u64,
}

/// The environment of the unit's mbarriers.
#[derive(Default)]
pub(in super::super) struct Objects {
    pub(super) requests: VecDeque<Request>,
    pub(super) signals: VecDeque<ObjectSignal>,
    /// Signals that the unit has accepted and has not completed.
    pub(super) accepted: VecDeque<ObjectSignal>,
    /// How many of the signals in `accepted` have taken effect.
    pub(super) decided: usize,
    /// The cycle in which the last of the signals took effect, and its copy.
    pub(super) last_effect: Option<(u64, Copied)>,
    pub(super) deferred: Vec<DeferredArrival>,
    /// Messages to other multiprocessors.
    pub outgoing: Vec<Message>,
}

impl Objects {
    /// Whether a request, a signal or an arrival is in flight.
    pub fn busy(&self) -> bool {
        !(self.requests.is_empty() && self.signals.is_empty() && self.accepted.is_empty() && self.deferred.is_empty())
    }

    /// Whether a signal to an mbarrier of the CTA in CTA slot `slot` is queued, or is in flight.
    pub fn sent_to(&self, slot: usize) -> bool {
        self.signals.iter().chain(&self.accepted).any(|signal| signal.slot == slot)
    }
}

/// The mbarrier operation of an instruction at the port; `None` if the instruction is no such operation.
pub(in super::super) fn operation(issue: &Instruction) -> Option<Mbar> {
    match decode(issue.word).ok()?.op {
        Op::Mbar(mbar) if !matches!(issue.form, Form::WarpSync | Form::Elect) => Some(mbar),
        _ => None,
    }
}

/// The address of the mbarrier of an operation, without the rank.
pub(in super::super) fn address(mbar: &Mbar, issue: &Instruction) -> u32 {
    issue.ra.wrapping_add(mbar.address.offset.into()) & OFFSET
}

/// A mask for the bits of a shared address below the rank.
pub(in super::super) const OFFSET: u32 = (1 << RANK_AT) - 1;
