// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the events that the unit reports (releases, lanes, results, CTAs) against the core's state.

use super::plan::{Generation, What};
use super::warp::At;
use super::Core;
use bcu_isa::op::RedOp;

impl Core {
    /// Checks every strobe of this cycle. A fault is always an error, because the programs cause none.
    pub fn strobes(&mut self, outputs: &[u64]) {
        let outs = self.outs.clone();
        if outs.fault_valid.read(outputs) == 1 {
            let [code, has, warp, cta, id, address] = [
                &outs.fault_code,
                &outs.fault_has_warp,
                &outs.fault_warp,
                &outs.fault_cta,
                &outs.fault_id,
                &outs.fault_address,
            ]
            .map(|port| port.read(outputs));
            let concerned = if has == 1 { 1 << warp } else { self.live(cta as usize) };
            let fault = bcu_isa::op::FaultCode::ALL.get(code as usize).map_or(String::new(), |code| format!("{code:?}"));
            let what = format!(
                "fault {code} {fault} (has_warp {has}, warp {warp}, cta {cta}, id {id}, address {address:#x}): no instruction caused it"
            );
            self.fail(&what, concerned);
        }
        if outs.release_valid.read(outputs) == 1 {
            let [cta, id, warps, reduction, value] =
                [&outs.release_cta, &outs.release_id, &outs.release_warps, &outs.release_reduction, &outs.release_value]
                    .map(|port| port.read(outputs));
            self.released(cta as usize, id, warps, reduction, value);
        }
        if outs.lanes_valid.read(outputs) == 1 {
            let [warp, mask, leaders, retry] =
                [&outs.lanes_warp, &outs.lanes_mask, &outs.lanes_leaders, &outs.lanes_retry].map(|port| port.read(outputs));
            self.lanes(warp as usize, mask, leaders, retry == 1);
        }
        if outs.cluster_release_valid.read(outputs) == 1 {
            self.let_go(outs.cluster_release_warps.read(outputs), "cluster");
        }
        if outs.grid_release_valid.read(outputs) == 1 {
            self.let_go(outs.grid_release_warps.read(outputs), "grid");
        }
        if outs.gateway_release_valid.read(outputs) == 1 {
            let [cta, id, notified, warps] = [
                &outs.gateway_release_cta,
                &outs.gateway_release_id,
                &outs.gateway_release_notified,
                &outs.gateway_release_warps,
            ]
            .map(|port| port.read(outputs));
            self.notified(cta as usize, id, notified, warps);
        }
        if outs.writeback_valid.read(outputs) == 1 {
            let [warp, value, predicate, rd, pu] = [
                &outs.writeback_warp,
                &outs.writeback_value,
                &outs.writeback_predicate,
                &outs.writeback_rd,
                &outs.writeback_pu,
            ]
            .map(|port| port.read(outputs));
            let shown = [value, predicate, rd, pu];
            let expected = self.warps[warp as usize].reads.pop_front();
            self.figures.results += 1;
            if expected != Some(shown) {
                self.fail(&format!("writeback of warp {warp} is {shown:?}, expected {expected:?}"), 1 << warp);
            }
        }
        self.answers(outputs);
    }

    /// The open generation of barrier `id` in CTA slot `slot`, as the indices of the team and of the generation.
    fn open(&self, slot: usize, id: u64) -> Option<(usize, usize)> {
        let (team, cta) = (self.host.team(slot)?, self.host.group(slot)?);
        let generations = &self.teams.get(team)?.as_ref()?.plan.generations;
        let is_open = |generation: &Generation| {
            generation.cta == cta && generation.id == id && !generation.done && (generation.arrived | generation.produced) != 0
        };
        Some((team, generations.iter().position(is_open)?))
    }

    /// Checks a release of a named barrier: the generation is complete, exactly the waiting warps are released, and the result is right.
    fn released(&mut self, slot: usize, id: u64, warps: u64, reduction: u64, value: u64) {
        let Some((team, number)) = self.open(slot, id) else {
            return self.fail(&format!("release of barrier {id} of CTA slot {slot}, at which no warp has arrived"), warps);
        };
        let Some(generation) = self.teams[team].as_ref().map(|team| team.plan.generations[number].clone()) else { return };
        let concerned = generation.participants | warps;
        if let Some(lacks) = self.lacks(slot, &generation) {
            self.fail(&format!("early release of barrier {id} of CTA slot {slot}: {lacks}"), concerned);
        }
        if warps != generation.waiting {
            let waiting = generation.waiting;
            self.fail(&format!("barrier {id} of CTA slot {slot} releases warps {warps:#x}, but {waiting:#x} wait"), concerned);
        }
        let redop = generation.redop.filter(|_| self.config.reductions);
        let result = match redop {
            None => (0, 0),
            Some(RedOp::And) => (1, u64::from(generation.ayes == generation.votes)),
            Some(RedOp::Or) => (2, u64::from(generation.ayes > 0)),
            Some(RedOp::Popc) => (3, generation.ayes),
        };
        if (reduction, value) != result {
            let what = format!(
                "release of barrier {id} of CTA slot {slot} has reduction {reduction} value {value}, expected {result:?}"
            );
            self.fail(&what, concerned);
        }
        self.figures.barriers += 1;
        // If the last access was performed more than 12 cycles after the last arrival, the latency is counted from that access. If no
        // access was performed after the last arrival, the latency is counted from that arrival. Other releases, and releases of
        // generations without a count, are not measured.
        let Generation { last_perform, last_transfer, .. } = generation;
        if last_perform > last_transfer + 12 && generation.counted {
            self.figures.worst_after_perform = self.figures.worst_after_perform.max(self.cycle - last_perform);
        } else if last_perform <= last_transfer && generation.counted {
            self.figures.worst_after_arrival = self.figures.worst_after_arrival.max(self.cycle - last_transfer);
        }
        if let Some(team) = self.teams[team].as_mut() {
            team.plan.generations[number].done = true;
        }
        for at in (0..self.warps.len()).filter(|at| generation.waiting >> at & 1 == 1) {
            if let Some(redop) = redop {
                self.warps[at].result = Some((redop, result.1));
            }
            self.go_on(at, "released", |what| matches!(what, What::Bar { generation, .. } if *generation == number));
        }
        self.host.progress(slot);
    }

    /// Resumes every way (lanes that execute together) of the warp `at` that waits in an instruction for which `is` returns true. Returns
    /// whether any way resumed.
    pub fn go_on(&mut self, at: usize, text: &'static str, is: impl Fn(&What) -> bool) -> bool {
        let cycle = self.cycle;
        let mut went = false;
        for way in &mut self.warps[at].ways {
            if matches!(way.at, At::Waits(instr, _) if is(&instr.what)) {
                way.at = At::Ready;
                went = true;
            }
        }
        self.warps[at].note(cycle, text, u64::from(went), 0);
        if let Some(slot) = self.warps[at].cta {
            self.host.progress(slot);
        }
        went
    }

    /// Checks the strobe `lanes`: lanes of a warp resume, or with `retry` must issue their instruction again.
    fn lanes(&mut self, at: usize, mask: u64, leaders: u64, retry: bool) {
        let cycle = self.cycle;
        self.warps[at].note(cycle, if retry { "lanes retry" } else { "lanes resume" }, mask, leaders);
        let warp = &mut self.warps[at];
        if retry {
            self.figures.retries += 1;
            let again = warp.ways.iter_mut().find(|way| matches!(way.at, At::Lanes(instr) if instr.lanes == mask));
            let Some(way) = again else {
                return self.fail(
                    &format!("warp {at}: lanes {mask:#x} must issue again, but no instruction with these lanes waits"),
                    1 << at,
                );
            };
            if let At::Lanes(instr) = way.at {
                way.at = At::Ready;
                way.steps.push_front(super::plan::WarpStep::Do(instr));
                let meeting = warp.meetings.iter_mut().find(|meeting| meeting.what == instr.what);
                if let Some(meeting) = meeting {
                    meeting.lanes &= !mask;
                }
                warp.meetings.retain(|meeting| meeting.lanes != 0);
            }
            return;
        }
        let live = warp.lanes;
        let complete = |meeting: &super::warp::Meeting| match meeting.what {
            What::Meet { members, .. } => meeting.lanes == mask && members & live & !mask == 0,
            _ => meeting.lanes == mask,
        };
        let Some(place) = warp.meetings.iter().position(complete) else {
            return self.fail(&format!("lanes {mask:#x} of warp {at} resume without a meeting"), 1 << at);
        };
        let meeting = warp.meetings.remove(place);
        for way in &mut warp.ways {
            if matches!(way.at, At::Lanes(instr) if instr.what == meeting.what) {
                way.at = At::Ready;
            }
        }
        self.figures.meetings += 1;
        if let Some(slot) = self.warps[at].cta {
            self.host.progress(slot);
        }
        if matches!(meeting.what, What::Meet { elect: true, .. }) {
            let leader =
                if self.style.leader_policy == 0 { 1 << mask.trailing_zeros() } else { 1 << (63 - mask.leading_zeros()) };
            if leaders != leader {
                self.fail(&format!("lanes {mask:#x} of warp {at} elect {leaders:#x}, expected {leader:#x}"), 1 << at);
            }
        }
    }

    /// Checks the release of warps that waited at their cluster barrier or for the prerequisites of their grid.
    fn let_go(&mut self, warps: u64, unit: &'static str) {
        for at in (0..self.warps.len()).filter(|at| warps >> at & 1 == 1) {
            let waits = self.warps[at].waits().map(|(_, instr, _)| instr.what);
            let early = match waits {
                Some(What::ClusterWait { phase }) if unit == "cluster" => {
                    self.figures.cluster_waits += 1;
                    let team = self.warps[at].cta.and_then(|slot| self.host.team(slot)).unwrap_or(usize::MAX);
                    let phase = self.team_of(at).map(|team| team.plan.cluster_phases[phase].clone());
                    phase.and_then(|phase| self.cluster_lacks(team, &phase))
                }
                Some(What::GridWait) if unit == "grid" => {
                    self.figures.grid_waits += 1;
                    let grid = self.warps[at].cta.and_then(|slot| self.host.grid(slot));
                    let ready = grid.is_none_or(|grid| self.grids.grids[grid].is_ready);
                    (!ready).then(|| "the grid of the warp is not ready".to_string())
                }
                _ => Some(format!("the warp does not wait for its {unit}")),
            };
            if let Some(why) = early {
                self.fail(&format!("`{unit}` releases warp {at}: {why}"), 1 << at);
            }
            self.go_on(at, "released beside", |what| matches!(what, What::ClusterWait { .. } | What::GridWait));
        }
    }

    /// Checks the strobe `gateway_release`: a phase of a gateway barrier is complete, or a wait has taken its notification.
    fn notified(&mut self, slot: usize, id: u64, notified: u64, warps: u64) {
        let (Some(team), Some(cta)) = (self.host.team(slot), self.host.group(slot)) else {
            return self.fail(&format!("notification of CTA slot {slot}, which has no CTA"), warps);
        };
        if notified != 0 {
            let Some((_, number)) = self.open(slot, id) else {
                return self
                    .fail(&format!("notification of barrier {id} of CTA slot {slot}, at which no phase is open"), notified);
            };
            let Some(generation) = self.teams[team].as_mut().map(|team| &mut team.plan.generations[number]) else { return };
            let complete = generation.arrived == generation.consumers && generation.produced == generation.producers;
            generation.done = true;
            let (consumers, waiting) = (generation.consumers, generation.waiting);
            generation.notified = consumers;
            let late = self.cycle - generation.last_transfer;
            self.figures.barriers += 1;
            self.figures.worst_after_arrival = self.figures.worst_after_arrival.max(late);
            if !complete || notified != consumers || warps & !waiting != 0 {
                let what = format!(
                    "barrier {id} of CTA slot {slot} notifies {notified:#x} (complete: {complete}, consumers {consumers:#x})"
                );
                self.fail(&what, notified | consumers);
            }
        }
        for at in (0..self.warps.len()).filter(|at| warps >> at & 1 == 1) {
            self.figures.notifications += 1;
            let plan = self.teams[team].as_ref().map(|team| &team.plan.generations);
            let number = match self.warps[at].waits() {
                Some((_, instr, _)) => match instr.what {
                    What::GatewayWait { generation } => Some(generation),
                    _ => None,
                },
                None => None,
            };
            let right = plan.zip(number).is_some_and(|(plan, number)| {
                let generation = &plan[number];
                generation.cta == cta && generation.id == id && generation.notified >> at & 1 == 1
            });
            if !right {
                self.fail(
                    &format!("barrier {id} of CTA slot {slot} releases warp {at}, which is not notified or does not wait"),
                    1 << at,
                );
            }
            self.go_on(at, "notified", |what| matches!(what, What::GatewayWait { .. }));
        }
        self.host.progress(slot);
    }
}
