// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run tells of grids of which one may begin before the one before it has ended.

use bcu_program::Place;
use serde::Serialize;

/// One grid of a run of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridTotal {
    /// Its number in the run, from 0, and its kernel.
    pub grid: usize,
    pub kernel: String,
    /// Its CTAs have the numbers from this one on.
    pub first_cta: usize,
    pub ctas: usize,
    /// It may run while the grid before it does, which says so.
    pub overlaps: bool,
    /// A warp of it has waited for the grids before.
    pub waited: bool,
    /// The cycle in which its first CTA got its slots, and that in which all that it wrote was visible.
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
    /// The cycle in which its wait had its effect.
    pub since: u64,
    /// The grids that have not ended.
    pub before: Vec<GridBefore>,
}

/// A grid that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridBefore {
    pub grid: usize,
    /// Those of its CTAs that have not exited.
    pub ctas: Vec<usize>,
}
