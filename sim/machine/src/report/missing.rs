// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp that is missing at a barrier, and its state.

use super::stop::Stop;
use bcu_program::Place;
use serde::Serialize;

/// A warp that has not arrived at a barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub warp: usize,
    #[serde(rename = "now")]
    pub whereabouts: Whereabouts,
    /// The next instruction with which the warp would arrive at this barrier; `None` if there is none.
    pub next: Option<Place>,
    /// Whether it is unknown where the warp would arrive, because this depends on values that only the run provides.
    #[serde(skip)]
    pub unclear: bool,
}

/// The state of a warp, with the location of its instruction.
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
    /// The warp waits at an mbarrier, or polls an mbarrier.
    AtMbarrier {
        place: Place,
    },
    /// The warp waits at the barrier of its cluster.
    AtCluster {
        place: Place,
    },
    /// The warp waits for grids before its own grid.
    AtGrid {
        place: Place,
    },
    /// The warp waits at the barrier of its cooperative grid.
    AtGridBarrier {
        place: Place,
    },
    /// Some lanes of the warp wait for other lanes of the warp.
    Partly {
        place: Place,
    },
    Running {
        place: Place,
    },
}

impl Whereabouts {
    /// The location where a warp has exited; `None` if it has not.
    pub fn exit(&self) -> Option<&Place> {
        match self {
            Whereabouts::Exited { place, .. } => Some(place),
            _ => None,
        }
    }
}

/// A warp that has not arrived at the barrier of its cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterMissing {
    pub cta: usize,
    pub rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessor: Option<usize>,
    #[serde(flatten)]
    pub warp: Missing,
}
