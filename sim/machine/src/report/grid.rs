// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grids that may start before the previous grid has ended, in the report.

use bcu_program::Place;
use serde::Serialize;

/// One grid of a run of several grids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridTotal {
    /// Its number in the run, from 0, and its kernel.
    pub grid: usize,
    pub kernel: String,
    /// The number of its first CTA; the others follow.
    pub first_cta: usize,
    pub ctas: usize,
    /// Whether it may run while the previous grid runs, as that grid's program permits.
    pub overlaps: bool,
    /// Whether a warp of it has waited for the earlier grids.
    pub waited: bool,
    /// The cycle in which its first CTA got its slots, and the cycle in which all its stores were visible.
    pub began: Option<u64>,
    pub ended: Option<u64>,
}

/// A warp that waits for the grids before its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridWait {
    pub cta: usize,
    pub warp: usize,
    pub grid: usize,
    pub place: Place,
    /// The cycle in which its wait took effect.
    pub since: u64,
    /// The grids that have not ended.
    pub before: Vec<GridBefore>,
}

/// A grid that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridBefore {
    pub grid: usize,
    /// Its CTAs that have not exited.
    pub ctas: Vec<usize>,
}
