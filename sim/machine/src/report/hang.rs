// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps in the report of a run that does not end: their waits and locations.

use super::arrival::Arrival;
use super::cause::Cause;
use super::missing::{ClusterMissing, Missing};
use super::stop::Stop;
use super::{GatewayWait, GridBarrierWait, GridWait, ObjectWait, SpinWait};
use bcu_program::Place;
use serde::Serialize;

/// Why a run did not end, and the state of its warps at that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hang {
    pub cause: HangCause,
    /// The CTAs that can never end, whatever other CTAs do. In a hung run these are all launched
    /// CTAs that have not exited. In an unfinished run they are the CTAs for which the unit
    /// reported a deadlock, and CTAs that wait at mbarriers for signals that no longer come.
    #[serde(rename = "stuck")]
    pub hung_ctas: Vec<usize>,
    /// Every warp that has arrived at a named barrier and waits there.
    pub blocked: Vec<Blocked>,
    /// If the cycle limit or an interrupt stopped the run, every warp that is running, or whose
    /// arrival or release is in flight.
    #[serde(rename = "going")]
    pub resumable: Vec<ResumableWarp>,
    /// Lanes that wait for other lanes of their warp.
    pub lanes: Vec<BlockedLanes>,
    /// Every warp that waits at an mbarrier, or polls one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_mbarriers: Vec<ObjectWait>,
    /// Every warp that waits at the barrier of its cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_clusters: Vec<ClusterWait>,
    /// Every warp that waits for grids before its own grid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_grids: Vec<GridWait>,
    /// Every warp that waits at the barrier of its cooperative grid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_grid_barriers: Vec<GridBarrierWait>,
    /// Every hardware thread that waits at Intel's gateway.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_gateway: Vec<GatewayWait>,
    /// Every warp that reads, in a loop, memory that no warp changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spinning: Vec<SpinWait>,
    /// Every warp that the fault policy stopped.
    pub stopped: Vec<Stopped>,
    /// A circular wait in hung CTAs, with one sentence for each warp. Each warp waits for the next one, and the last for the first. Empty
    /// if there is no circular wait.
    pub circle: Vec<String>,
    /// The causes of the endless waits in hung CTAs, each with the waits that it explains, in the order of their first waiting warps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// The number of CTAs that were never launched, because no slot became free or earlier grids did not permit their launch.
    pub not_launched: usize,
    /// The numbers of the CTAs that were never launched.
    #[serde(skip)]
    pub unlaunched: Vec<usize>,
}

impl Hang {
    /// The cycle since which warp `warp` of CTA `cta` waits at a named barrier, at an mbarrier, at the gateway, for a grid or at the
    /// barrier of its grid.
    pub fn since(&self, cta: usize, warp: usize) -> Option<u64> {
        let is = |identity: (usize, usize)| identity == (cta, warp);
        let blocked = self.blocked.iter().filter(|wait| is((wait.cta, wait.warp)));
        let mut arrivals = blocked.flat_map(|wait| &wait.arrived).filter(|arrival| arrival.warp == warp);
        let at_barrier = arrivals.next_back().map(|arrival| arrival.cycle);
        let object = self.at_mbarriers.iter().find(|wait| is((wait.cta, wait.warp))).map(|wait| wait.since);
        let gateway = self.at_gateway.iter().find(|wait| is((wait.cta, wait.warp))).map(|wait| wait.since);
        let grid = self.at_grids.iter().find(|wait| is((wait.cta, wait.warp))).map(|wait| wait.since);
        let grid_barrier = self.at_grid_barriers.iter().find(|wait| is((wait.cta, wait.warp))).and_then(GridBarrierWait::since);
        at_barrier.or(object).or(gateway).or(grid).or(grid_barrier)
    }

    /// Merges the hangs of several multiprocessors.
    pub(in super::super) fn merge(cause: HangCause, parts: impl Iterator<Item = Hang>) -> Hang {
        let mut merged = Hang {
            cause,
            hung_ctas: vec![],
            blocked: vec![],
            resumable: vec![],
            lanes: vec![],
            at_mbarriers: vec![],
            at_clusters: vec![],
            at_grids: vec![],
            at_grid_barriers: vec![],
            at_gateway: vec![],
            spinning: vec![],
            stopped: vec![],
            causes: vec![],
            circle: vec![],
            not_launched: 0,
            unlaunched: vec![],
        };
        for part in parts {
            merged.hung_ctas.extend(part.hung_ctas);
            merged.blocked.extend(part.blocked);
            merged.resumable.extend(part.resumable);
            merged.lanes.extend(part.lanes);
            merged.at_gateway.extend(part.at_gateway);
            merged.stopped.extend(part.stopped);
        }
        merged.hung_ctas.sort_unstable();
        merged.blocked.sort_by_key(|wait| (wait.cta, wait.warp));
        merged.resumable.sort_by_key(|wait| (wait.cta, wait.warp));
        merged.lanes.sort_by_key(|wait| (wait.cta, wait.warp));
        merged.stopped.sort_by_key(|wait| (wait.cta, wait.warp));
        merged
    }
}

/// The condition that ended the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HangCause {
    /// Every warp has exited, is blocked, or repeats a loop in which nothing changes, and no
    /// operation is in flight that could change this.
    NothingCanChange,
    /// The cycle limit was reached.
    MaxCycles,
    /// The run was interrupted from outside.
    Interrupted,
}

/// A warp that may still resume, with its present instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResumableWarp {
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
}

/// A stopped warp, with its last executed instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stopped {
    pub cta: usize,
    pub warp: usize,
    pub how: Stop,
    pub place: Place,
}

/// Lanes of a warp that wait for other lanes of the warp, at a barrier without `.aligned`, at `bar.warp.sync` or at `elect.sync`. `waiting`
/// and `missing` have one bit for each lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockedLanes {
    pub cta: usize,
    pub warp: usize,
    pub waiting: u64,
    pub missing: u64,
    /// The location where the lanes wait. At a barrier it is the location of the lanes that arrived last; at `bar.warp.sync` and
    /// `elect.sync`, of the lanes that arrived first.
    pub place: Place,
}

/// A warp that waits at a named barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// The registers that the arrival instruction reads, with their values.
    pub operands: Vec<(String, u64)>,
    /// The number of times that the warp has issued the arrival instruction.
    pub times: u64,
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
    pub id: u8,
    /// The number of the generation, from 1.
    pub number: usize,
    /// The number of warps that must arrive; without a count, the warps of the CTA that have not exited.
    pub expected: usize,
    pub threads: Option<u32>,
    pub arrived: Vec<Arrival>,
    /// Arrivals that the unit has accepted and that do not count yet; only an unfinished run has
    /// any.
    pub under_way: Vec<Arrival>,
    /// The warps of the CTA that have not arrived and have no arrival in flight. Exited warps are
    /// included only if the generation has a count.
    pub missing: Vec<Missing>,
}

/// A warp that waits at the barrier of its cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterWait {
    pub cta: usize,
    pub warp: usize,
    /// The rank of the CTA in its cluster, and the multiprocessor of the CTA if there are several.
    pub rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessor: Option<usize>,
    pub place: Place,
    /// The number of the awaited phase, from 1.
    pub phase: u64,
    /// CTAs of the cluster, in order of rank.
    pub cluster: Vec<usize>,
    /// The warps of the cluster that have neither arrived in this phase nor exited.
    pub missing: Vec<ClusterMissing>,
}
