// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks which warps may issue again, and the answers of mbarriers.

use super::plan::{WarpStep, What};
use super::warp::{At, Awaited};
use super::Core;

impl Core {
    /// Checks `blocked`: a waiting warp stays blocked until it is released, and a fence ends when its warp is no longer blocked.
    pub fn look(&mut self, outputs: &[u64]) {
        let blocked = self.outs.blocked.read(outputs);
        for at in 0..self.warps.len() {
            let warp = &mut self.warps[at];
            if warp.cta.is_none() || blocked >> at & 1 == 1 || warp.transferred + 1 > self.cycle || warp.transferred == 0 {
                continue;
            }
            if warp.in_flight {
                warp.in_flight = false;
                warp.note(self.cycle, "not blocked", 0, 0);
            }
            let Some((way, instr, since)) = warp.waits() else { continue };
            if instr.what == What::Fence {
                self.figures.fences += 1;
                self.warps[at].ways[way].at = At::Ready;
                // A blocked warp issues no access, so the accesses issued so far all precede the fence.
                let number = self.memory.last(at);
                if !self.memory.performed(at, self.base[at], number) {
                    self.fail(&format!("the fence of warp {at} is over before its accesses are performed"), 1 << at);
                }
                if let Some(slot) = self.warps[at].cta {
                    self.host.progress(slot);
                }
            } else {
                let what = format!("warp {at} is not blocked, but it has waited since cycle {since} without a release");
                self.fail(&what, 1 << at);
                self.warps[at].ways[way].at = At::Ready;
            }
        }
    }

    /// Checks tokens, predicates, and wakes of suspended warps.
    pub fn answers(&mut self, outputs: &[u64]) {
        let outs = self.outs.clone();
        if outs.token_valid.read(outputs) == 1 {
            let [warp, word, predicate, refused, rd, pu] = [
                &outs.token_warp,
                &outs.token_word,
                &outs.token_predicate,
                &outs.token_refused,
                &outs.token_rd,
                &outs.token_pu,
            ]
            .map(|port| port.read(outputs));
            let at = warp as usize;
            let Some(awaited) = self.warps[at].tokens.pop_front() else {
                return self.fail(&format!("warp {at}: a token that no operation of it requested"), 1 << at);
            };
            self.warps[at].note(self.cycle, "token", word >> 63, predicate);
            let registers = rd == awaited.rd || awaited.test.is_some();
            if refused == 1 || !registers || pu != awaited.pu && awaited.test.is_some() {
                let Awaited { rd: wanted, pu: other, .. } = awaited;
                let what = format!(
                    "warp {at}: token for R{rd} and P{pu}, refused {refused}; expected R{wanted} and P{other}, refused 0"
                );
                self.fail(&what, 1 << at);
            }
            let number = self.team_of(at).map_or(0, |team| team.plan.phases[awaited.phase].number);
            if awaited.test.is_none() && word >> 63 != number & 1 {
                self.fail(
                    &format!("warp {at}: token of phase parity {}; expected that of phase {number}", word >> 63),
                    1 << at,
                );
            }
            if awaited.test.is_some() {
                self.answered(at, awaited, predicate == 1);
            }
        }
        if outs.wake_valid.read(outputs) == 1 {
            let (warps, value) = (outs.wake_warps.read(outputs), outs.wake_value.read(outputs) == 1);
            for at in (0..self.warps.len()).filter(|at| warps >> at & 1 == 1) {
                self.figures.wakes += 1;
                let awaited =
                    self.warps[at].tokens.front().copied().filter(|front| front.test.is_some_and(|test| test.suspends));
                let Some(awaited) = awaited else {
                    return self.fail(&format!("warp {at} is woken but is not suspended"), 1 << at);
                };
                self.warps[at].tokens.pop_front();
                self.answered(at, awaited, value);
            }
        }
    }

    /// Checks the answer to a test; `is_over`: the answer states that the phase is complete.
    fn answered(&mut self, at: usize, awaited: Awaited, is_over: bool) {
        let Awaited { phase, test, .. } = awaited;
        self.figures.tests += 1;
        let Some(awaited_phase) = self.team_of(at).map(|team| team.plan.phases[phase].clone()) else { return };
        let name = format!("phase {} of object {:#x}", awaited_phase.number, awaited_phase.object);
        if is_over && !self.is_complete(&awaited_phase) {
            let (sent_count, need) = (awaited_phase.sent_count, awaited_phase.need);
            let what = format!(
                "warp {at}: a test of {name} is answered true, but only {sent_count} of {need} parts were sent or an access is outstanding"
            );
            self.fail(&what, 1 << at | self.marks(&awaited_phase.marks));
        }
        let settled = test.map_or(0, |test| test.settled);
        if !is_over && settled > self.patience() {
            let what =
                format!("warp {at}: a test of {name} is answered false, but the phase has been complete for {settled} cycles");
            self.fail(&what, 1 << at | self.marks(&awaited_phase.marks));
        }
        let went =
            self.go_on(at, if is_over { "phase over" } else { "phase not over" }, |what| matches!(what, What::Test { .. }));
        if !went {
            self.fail(&format!("warp {at}: a test result for {name}, for which it does not wait"), 1 << at);
        }
        if is_over {
            self.figures.tests_true += 1;
            let waits = |step: Option<&WarpStep>| matches!(step, Some(WarpStep::Await(other)) if *other == phase);
            if let Some(way) = self.warps[at].ways.iter_mut().find(|way| waits(way.steps.front())) {
                way.steps.pop_front();
            }
        }
    }

    fn marks(&self, marks: &[super::plan::Mark]) -> u64 {
        marks.iter().fold(0, |mask, mark| mask | 1 << mark.warp)
    }
}
