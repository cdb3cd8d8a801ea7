// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Liveness: a CTA that can make progress does so within a bound. Only cycles in which no action of memory, hubs or host is outstanding for
//! the CTA are counted.

use super::plan::{WarpStep, What};
use super::resident::{Departure, Place};
use super::warp::At;
use super::Core;

impl Core {
    /// The maximum number of cycles that a CTA may be without progress while the unit alone delays it. In this time the unit may walk over
    /// all warps and clear all rows for a retirement and a launch, drain a queue of 4 items for each warp, and wait for a slow issue stage.
    pub fn patience(&self) -> u64 {
        2000 + 60 * self.config.warps as u64
    }

    /// The maximum number of cycles until `retired` reports a CTA, counted from its retirement or from the last `retired` of another CTA,
    /// and only while the unit alone delays it. It is the sum of three bounds of the contract pages. `stream`: `gather`, `mem_order` and
    /// `named`, which clears the rows of a released CTA. `messages`: the two messages of each CTA on `grid_out`, one in every other cycle.
    /// `walk`: the walk of `mbarrier`, in which each step waits for at most fifteen turns of other sources, and each cached object takes
    /// 3 further cycles.
    fn retirement_limit(&self) -> u64 {
        let [warps, slots, rows, objects] =
            [self.config.warps, self.config.cta_slots, self.config.ids().next_power_of_two(), self.config.mbarrier_objects]
                .map(|number| number as u64);
        let stream = 32 + 4 * warps + rows;
        let messages = 4 * slots;
        let walk = 16 * (objects + 7) + 3 * objects;
        stream + messages + walk
    }

    /// For each CTA, counts the cycles without progress in which no agent outside the unit delays the CTA, and fails above
    /// [`Core::patience`]. While an answer of shared memory is outstanding, no cycle is counted.
    pub fn watch(&mut self) {
        if self.shared.owes() {
            return;
        }
        self.settle_phases();
        for slot in 0..self.config.cta_slots {
            self.watch_departure(slot);
            let Some(place) = self.host.place(slot) else { continue };
            if self.owed(slot) {
                self.host.progress(slot);
                continue;
            }
            if place == Place::Live && self.able(slot) {
                self.host.progress(slot);
                continue;
            }
            let idle = self.host.idle(slot);
            self.figures.worst_idle = self.figures.worst_idle.max(idle);
            if idle > self.patience() {
                let what = match place {
                    Place::Coming => "its launch is not taken",
                    Place::Live => "none of its warps makes progress",
                    Place::Retiring => "its retirement is not taken",
                };
                self.fail(
                    &format!("CTA slot {slot}: {what} for {idle} cycles in which only the unit can delay it"),
                    self.host.warps(slot),
                );
            }
        }
    }

    /// Counts the cycles in which no action of another agent delays `retired` for the CTA that was retired from `slot`, and fails above
    /// [`Core::retirement_limit`].
    fn watch_departure(&mut self, slot: usize) {
        let limit = self.retirement_limit();
        // With clusters or grids a CTA has ended only when its accesses are performed; other configurations do not wait for them.
        let waits_for_accesses = self.config.has_clusters() || self.config.has_grids();
        let links = self.clusters.owes() || self.host.has_open() || self.grids.offered;
        let Some(departure) = self.host.departure(slot) else { return };
        if links || waits_for_accesses && self.memory.owes(slot, departure.warps) {
            return;
        }
        departure.idle += 1;
        let Departure { since, idle, .. } = *departure;
        self.figures.worst_departure = self.figures.worst_departure.max(idle);
        if idle > limit {
            let cycles = self.cycle - since;
            let what = format!(
                "CTA slot {slot} retired {cycles} cycles ago, but `retired` has not been output: {idle} of them are the unit's"
            );
            self.fail(&what, 0);
        }
    }

    /// Whether an action of memory, a hub or the host is outstanding for the CTA in `slot`.
    fn owed(&self, slot: usize) -> bool {
        let team = self.host.team(slot);
        let joined = team.and_then(|team| self.teams[team].as_ref()).is_some_and(|team| team.cluster.is_some());
        let others = joined && team.is_some_and(|team| self.others_go_on(team, slot));
        let grid = self.host.grid(slot).is_some_and(|grid| self.grids.owes(grid));
        let waits = self.host.place(slot) == Some(Place::Coming);
        self.memory.owes(slot, self.host.warps(slot))
            || joined && self.clusters.owes()
            || others
            || grid
            || waits && self.host.has_departures()
    }

    /// Whether a CTA of the team in another CTA slot than `but` can make progress by itself, or is still to be launched.
    fn others_go_on(&self, team: usize, but: usize) -> bool {
        (0..self.config.cta_slots).any(|slot| {
            let is_other_member = slot != but && self.host.team(slot) == Some(team);
            is_other_member
                && (self.host.place(slot) == Some(Place::Coming)
                    || self.memory.owes(slot, self.host.warps(slot))
                    || self.able(slot))
        })
    }

    /// Whether a warp of the CTA in `slot` can act by itself. A warp whose only possible action is a test of an incomplete phase does not
    /// count.
    fn able(&self, slot: usize) -> bool {
        let is_of_slot = |at: &usize| self.warps[*at].cta == Some(slot) && !self.warps[*at].is_over();
        (0..self.warps.len()).filter(is_of_slot).any(|at| {
            let warp = &self.warps[at];
            let mut awaits = false;
            let able = warp.ways.iter().any(|way| match way.at {
                At::Rests(_) => true,
                At::Ready => match way.steps.front() {
                    Some(WarpStep::Await(phase)) => {
                        awaits = true;
                        self.team_of(at).is_some_and(|team| team.plan.phases[*phase].settled > 0)
                    }
                    _ => false,
                },
                At::Waits(instr, _) => matches!(instr.what, What::Test { phase, .. } if
                    self.team_of(at).is_some_and(|team| team.plan.phases[phase].settled > 0)),
                _ => false,
            });
            let can_act =
                !warp.in_flight && !awaits && warp.ways.iter().any(|way| way.at == At::Ready && !way.steps.is_empty());
            able || can_act && warp.waits().is_none()
        })
    }

    /// Counts for each phase how many cycles it has been complete.
    fn settle_phases(&mut self) {
        for team in 0..self.teams.len() {
            let Some(team_state) = &self.teams[team] else { continue };
            let complete: Vec<usize> =
                (0..team_state.plan.phases.len()).filter(|at| self.is_complete(&team_state.plan.phases[*at])).collect();
            if let Some(team_state) = &mut self.teams[team] {
                complete.into_iter().for_each(|at| team_state.plan.phases[at].settled += 1);
            }
        }
        for at in 0..self.warps.len() {
            let Some((_, instr, since)) = self.warps[at].waits() else { continue };
            let What::Test { phase, .. } = instr.what else { continue };
            let settled = self.team_of(at).map_or(0, |team| team.plan.phases[phase].settled);
            if settled > self.patience() && since + self.patience() < self.cycle {
                let what = format!("warp {at} waits for a phase that has been complete for {settled} cycles");
                self.fail(&what, 1 << at);
            }
        }
    }
}
