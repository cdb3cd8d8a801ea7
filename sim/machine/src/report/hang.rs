// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run tells of its warps when it does not end: who waits for whom, and where.

use super::arrival::Arrival;
use super::cause::Cause;
use super::missing::{ClusterMissing, Missing};
use super::stop::Stop;
use super::{GatewayWait, GridWait, ObjectWait, SpinWait};
use bcu_program::Place;
use serde::Serialize;

/// Why a run did not end, and how everything stood then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hang {
    pub cause: HangCause,
    /// CTAs that can never end, whatever the others do: all of a hung run, else those for which the unit reported a deadlock.
    pub stuck: Vec<usize>,
    /// Every warp that has arrived at a barrier and waits there.
    pub blocked: Vec<Blocked>,
    /// Of a run that its limit stopped, every warp that goes on: it runs, or its arrival or its release is under way.
    pub going: Vec<Going>,
    /// Lanes that wait for other lanes of their warp.
    pub lanes: Vec<BlockedLanes>,
    /// Every warp that waits at an mbarrier, or asks one again and again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_mbarriers: Vec<ObjectWait>,
    /// Every warp that waits at the barrier of its cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_clusters: Vec<ClusterWait>,
    /// Every warp that waits for the grids before its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_grids: Vec<GridWait>,
    /// Every hardware thread that waits at Intel's gateway.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at_gateway: Vec<GatewayWait>,
    /// Every warp that goes round in a loop, reading memory that nothing changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spinning: Vec<SpinWait>,
    /// Every warp that the fault policy stopped.
    pub stopped: Vec<Stopped>,
    /// One sentence per warp of a stuck CTA that waits for the next, the last for the first; empty if there is no such circle.
    pub circle: Vec<String>,
    /// Why the warps of stuck CTAs wait for ever, each with the waits that it explains, in the order of the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// CTAs that were not launched, because no slot became free or the grids before theirs did not let them.
    pub not_launched: usize,
    /// Their numbers.
    #[serde(skip)]
    pub unlaunched: Vec<usize>,
}

impl Hang {
    /// The cycle since which a warp waits at a named barrier, an mbarrier, the gateway or for a grid.
    pub(in super::super) fn since(&self, cta: usize, warp: usize) -> Option<u64> {
        let is = |of: (usize, usize)| of == (cta, warp);
        let blocked = self.blocked.iter().filter(|wait| is((wait.cta, wait.warp)));
        let mut arrivals = blocked.flat_map(|wait| &wait.arrived).filter(|arrival| arrival.warp == warp);
        let at_barrier = arrivals.next_back().map(|arrival| arrival.cycle);
        let object = self.at_mbarriers.iter().find(|wait| is((wait.cta, wait.warp))).map(|wait| wait.since);
        let gateway = self.at_gateway.iter().find(|wait| is((wait.cta, wait.warp))).map(|wait| wait.since);
        let grid = self.at_grids.iter().find(|wait| is((wait.cta, wait.warp))).map(|wait| wait.since);
        at_barrier.or(object).or(gateway).or(grid)
    }

    /// That of several multiprocessors, each with what is known of it.
    pub(in super::super) fn of(cause: HangCause, parts: impl Iterator<Item = Hang>) -> Hang {
        let mut all = Hang {
            cause,
            stuck: vec![],
            blocked: vec![],
            going: vec![],
            lanes: vec![],
            at_mbarriers: vec![],
            at_clusters: vec![],
            at_grids: vec![],
            at_gateway: vec![],
            spinning: vec![],
            stopped: vec![],
            causes: vec![],
            circle: vec![],
            not_launched: 0,
            unlaunched: vec![],
        };
        for part in parts {
            all.stuck.extend(part.stuck);
            all.blocked.extend(part.blocked);
            all.going.extend(part.going);
            all.lanes.extend(part.lanes);
            all.at_gateway.extend(part.at_gateway);
            all.stopped.extend(part.stopped);
        }
        all.stuck.sort_unstable();
        all.blocked.sort_by_key(|one| (one.cta, one.warp));
        all.going.sort_by_key(|one| (one.cta, one.warp));
        all.lanes.sort_by_key(|one| (one.cta, one.warp));
        all.stopped.sort_by_key(|one| (one.cta, one.warp));
        all
    }
}

/// How the machine knew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HangCause {
    /// Every warp is blocked or has exited, and nothing is under way.
    NothingCanChange,
    /// The limit of cycles was reached.
    MaxCycles,
    /// The run was interrupted from outside.
    Interrupted,
}

/// A warp that goes on, with the instruction that it is at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Going {
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
}

/// A warp that does not go on, with the instruction that it executed last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stopped {
    pub cta: usize,
    pub warp: usize,
    pub how: Stop,
    pub place: Place,
}

/// Lanes of a warp that wait for others of it, at a barrier without `.aligned`, at `bar.warp.sync` or `elect.sync`; one bit each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockedLanes {
    pub cta: usize,
    pub warp: usize,
    pub waiting: u64,
    pub missing: u64,
    /// The instruction with which the last of them came.
    pub place: Place,
}

/// A warp that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// Registers that its instruction reads, with what they held, and how often it has issued that instruction.
    pub operands: Vec<(String, u64)>,
    pub times: u64,
    pub cta: usize,
    pub warp: usize,
    pub place: Place,
    pub id: u8,
    /// The generation, from 1.
    pub number: usize,
    /// Warps that must arrive; without a count, those of the CTA that have not exited.
    pub expected: usize,
    pub threads: Option<u32>,
    pub arrived: Vec<Arrival>,
    /// Arrivals that the unit has taken, but that do not count yet; only in a run that its limit stopped.
    pub under_way: Vec<Arrival>,
    /// Those of the CTA's warps that have not arrived, are not about to, and could count.
    pub missing: Vec<Missing>,
}

/// A warp that waits at the barrier of its cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClusterWait {
    pub cta: usize,
    pub warp: usize,
    /// Of the CTA in its cluster, and its multiprocessor where there are several.
    pub rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiprocessor: Option<usize>,
    pub place: Place,
    /// The phase that it waits for, from 1.
    pub phase: u64,
    /// CTAs of the cluster, in the order of their ranks.
    pub cluster: Vec<usize>,
    /// Warps of the cluster that have not arrived in this phase and have not exited.
    pub missing: Vec<ClusterMissing>,
}
