// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where an access may be, and why it may not be where it is.

use super::Use;
use bcu_program::{Bare, Space};

/// What a CTA may access.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Limits<'c> {
    /// The CTAs of the cluster in the order of their ranks, and the own one.
    pub ctas: &'c [usize],
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// Bytes of shared memory, if there is a bound.
    pub shared: Option<u64>,
    pub bare: Bare,
}

/// Bytes that a lane names.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Asked {
    pub space: Space,
    pub at: u64,
    pub bytes: u64,
    /// The address must be a multiple of this, a power of 2.
    pub align: u64,
    /// What is done with them.
    pub how: Use,
}

/// An address that names no memory, in words.
pub(in super::super) struct Misplaced(pub String);
