// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a run of a core comes to: its figures, and the first thing that the unit did wrong, with what the warps concerned did last.

use super::plan::Generation;
use super::Core;
use std::fmt::Write;

/// What was done.
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
    /// From the last performed access, or from the last arrival, to the release.
    pub worst_after_perform: u64,
    pub worst_after_arrival: u64,
    pub worst_idle: u64,
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
        ];
        list.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }
}

impl Core {
    /// The unit did something wrong that concerns these warps; only the first counts.
    pub fn fail(&mut self, what: &str, warps: u64) {
        if self.failure.is_some() {
            return;
        }
        let mut text = format!("cycle {}: {what}", self.cycle);
        for (at, warp) in self.warps.iter().enumerate().filter(|(at, _)| warps >> at & 1 == 1) {
            let cta = warp.cta.map_or("no CTA".to_string(), |cta| format!("CTA slot {cta}"));
            let _ = write!(text, "\n  warp {at} of {cta}, live lanes {:#x}, last:", warp.lanes);
            for event in &warp.log {
                let _ = write!(text, "\n    {:>7}  {} ({:#x}, {:#x})", event.cycle, event.text, event.a, event.b);
            }
            for way in &warp.ways {
                let _ = write!(text, "\n    is at {:?}, next {:?}", way.at, way.steps.front());
            }
        }
        for slot in (0..self.config.cta_slots).filter(|slot| self.host.warps(*slot) & warps != 0) {
            let (Some(team), Some(cta)) = (self.host.team(slot), self.host.group(slot)) else { continue };
            let Some(team) = self.teams[team].as_ref() else { continue };
            for of in team.plan.generations.iter().filter(|of| of.cta == cta && !of.done && (of.arrived | of.produced) != 0) {
                let Generation { id, participants, arrived, produced, waiting, .. } = of;
                let _ = write!(text, "\n  CTA slot {slot}, barrier {id}: of {participants:#x} have {arrived:#x} arrived ({produced:#x} as producers), {waiting:#x} wait");
            }
        }
        let _ = write!(text, "\n  core: {:?}", self.style);
        self.failure = Some(text);
    }
}
