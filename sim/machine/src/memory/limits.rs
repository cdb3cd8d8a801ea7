// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The limits of an access, and the error for an access beyond them.

use super::Use;
use bcu_program::{Bare, Space};

/// The memory that a CTA may access.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Limits<'c> {
    /// The CTAs of the cluster in order of rank, and the accessing CTA.
    pub ctas: &'c [usize],
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// Bytes of shared memory, if there is a bound.
    pub shared: Option<u64>,
    pub bare: Bare,
}

/// Bytes that a lane accesses.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct AccessRange {
    pub space: Space,
    pub address: u64,
    pub bytes: u64,
    /// The address must be a multiple of this, a power of 2.
    pub align: u64,
    /// The use of the bytes.
    pub how: Use,
}

/// The error for an address outside of any memory, as text.
pub(in super::super) struct Misplaced(pub String);
