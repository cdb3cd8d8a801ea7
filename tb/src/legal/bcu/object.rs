// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An mbarrier of a drawn program.

/// An mbarrier object that a drawn program uses.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) cta: usize,
    pub(super) object: u64,
    /// The members of the object: for each, the number of its arrivals in a phase, and of the arrivals of copies that it issues.
    pub(super) shares: Vec<Share>,
    pub(super) phases: u64,
    /// The object has no further phases.
    pub(super) closed: bool,
    /// Whether all members wait for the object's latest phase, and whether a member has dropped out.
    pub(super) settled: bool,
    pub(super) dropped: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub(super) member: usize,
    pub(super) arrivals: u64,
    pub(super) by_copy: u64,
}
