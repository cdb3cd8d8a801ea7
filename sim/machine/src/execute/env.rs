// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an instruction is executed with, and what has begun with it.

use crate::assume::Assumptions;
use crate::memory::{Access, Memory};

/// What an instruction sees beside its warp.
pub(crate) struct Env<'m> {
    pub cycle: u64,
    /// Number of the warp, which no other of the run has: so its local memory is known.
    pub index: usize,
    /// Without it nothing is performed: a look ahead.
    pub memory: Option<&'m mut Memory>,
    pub assumptions: Option<&'m mut Assumptions>,
}

/// What follows from an instruction that has begun.
#[derive(Debug)]
pub(crate) enum Begun {
    /// The warp may issue its next one after so many cycles; 0 of one that takes no time.
    Time(u32),
    /// The warp's `issue` goes to the unit; its lanes go on when the unit has taken it.
    Port,
    /// These lanes exit.
    Exit(u64),
    Access(Access),
    /// These lanes arrive at mbarriers of these addresses when what they arrive behind is done.
    Later(Vec<Late>),
}

/// An arrival of a lane that comes later, at an mbarrier of a CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    pub lane: usize,
    pub cta: usize,
    pub address: u32,
}
