// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The environment of an executed instruction, and the result of its issue.

use crate::assume::Assumptions;
use crate::memory::{Access, Memory};
use crate::warp::Scratch;

/// The state outside the warp that an instruction uses.
pub(crate) struct Env<'m> {
    pub cycle: u64,
    /// The number of the warp, unique in the run; it selects the local memory.
    pub index: usize,
    /// The memory; `None` in a look-ahead, which performs nothing.
    pub memory: Option<&'m mut Memory>,
    pub assumptions: Option<&'m mut Assumptions>,
    pub scratch: &'m mut Scratch,
}

/// The result of an issued instruction.
#[derive(Debug)]
pub(crate) enum Begun {
    /// The warp may issue its next instruction after this number of cycles; 0 for an instruction that takes no time.
    Time(u32),
    /// The instruction is in `Warp::issue`, for the port of the unit. The lanes of the instruction
    /// resume when the unit has accepted it.
    Port,
    /// The lanes that exit, one bit per lane.
    Exit(u64),
    Access(Access),
    /// Lanes arrive at mbarriers later, after the operations that these arrivals wait for.
    Later(Vec<Late>),
}

/// A deferred arrival of a lane, at an mbarrier of a CTA.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    pub lane: usize,
    pub cta: usize,
    pub address: u32,
}
