// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Draws the next team, a CTA or a cluster for free CTA slots, and its program.

use super::draft::{Draft, Group};
use super::resident::{Place, Resident};
use super::state::Team;
use super::Core;

impl Core {
    /// Draws a new team, if CTA slots and warp slots are free.
    pub fn recruit(&mut self) {
        let taken_warps = self.host.residents.iter().flatten().fold(0, |mask, resident| mask | resident.warps);
        let departing = self.host.departures.iter().flatten().fold(0, |mask, departure| mask | departure.warps);
        let hasty = !self.host.clusters && self.host.prompt;
        let all_warps = u64::MAX >> (64 - self.config.warps);
        let mut free_warps = all_warps & !taken_warps & if hasty { u64::MAX } else { !departing };
        let is_free = |slot: &usize| self.host.residents[*slot].is_none() && (hasty || self.host.departures[*slot].is_empty());
        let mut slots: Vec<usize> = (0..self.host.residents.len()).filter(is_free).collect();
        if free_warps == 0 || slots.is_empty() || !self.host.launches.is_empty() {
            return;
        }
        let cluster = (self.config.cluster_slots as u64).min(64);
        let cluster = self.rng.bit(u64::MAX >> (64 - cluster) & !self.host.open);
        let most = (slots.len() as u64).min(self.config.cluster_size as u64).min(u64::from(free_warps.count_ones()));
        let joined = self.host.clusters && most > 1 && cluster.is_some() && self.rng.chance(500);
        let size = if joined { self.rng.range(2, most) } else { 1 };
        let team = self.teams.iter().position(Option::is_none).unwrap_or(self.teams.len());
        let mut groups = vec![];
        for rank in 0..size {
            let which = self.rng.below(slots.len() as u64) as usize;
            let slot = slots.swap_remove(which);
            let free_share = u64::from(free_warps.count_ones()) - (size - 1 - rank);
            let count = if self.rng.chance(300) { free_share } else { self.rng.range(1, free_share) };
            let warps = self.rng.subset(free_warps, count);
            free_warps &= !warps;
            let exited = if self.rng.chance(150) { self.rng.subset(warps, count / 2) } else { 0 };
            let lanes = u64::MAX >> (64 - self.config.lanes);
            let partial = u64::MAX >> (64 - self.rng.range(1, self.config.lanes as u64));
            let lanes = if self.rng.chance(500) { lanes } else { partial & lanes };
            let most = self.config.barriers.max(self.config.gateway_ids) as u64;
            let barriers = if self.rng.chance(500) { most } else { self.rng.range(1, most) };
            groups.push(Group { slot, rank: if joined { rank } else { 0 }, warps, exited, lanes, barriers });
        }
        let draft = Draft::new(&mut self.rng, &self.style, &self.config, &groups);
        let (plan, parts) = draft.draw();
        if let Some(cluster) = cluster.filter(|_| joined) {
            self.host.open |= 1 << cluster;
        }
        for (group, new) in groups.iter().enumerate() {
            let grids: Vec<usize> = self.grids.open();
            let grid = if self.config.has_grids() && self.rng.chance(600) { self.rng.pick(&grids) } else { None };
            if let Some(grid) = grid {
                self.grids.grids[grid].unlaunched -= 1;
            }
            let from = self.cycle + self.rng.below(self.style.host_latency + 1);
            let (rank, warps) = (new.rank, new.warps);
            self.host.residents[new.slot] = Some(Resident { team, group, at: Place::Coming, warps, rank, grid, from, idle: 0 });
            self.host.launches.push_back(new.slot);
        }
        let unretired = groups.len();
        let cluster = cluster.filter(|_| joined).map(|cluster| cluster as u64);
        let new = Some(Team { groups, plan, parts, cluster, unretired });
        match self.teams.get_mut(team) {
            Some(place) => *place = new,
            None => self.teams.push(new),
        }
    }
}
