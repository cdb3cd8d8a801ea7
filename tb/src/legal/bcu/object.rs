// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An mbarrier of a drawn program.

/// An mbarrier object that a drawn program uses.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) cta: usize,
    pub(super) object: u64,
    /// The warps that take part in every phase of the object, each with its arrivals.
    pub(super) shares: Vec<Share>,
    pub(super) phases: u64,
    /// The object has no further phases.
    pub(super) closed: bool,
    /// Whether all members wait for the object's latest phase.
    pub(super) settled: bool,
    /// Whether a member has dropped out.
    pub(super) dropped: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub(super) member: usize,
    /// The number of arrivals that the member makes in each phase.
    pub(super) arrivals: u64,
    /// The number of arrivals that copies of the member make in each phase.
    pub(super) by_copy: u64,
}
