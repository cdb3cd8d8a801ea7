// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What strong accesses hand on: the accesses that a strong store orders before the threads that read the stored value.

use super::clock::Source;
use super::known::Release;
use bcu_program::Scope;
use std::rc::Rc;

/// What a lane hands on by a strong store, for each scope (`warps::level`).
#[derive(Clone, Debug)]
pub(super) struct HandedOn {
    pub(super) cta: u32,
    pub(super) cluster: u32,
    pub(super) scope: Scope,
    pub(super) releases: [Option<Rc<Release>>; 3],
    /// What is handed on to a thread that executes `fence.sc` after its load.
    pub(super) sc: Option<Rc<Release>>,
    /// The warp, by its source, and the lane.
    pub(super) thread: (Source, usize),
}

/// What the lanes of a strong access hand on, in the order of the parts of the access; and the index of its event.
#[derive(Clone, Debug)]
pub(in super::super) struct Synchronises {
    pub(super) event: u32,
    pub(super) scope: Scope,
    pub(super) handed_on: Vec<Option<HandedOn>>,
}
