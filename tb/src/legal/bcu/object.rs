// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An mbarrier of a drawn program.

/// An mbarrier object that the program uses.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) cta: usize,
    pub(super) object: u64,
    /// The members, with the number of arrivals of each in a phase, and the arrivals of copies that the member issues.
    pub(super) shares: Vec<Share>,
    pub(super) phases: u64,
    /// The object has no more phases.
    pub(super) closed: bool,
    /// Whether all members wait for the object's latest phase; whether a member has dropped out.
    pub(super) settled: bool,
    pub(super) dropped: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub(super) member: usize,
    pub(super) arrivals: u64,
    pub(super) by_copy: u64,
}
