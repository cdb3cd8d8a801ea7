// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp that is missing at a barrier, and where it is.

use super::stop::Stop;
use bcu_program::Place;
use serde::Serialize;

/// A warp that has not arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub warp: usize,
    pub now: Whereabouts,
    /// The next instruction of its program that arrives at this barrier, if any is left.
    pub next: Option<Place>,
    /// Where it would arrive depends on what only the run can tell.
    #[serde(skip)]
    pub unclear: bool,
}

/// Where a warp is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Whereabouts {
    Exited {
        cycle: u64,
        place: Place,
    },
    Blocked {
        id: u8,
        place: Place,
    },
    Stopped {
        how: Stop,
        place: Place,
    },
    /// It waits at an mbarrier, or asks one again and again.
    AtMbarrier {
        place: Place,
    },
    /// It waits at the barrier of its cluster.
    AtCluster {
        place: Place,
    },
    /// It waits for the grids before its own.
    AtGrid {
        place: Place,
    },
    /// Some of its lanes wait for others of it.
    Partly {
        place: Place,
    },
    Running {
        place: Place,
    },
}

/// A warp of a cluster that has not arrived at its barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterMissing {
    pub cta: usize,
    pub rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessor: Option<usize>,
    #[serde(flatten)]
    pub warp: Missing,
}
