// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grids of a run of several grids, in the report.

use bcu_program::Place;
use serde::Serialize;

/// One grid of a run of several grids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridTotal {
    /// The number of the grid in the run, from 0.
    pub grid: usize,
    /// The name of the grid's kernel.
    pub kernel: String,
    /// The number of the first CTA of the grid; its other CTAs have the following numbers.
    pub first_cta: usize,
    pub ctas: usize,
    /// Whether the grid may run while the previous grid runs. Both the launch of the grid and the
    /// program of the previous grid must permit this.
    pub overlaps: bool,
    /// Whether a warp of the grid has waited for the earlier grids.
    pub waited: bool,
    /// The cycle in which the first CTA of the grid got its slots.
    pub began: Option<u64>,
    /// The cycle in which all stores of the grid were visible.
    pub ended: Option<u64>,
}

/// A warp that waits for grids before its own grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridWait {
    pub cta: usize,
    pub warp: usize,
    pub grid: usize,
    pub place: Place,
    /// The cycle in which the wait took effect.
    pub since: u64,
    /// The earlier grids that have not ended.
    pub before: Vec<GridBefore>,
}

/// A grid that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridBefore {
    pub grid: usize,
    /// The CTAs of the grid that have not exited.
    pub ctas: Vec<usize>,
}
