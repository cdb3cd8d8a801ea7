// SPDX-License-Identifier: Apache-2.0 OR MIT
//! State of the core: the instruction on offer, the exit on offer, the team of a CTA, and the counters for the report.

use super::draft::Group;
use super::plan::{Instr, Plan, WarpStep};
use bcu_model::dut::Input;

/// An instruction that is chosen or offered.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    pub warp: usize,
    pub way: usize,
    pub instr: Instr,
    pub(super) word: u128,
    /// Lanes whose predicate is true in a vote; one bit per lane.
    pub(super) ayes: u64,
    /// The first cycle of the offer.
    pub(super) from: u64,
    pub(super) offered: bool,
    /// The values of the ports while the instruction is offered.
    pub(super) payload: [(Input, u64); 13],
}

/// An exit on offer.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    pub(super) warp: usize,
    pub(super) way: usize,
    pub(super) lanes: u64,
}

/// A CTA alone, or all CTAs of a cluster.
#[derive(Clone, Debug)]
pub struct Team {
    pub groups: Vec<Group>,
    pub plan: Plan,
    /// The steps of each warp until its CTA is launched: number of the CTA in the team, warp, steps.
    pub parts: Vec<(usize, usize, Vec<WarpStep>)>,
    /// The cluster slot; `None` for a CTA without a cluster.
    pub cluster: Option<u64>,
    /// Number of the team's CTAs that have not retired.
    pub unretired: usize,
}

/// Counters of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub instructions: u64,
    pub barriers: u64,
    pub gatherings: u64,
    pub meetings: u64,
    pub retries: u64,
    pub exits: u64,
    pub launches: u64,
    pub retired: u64,
    pub tests: u64,
    pub tests_true: u64,
    pub wakes: u64,
    pub fences: u64,
    pub cluster_waits: u64,
    pub grid_waits: u64,
    pub results: u64,
    pub notifications: u64,
    /// The largest number of cycles from the last performed access to a release.
    pub worst_after_perform: u64,
    /// The largest number of cycles from the last arrival to a release.
    pub worst_after_arrival: u64,
    pub worst_idle: u64,
    /// `worst_retirement`: the largest number of cycles from a retirement to `retired`. `worst_departure`: the largest value of
    /// `Departure::idle`. The latter counts only cycles in which the unit alone delays `retired`, so it has a bound.
    pub worst_retirement: u64,
    pub worst_departure: u64,
}

impl Figures {
    pub fn list(&self) -> Vec<(String, u64)> {
        let list = [
            ("instructions", self.instructions),
            ("barriers", self.barriers),
            ("gatherings", self.gatherings),
            ("meetings", self.meetings),
            ("retries", self.retries),
            ("exits", self.exits),
            ("launches", self.launches),
            ("retired", self.retired),
            ("tests", self.tests),
            ("tests_true", self.tests_true),
            ("wakes", self.wakes),
            ("fences", self.fences),
            ("cluster_waits", self.cluster_waits),
            ("grid_waits", self.grid_waits),
            ("results", self.results),
            ("notifications", self.notifications),
            ("worst_release_after_perform", self.worst_after_perform),
            ("worst_release_after_arrival", self.worst_after_arrival),
            ("worst_cycles_without_progress", self.worst_idle),
            ("worst_retirement", self.worst_retirement),
            ("worst_retirement_by_the_unit", self.worst_departure),
        ];
        list.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }
}
