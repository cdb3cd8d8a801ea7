// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTAs that run one program together.

use super::state::Team;
use super::Core;

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
