// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host: launches CTAs and clusters into free CTA slots and warp slots, and retires them when they have ended.

use super::draft::Group;
use super::resident::{Departure, Place, Resident};
use super::Core;

impl Core {
    /// Drives launches and retirements, and checks the outputs that report them.
    pub fn host(&mut self, outputs: &[u64]) {
        self.shown(outputs);
        if self.cycle >= self.host.next {
            self.host.next = self.cycle + 1 + self.rng.below(self.style.host_latency + 1);
            self.recruit();
        }
        self.retirements();
        self.offer_launch(outputs);
        self.offer_retire(outputs);
    }

    /// Handles the strobes `cluster_closed` and `retired`.
    fn shown(&mut self, outputs: &[u64]) {
        let outs = &self.outs;
        if outs.cluster_closed_valid.read(outputs) == 1 {
            self.host.open &= !(1 << outs.cluster_closed_cluster.read(outputs));
        }
        if outs.retired_valid.read(outputs) == 1 {
            let slot = outs.retired_cta.read(outputs) as usize;
            match self.host.report(slot) {
                Some(Departure { since, .. }) => {
                    self.figures.worst_retirement = self.figures.worst_retirement.max(self.cycle - since);
                }
                None => self.fail(&format!("CTA slot {slot}: `retired` without a retiring CTA"), 0),
            }
            self.figures.retired += 1;
        }
    }

    /// Offers the oldest planned launch once its cycle has come. When the launch is taken, checks `launched` and starts the CTA's warps.
    fn offer_launch(&mut self, outputs: &[u64]) {
        if self.host.launch.is_none() {
            let due = |slot: &usize| self.host.resident(*slot).is_some_and(|resident| resident.from <= self.cycle);
            if let Some(slot) = self.host.launches.front().copied().filter(due) {
                self.host.launches.pop_front();
                self.host.launch = Some(slot);
                self.put_launch(slot);
            }
        }
        self.drive.set(self.ins.launch_valid, u64::from(self.host.launch.is_some()));
        if self.outs.launch_ready.read(outputs) == 0 {
            return;
        }
        let Some(slot) = self.host.launch.take() else { return };
        self.figures.launches += 1;
        let shown =
            [&self.outs.launched_valid, &self.outs.launched_cta, &self.outs.launched_warps].map(|port| port.read(outputs));
        let Some(Resident { team, group, .. }) = self.host.residents[slot] else { return };
        let Some(Group { warps, exited, lanes, .. }) = self.teams[team].as_ref().map(|team| team.groups[group]) else { return };
        if shown != [1, slot as u64, warps & !exited] {
            let what =
                format!("CTA slot {slot}: a launch with warps {:#x} was taken, but `launched` is {shown:?}", warps & !exited);
            self.fail(&what, warps);
        }
        if let Some(resident) = &mut self.host.residents[slot] {
            (resident.at, resident.idle) = (Place::Live, 0);
        }
        let Some(team_state) = self.teams[team].as_mut() else { return };
        let (mine, others) = std::mem::take(&mut team_state.parts).into_iter().partition(|(cta, ..)| *cta == group);
        team_state.parts = others;
        let mine: Vec<(usize, usize, Vec<super::plan::WarpStep>)> = mine;
        // Only the last warp of a CTA may be partial; every other warp has all lanes.
        let last = 63 - warps.leading_zeros() as usize;
        for (_, at, steps) in mine {
            let lanes = if at == last { lanes } else { u64::MAX >> (64 - self.config.lanes) };
            self.base[at] = self.memory.last(at);
            self.warps[at].launch(slot, lanes, steps);
            self.warps[at].note(self.cycle, "launched", slot as u64, lanes);
        }
    }

    fn put_launch(&mut self, slot: usize) {
        let Some(Resident { team, group, grid, .. }) = self.host.residents[slot] else { return };
        let Some((team_state, new)) = self.teams[team].as_ref().map(|team| (team, team.groups[group])) else { return };
        let (size, cluster) = (team_state.groups.len() as u64, team_state.cluster);
        let ins = &self.ins;
        let cluster = cluster.unwrap_or_else(|| self.rng.below(self.config.cluster_slots as u64));
        let random_grid = self.rng.below(self.config.grid_slots as u64);
        let pairs = [
            (ins.launch_cta, slot as u64),
            (ins.launch_warps, new.warps),
            (ins.launch_exited, new.exited),
            (ins.launch_lanes, new.lanes),
            (ins.launch_barriers, new.barriers),
            (ins.launch_cluster, cluster),
            (ins.launch_rank, new.rank),
            (ins.launch_size, size),
            (ins.launch_has_grid, u64::from(grid.is_some())),
            (ins.launch_grid, grid.map_or(random_grid, |grid| grid as u64)),
        ];
        pairs.into_iter().for_each(|(port, value)| self.drive.set(port, value));
    }

    /// Plans the retirement of each CTA whose warps have all exited and whose messages to mbarriers have all taken effect.
    fn retirements(&mut self) {
        for slot in 0..self.host.residents.len() {
            let live = self.host.place(slot) == Some(Place::Live);
            if live && self.live(slot) == 0 && !self.memory.sends(slot) {
                let delay = if self.rng.chance(500) { 0 } else { self.rng.below(self.style.host_latency + 1) };
                let from = self.cycle + delay;
                if let Some(resident) = &mut self.host.residents[slot] {
                    (resident.at, resident.from, resident.idle) = (Place::Retiring, from, 0);
                }
                self.host.retires.push_back(slot);
            }
        }
    }

    /// Offers a planned retirement once its cycle has come. When the retirement is taken, all results of the CTA's warps must have been
    /// output.
    fn offer_retire(&mut self, outputs: &[u64]) {
        if self.host.retire.is_none() {
            let due = |slot: &usize| self.host.resident(*slot).is_some_and(|resident| resident.from <= self.cycle);
            if let Some(place) = self.host.retires.iter().position(due) {
                self.host.retire = self.host.retires.remove(place);
                let slot = self.host.retire.unwrap_or(0);
                // `saved` is refused for a CTA of a cluster or a grid, and the gateway cannot save its barriers.
                let alone =
                    self.host.team(slot).and_then(|team| self.teams[team].as_ref()).is_some_and(|team| team.cluster.is_none());
                let saves = alone && self.host.grid(slot).is_none() && self.config.gateway_ids == 0 && self.rng.chance(100);
                self.drive.set(self.ins.retire_cta, slot as u64);
                self.drive.set(self.ins.retire_saved, u64::from(saves));
            }
        }
        self.drive.set(self.ins.retire_valid, u64::from(self.host.retire.is_some()));
        if self.outs.retire_ready.read(outputs) == 0 {
            return;
        }
        let Some(slot) = self.host.retire.take() else { return };
        let Some(Resident { team, warps, .. }) = self.host.residents[slot].take() else { return };
        self.host.departures[slot].push_back(Departure { warps, since: self.cycle, idle: 0 });
        for at in (0..self.warps.len()).filter(|at| warps >> at & 1 == 1) {
            self.warps[at].cta = None;
            if !self.warps[at].tokens.is_empty() || !self.warps[at].reads.is_empty() {
                self.fail(&format!("CTA slot {slot} retires before a result of warp {at}"), 1 << at);
            }
        }
        if let Some(team_state) = &mut self.teams[team] {
            team_state.unretired -= 1;
            if team_state.unretired == 0 {
                self.teams[team] = None;
            }
        }
    }
}
