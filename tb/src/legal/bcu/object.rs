// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An mbarrier of a program.

/// An object that takes part in the program.
#[derive(Clone, Debug)]
pub struct Object {
    pub(super) cta: usize,
    pub(super) object: u64,
    /// Members, and how many arrivals each has in a phase; those of copies that it issues.
    pub(super) shares: Vec<Share>,
    pub(super) phases: u64,
    /// It has no more phases.
    pub(super) closed: bool,
    /// All have waited for its last phase, and none has dropped out.
    pub(super) settled: bool,
    pub(super) dropped: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub(super) member: usize,
    pub(super) arrivals: u64,
    pub(super) by_copy: u64,
}
