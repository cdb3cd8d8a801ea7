// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The core's model of object phases, and of the accesses before each arrival, derived from the core's own transfers.

use super::plan::{Generation, Mark, Phase, Tx};
use super::Core;

impl Core {
    /// Accounts for a transferred instruction that contributes arrivals or bytes to `phase`. With `releases`, the phase also waits for the
    /// warp's earlier accesses.
    pub fn note_arrival(&mut self, at: usize, phase: usize, releases: bool) {
        let (cycle, access) = (self.cycle, self.memory.last(at));
        if let Some(phase) = self.team_mut(at).and_then(|team| team.plan.phases.get_mut(phase)) {
            phase.sent_count += 1;
            phase.last_transfer = cycle;
            phase.marks.push(Mark { warp: at, access: if releases { access } else { 0 } });
        }
    }

    /// Accounts for a message that was transferred on `tx`.
    pub fn note_sent(&mut self, cta: usize, tx: Tx) {
        let cycle = self.cycle;
        self.host.progress(cta);
        let Some(team) = self.host.team(cta) else { return };
        if let Some(phase) = self.teams[team].as_mut().and_then(|team| team.plan.phases.get_mut(tx.phase)) {
            phase.sent_count += 1;
            phase.last_transfer = cycle;
        }
    }

    /// Accounts for access `number` of the warp `at`, which is performed in this cycle. The release latency of each open generation in
    /// which the warp arrived after this access is counted from this cycle.
    pub fn note_perform(&mut self, at: usize, number: u64) {
        let cycle = self.cycle;
        let Some(slot) = self.warps[at].cta else { return };
        self.host.progress(slot);
        if let Some(team) = self.team_mut(at) {
            let holds = |marks: &[Mark]| marks.iter().any(|mark| mark.warp == at && mark.access >= number);
            for generation in team.plan.generations.iter_mut().filter(|generation| !generation.done && generation.arrived != 0)
            {
                if holds(&generation.marks) {
                    generation.last_perform = cycle;
                }
            }
        }
    }

    fn performed(&self, marks: &[Mark]) -> Option<usize> {
        let open = |mark: &&Mark| !self.memory.performed(mark.warp, self.base[mark.warp], mark.access);
        marks.iter().find(open).map(|mark| mark.warp)
    }

    /// The missing warps or accesses of a generation, as text; `None` if the generation is complete.
    pub fn lacks(&self, slot: usize, generation: &Generation) -> Option<String> {
        let absent = match generation.counted {
            true => generation.participants & !generation.arrived,
            // A generation without a count does not wait for exited warps.
            false => generation.participants & !generation.arrived & self.live(slot),
        };
        if absent != 0 {
            return Some(format!("warps {absent:#x} have neither arrived nor exited"));
        }
        let warp = self.performed(&generation.marks)?;
        Some(format!("an access of warp {warp} before its arrival is not performed"))
    }

    /// Whether every arrival and all bytes of a phase were sent and the accesses before them are performed.
    pub fn is_complete(&self, phase: &Phase) -> bool {
        phase.need > 0 && phase.sent_count == phase.need && self.performed(&phase.marks).is_none()
    }

    /// The missing arrivals, CTAs or accesses of a phase of the cluster barrier, as text; `None` if the phase is complete.
    pub fn cluster_lacks(&self, team: usize, phase: &Phase) -> Option<String> {
        let warps = self.host.warps_of(team);
        let live = (0..self.warps.len()).filter(|at| warps >> at & 1 == 1 && self.warps[*at].lanes != 0);
        let absent = live.filter(|at| phase.arrived >> at & 1 == 0).fold(0u64, |mask, at| mask | 1 << at);
        if absent != 0 {
            return Some(format!("warps {absent:#x} have neither arrived nor exited"));
        }
        if !self.host.is_whole(team) {
            return Some("a CTA of the cluster has not been launched".to_string());
        }
        let warp = self.performed(&phase.marks)?;
        Some(format!("an access of warp {warp} before its arrival is not performed"))
    }

    /// Warps of the CTA in `slot` that have live lanes, one bit each.
    pub fn live(&self, slot: usize) -> u64 {
        let lives = |at: &usize| self.warps[*at].cta == Some(slot) && self.warps[*at].lanes != 0;
        (0..self.warps.len()).filter(lives).fold(0, |mask, at| mask | 1 << at)
    }
}
