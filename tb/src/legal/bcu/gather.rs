// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The core's model of the barriers, derived from the core's own transfers: it collects the lanes of a warp into an arrival, and the
//! arrivals of warps into generations.

use super::plan::{Instr, Mark, What};
use super::warp::{At, Meeting};
use super::Core;

/// The lanes of an arrival, and the lanes among them whose predicate is true.
#[derive(Clone, Copy, Debug)]
pub struct Vote {
    pub lanes: u64,
    pub ayes: u64,
}

impl Core {
    /// Adds the lanes of `vote` to the gathering of their warp.
    pub fn join(&mut self, at: usize, way: usize, instr: Instr, vote: Vote) {
        let warp = &mut self.warps[at];
        warp.ways[way].at = At::Lanes(instr);
        let meeting = warp.gathering.get_or_insert(Meeting { what: instr.what, lanes: 0, ayes: 0 });
        meeting.lanes |= vote.lanes;
        meeting.ayes |= vote.ayes;
        if let Some(meeting) = warp.gathered() {
            self.gathered(at, meeting);
        }
    }

    /// Handles a complete gathering: all live lanes of the warp have joined it, so the warp arrives.
    pub fn gathered(&mut self, at: usize, meeting: Meeting) {
        let cycle = self.cycle;
        let warp = &mut self.warps[at];
        warp.note(cycle, "gathering complete", meeting.lanes, 0);
        self.figures.gatherings += 1;
        let is_of = |instr: &Instr| instr.what == meeting.what && !matches!(instr.what, What::Meet { .. });
        if meeting.what.waits() {
            for way in &mut warp.ways {
                if let At::Lanes(instr) = way.at {
                    if is_of(&instr) {
                        way.at = At::Waits(instr, cycle);
                    }
                }
            }
        } else {
            // The `lanes` strobe will release the lanes of the meeting.
            warp.meetings.push(meeting);
        }
        self.arrive(at, meeting.what, Vote { lanes: meeting.lanes, ayes: meeting.ayes });
    }

    /// Accounts for lanes that reach a rendezvous with other lanes of their warp.
    pub fn meet(&mut self, at: usize, way: usize, instr: Instr) {
        let warp = &mut self.warps[at];
        warp.ways[way].at = At::Lanes(instr);
        match warp.meetings.iter_mut().find(|meeting| meeting.what == instr.what) {
            Some(meeting) => meeting.lanes |= instr.lanes,
            None => warp.meetings.push(Meeting { what: instr.what, lanes: instr.lanes, ayes: 0 }),
        }
    }

    /// Accounts for a warp that arrives at a barrier, or waits at the barrier of its cluster.
    pub fn arrive(&mut self, at: usize, what: What, vote: Vote) {
        let (cycle, access) = (self.cycle, self.memory.last(at));
        let Some(plan) = self.team_mut(at).map(|team| &mut team.plan) else { return };
        match what {
            What::Bar { generation, sync } => {
                let generation = &mut plan.generations[generation];
                generation.arrived |= 1 << at;
                generation.waiting |= u64::from(sync) << at;
                generation.marks.push(Mark { warp: at, access });
                generation.votes += u64::from(vote.lanes.count_ones());
                generation.ayes += u64::from(vote.ayes.count_ones());
                generation.last_transfer = cycle;
            }
            What::ClusterArrive { phase, relaxed } => {
                let phase = &mut plan.cluster_phases[phase];
                phase.arrived |= 1 << at;
                phase.last_transfer = cycle;
                phase.marks.push(Mark { warp: at, access: if relaxed { 0 } else { access } });
            }
            _ => (),
        }
    }

    /// Accounts for a warp that signals at a gateway barrier, or waits there.
    pub fn signal(&mut self, at: usize, what: What) {
        let cycle = self.cycle;
        let Some(plan) = self.team_mut(at).map(|team| &mut team.plan) else { return };
        match what {
            What::Signal { generation, role } => {
                let generation = &mut plan.generations[generation];
                generation.arrived |= u64::from(role != 1) << at;
                generation.produced |= u64::from(role != 2) << at;
                generation.last_transfer = cycle;
            }
            What::GatewayWait { generation } => plan.generations[generation].waiting |= 1 << at,
            _ => (),
        }
    }
}
