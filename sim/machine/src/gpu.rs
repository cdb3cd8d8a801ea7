// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole machine: streaming multiprocessors on one unit, and what is outside of them.

use super::sm::Sm;
use super::uncore::Uncore;
use super::unit::Unit;

/// The state of a run.
pub(super) struct Gpu<'a> {
    pub unit: Unit<'a>,
    pub sms: Vec<Sm<'a>>,
    /// So many of them are given CTAs.
    pub used: usize,
    pub uncore: Uncore,
    pub cycle: u64,
    /// What has changed outside of warps that only read, and when last.
    pub changes: u64,
    pub changed_at: u64,
}
