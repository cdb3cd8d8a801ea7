// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole machine: streaming multiprocessors on one unit, and the logic that they share.

use super::sm::Sm;
use super::uncore::Uncore;
use super::unit::Unit;

/// The state of a run.
pub(super) struct Gpu<'a> {
    pub unit: Unit<'a>,
    pub sms: Vec<Sm<'a>>,
    /// The number of multiprocessors on which CTAs are launched.
    pub used: usize,
    pub uncore: Uncore,
    pub cycle: u64,
    /// The number of changes of memory plus the transfers of all multiprocessors (`Sm::transfers`).
    pub changes: u64,
    /// The cycle in which `changes` last increased.
    pub changed_at: u64,
}
