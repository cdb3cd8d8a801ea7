// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outcome of a run of a core: its figures, and the unit's first failure with the last events of the warps concerned.

use super::plan::Generation;
use super::Core;
use std::fmt::Write;

impl Core {
    /// Reports a failure of the unit that concerns `warps`. Only the first failure is kept.
    pub fn fail(&mut self, what: &str, warps: u64) {
        if self.failure.is_some() {
            return;
        }
        let mut text = format!("cycle {}: {what}", self.cycle);
        for (at, warp) in self.warps.iter().enumerate().filter(|(at, _)| warps >> at & 1 == 1) {
            let cta = warp.cta.map_or("no CTA".to_string(), |cta| format!("CTA slot {cta}"));
            let _ = write!(
                text,
                "\n  warp {at} of {cta}, live lanes {:#x}, last events (cycle, event, two values of the event):",
                warp.lanes
            );
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
            for generation in team.plan.generations.iter().filter(|generation| {
                generation.cta == cta && !generation.done && (generation.arrived | generation.produced) != 0
            }) {
                let Generation { id, participants, arrived, produced, waiting, .. } = generation;
                let _ = write!(text, "\n  CTA slot {slot}, barrier {id}: of {participants:#x} have {arrived:#x} arrived ({produced:#x} as producers), {waiting:#x} wait");
            }
        }
        let _ = write!(text, "\n  core: {:?}", self.style);
        self.failure = Some(text);
    }
}
