// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Exits of lanes. Each exit is offered in a cycle in which `blocked` is 0 for the warp, and taken in that cycle or in any later one.

use super::plan::WarpStep;
use super::state::Leaving;
use super::warp::At;
use super::Core;

impl Core {
    /// Offers an exit of lanes of a warp that may exit.
    pub fn leave(&mut self, outputs: &[u64]) {
        let blocked = self.outs.blocked.read(outputs);
        if self.leaving.is_none() && self.rng.chance(700) {
            let mut able = vec![];
            for (at, warp) in self.warps.iter().enumerate() {
                let alone = self.chosen.is_some_and(|chosen| chosen.warp == at && !chosen.instr.may_overlap_exits());
                let offers = warp.chosen && (alone || !self.style.overlap);
                let is_blocked = blocked >> at & 1 == 1;
                if warp.cta.is_none() || warp.leaving || is_blocked || offers || warp.waits().is_some() {
                    continue;
                }
                let ready = |way: &usize| {
                    warp.ways[*way].at == At::Ready && matches!(warp.ways[*way].steps.front(), Some(WarpStep::Leave(_)))
                };
                able.extend((0..warp.ways.len()).filter(ready).map(|way| (at, way)));
            }
            if let Some((at, way)) = self.rng.pick(&able) {
                let warp = &mut self.warps[at];
                if let Some(WarpStep::Leave(lanes)) = warp.ways[way].steps.front() {
                    let lanes = *lanes;
                    self.leaving = Some(Leaving { warp: at, way, lanes });
                    warp.leaving = true;
                    warp.ways[way].at = At::Leaves;
                    warp.note(self.cycle, "exit offered", lanes, 0);
                    self.drive.set(self.ins.exit_warp, at as u64);
                    self.drive.set(self.ins.exit_lanes, lanes);
                }
            }
        }
        self.drive.set(self.ins.exit_valid, u64::from(self.leaving.is_some()));
    }

    /// Accounts for an exit that the unit takes in this cycle. An instruction taken in the same cycle precedes the exit.
    pub fn note_exit(&mut self, outputs: &[u64]) {
        if self.outs.exit_ready.read(outputs) == 0 {
            return;
        }
        let Some(Leaving { warp: at, way, lanes }) = self.leaving.take() else { return };
        let cycle = self.cycle;
        let warp = &mut self.warps[at];
        warp.note(cycle, "exit", lanes, 0);
        warp.lanes &= !lanes;
        warp.leaving = false;
        (warp.in_flight, warp.transferred) = (true, cycle);
        warp.ways[way].steps.pop_front();
        warp.ways[way].at = At::Ready;
        self.figures.exits += 1;
        if let Some(slot) = warp.cta {
            self.host.progress(slot);
        }
        if let Some(meeting) = self.warps[at].gathered() {
            self.gathered(at, meeting);
        }
    }
}
