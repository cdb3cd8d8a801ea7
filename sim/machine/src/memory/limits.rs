// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that an access may use, and the error for an access outside of it.

use super::Use;
use bcu_program::{Bare, Grid, Space};

/// The memory that a CTA may access.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Limits<'c> {
    /// The CTAs of the cluster, in order of rank.
    pub ctas: &'c [usize],
    /// The CTA that makes the access.
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// The launch, which states the size of shared memory.
    pub grid: &'c Grid,
    pub bare: Bare,
}

/// The bytes that a lane accesses.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct AccessRange {
    pub space: Space,
    pub address: u64,
    pub bytes: u64,
    /// The number, a power of 2, of which the address must be a multiple.
    pub align: u64,
    /// The use of the bytes.
    pub how: Use,
}

/// The error for an address outside of any memory, as text.
pub(in super::super) struct Misplaced(pub String);
