// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp that is missing at a barrier, and its state.

use super::stop::Stop;
use bcu_program::Place;
use serde::Serialize;

/// A warp that has not arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub warp: usize,
    #[serde(rename = "now")]
    pub whereabouts: Whereabouts,
    /// The next instruction of its program that arrives at this barrier, if there is one.
    pub next: Option<Place>,
    /// Whether the location of its arrival depends on values that only the run provides.
    #[serde(skip)]
    pub unclear: bool,
}

/// The state of a warp, with its location.
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
    /// It waits at an mbarrier, or polls one.
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
    /// Some of its lanes wait for other lanes of it.
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
