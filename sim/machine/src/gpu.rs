// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole machine: streaming multiprocessors on one unit, and the logic outside of them.

use super::sm::Sm;
use super::uncore::Uncore;
use super::unit::Unit;

/// The state of a run.
pub(super) struct Gpu<'a> {
    pub unit: Unit<'a>,
    pub sms: Vec<Sm<'a>>,
    /// The number of multiprocessors that are given CTAs.
    pub used: usize,
    pub uncore: Uncore,
    pub cycle: u64,
    /// The number of changes outside of warps that only read, and the cycle of the last one.
    pub changes: u64,
    pub changed_at: u64,
}
