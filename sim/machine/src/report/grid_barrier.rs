// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps that wait at the barrier of a cooperative grid, `grid.sync()`.

use super::missing::Missing;
use bcu_program::Place;
use serde::Serialize;

/// A warp that waits at the barrier of its grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridBarrierWait {
    pub cta: usize,
    pub warp: usize,
    /// The number of the grid in the run.
    pub grid: usize,
    /// The load that the warp repeats.
    pub place: Place,
    /// The number of the generation, from 1.
    pub generation: usize,
    /// The number of CTAs of the grid, each of which must arrive.
    pub expected: usize,
    pub arrived: Vec<GridBarrierArrival>,
    /// The CTAs that have not arrived, with their warps that have not exited; of a CTA without any, the warp that exited last.
    pub missing: Vec<GridBarrierMissing>,
}

/// The arrival of a CTA at the barrier of its grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridBarrierArrival {
    pub cta: usize,
    pub warp: usize,
    pub cycle: u64,
    pub place: Place,
}

/// A warp of a CTA that has not arrived at the barrier of its grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GridBarrierMissing {
    pub cta: usize,
    #[serde(flatten)]
    pub warp: Missing,
}

impl GridBarrierWait {
    /// The cycle of the arrival of the CTA of this warp.
    pub fn since(&self) -> Option<u64> {
        self.arrived.iter().find(|arrival| arrival.cta == self.cta).map(|arrival| arrival.cycle)
    }

    /// The numbers of the CTAs that have not arrived.
    pub fn missing_ctas(&self) -> Vec<usize> {
        let mut ctas: Vec<usize> = self.missing.iter().map(|missing| missing.cta).collect();
        ctas.dedup();
        ctas
    }
}
