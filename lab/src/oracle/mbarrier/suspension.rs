// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps that are suspended in `mbarrier`.

use super::object::Key;

/// A warp that is suspended.
#[derive(Clone, Copy, Debug)]
pub struct Suspension {
    pub key: Key,
    /// The cycle of the decision, and its limit in ticks.
    pub since: u64,
    pub limit: u64,
    /// Stalls of memory and false answers up to then.
    pub stalls: u64,
    pub answers: u64,
}
