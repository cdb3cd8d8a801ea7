// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on mbarriers under way.

use bcu_isa::instr::{decode, Op};
use bcu_isa::mbar::Mbar;
use bcu_model::decode::Instruction;
use bcu_model::op::Form;
use bcu_program::window::RANK_AT;
use std::collections::VecDeque;

/// A request of the unit that shared memory has taken.
pub(super) struct Request {
    pub(super) due: u64,
    /// The CTA whose memory it is; `None` after its end.
    pub(super) cta: Option<usize>,
    pub(super) address: u64,
    /// What is written; `None` reads.
    pub(super) data: Option<u64>,
}

/// What has come of copies, or lanes whose copies are done: bytes, or arrivals.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) slot: usize,
    pub(super) object: u64,
    pub(super) arrivals: u64,
    pub(super) bytes: u64,
    /// The copies that tell it.
    pub(super) copies: Vec<Copied>,
}

/// A copy, by its multiprocessor and its number there.
pub(super) type Copied = (usize, u64);

/// What one multiprocessor has for the mbarriers of a CTA on another one, or for its copies.
#[derive(Clone, Debug)]
pub(in super::super) enum Mail {
    /// Arrivals or bytes of this copy at an mbarrier of a CTA.
    Tells { cta: usize, object: u64, arrivals: u64, bytes: u64, copy: Copied },
    /// Something of a copy was taken.
    Done(Copied),
}

/// An arrival of a lane that comes later.
pub(super) struct Behind {
    pub(super) warp: usize,
    pub(super) lane: usize,
    /// Whose mbarrier it is.
    pub(super) cta: usize,
    /// It waits for its copies with a number below this one; `None` is no matter of copies.
    pub(super) copies: Option<u64>,
    pub(super) object: u64,
    pub(super) copy: u64,
    /// It comes in this cycle at the earliest: when the unit shows that it is counted.
    pub(super) from: u64,
}

/// The outside of the unit's mbarriers.
#[derive(Default)]
pub(in super::super) struct Objects {
    pub(super) requests: VecDeque<Request>,
    pub(super) told: VecDeque<Told>,
    /// What the unit has taken of that and not shown as done.
    pub(super) taken: VecDeque<Told>,
    pub(super) behind: Vec<Behind>,
    /// For other multiprocessors.
    pub mail: Vec<Mail>,
}

impl Objects {
    /// Something comes of it by itself.
    pub fn busy(&self) -> bool {
        !(self.requests.is_empty() && self.told.is_empty() && self.taken.is_empty() && self.behind.is_empty())
    }

    /// What was sent to the mbarriers of the CTA in a slot, or is about to be, has not had its effect.
    pub fn sent_to(&self, slot: usize) -> bool {
        self.told.iter().chain(&self.taken).any(|told| told.slot == slot)
    }
}

/// What stands at the port, if it is an operation on an mbarrier.
pub(in super::super) fn operation(issue: &Instruction) -> Option<Mbar> {
    match decode(issue.word).ok()?.op {
        Op::Mbar(mbar) if !matches!(issue.form, Form::WarpSync | Form::Elect) => Some(mbar),
        _ => None,
    }
}

/// The address of its mbarrier, without the rank.
pub(in super::super) fn address(mbar: &Mbar, issue: &Instruction) -> u32 {
    issue.ra.wrapping_add(mbar.address.offset.into()) & OFFSET
}

/// A shared address without the rank.
pub(in super::super) const OFFSET: u32 = (1 << RANK_AT) - 1;
