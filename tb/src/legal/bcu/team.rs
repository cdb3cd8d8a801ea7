// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTAs that run one program together.

use super::draft::Group;
use super::plan::{Plan, Step};
use super::Core;

/// A CTA alone, or all CTAs of a cluster.
#[derive(Clone, Debug)]
pub struct Team {
    pub groups: Vec<Group>,
    pub plan: Plan,
    /// The steps of each warp, by CTA of the team and warp, until it is launched.
    pub parts: Vec<(usize, usize, Vec<Step>)>,
    /// The cluster slot of a cluster of more than one CTA.
    pub cluster: Option<u64>,
    /// CTAs that have not retired.
    pub left: usize,
}

impl Core {
    pub fn team_of(&self, warp: usize) -> Option<&Team> {
        let team = self.host.team(self.warps.get(warp)?.cta?)?;
        self.teams.get(team)?.as_ref()
    }

    pub fn team_mut(&mut self, warp: usize) -> Option<&mut Team> {
        let team = self.host.team(self.warps.get(warp)?.cta?)?;
        self.teams.get_mut(team)?.as_mut()
    }

    /// The rank of the CTA of a warp in its cluster.
    pub fn rank_of(&self, warp: usize) -> u64 {
        self.warps[warp].cta.map_or(0, |slot| self.host.rank(slot))
    }
}
