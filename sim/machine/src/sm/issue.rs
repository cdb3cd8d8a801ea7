// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses the warps that issue in a cycle.

use super::super::memory::Memory;
use super::super::warp::threads::bits;
use super::super::warp::{Chosen, Needs};
use super::warps::Readiness;
use super::Sm;
use crate::run_error::RunError;
use bcu_program::Op;

/// The maximum number of instructions without duration that a warp executes in a cycle.
const MAX_FREE: u32 = 4096;

impl Sm<'_> {
    /// Issues the next instructions of warps, at most as many as the machine can issue in a cycle.
    pub(super) fn issue(&mut self, memory: &mut Memory) -> Result<bool, RunError> {
        let next = self.cycle + 1;
        let mut ready = std::mem::take(&mut self.issuing.ready);
        let mut candidates = std::mem::take(&mut self.issuing.candidates);
        ready.clear();
        let blocked = self.pins.get(self.pins.at.blocked);
        for resident in 0..self.residents.len() {
            let index = self.residents[resident];
            let (slot, known) = self.warps.readiness(index);
            if blocked >> slot & 1 == 1 {
                continue;
            }
            let readiness = match known {
                Some(Readiness::NotBefore(cycle)) if cycle > next => continue,
                Some(known @ (Readiness::Ready(..) | Readiness::Waits)) => known,
                _ => {
                    let readiness = self.examine(index, memory)?;
                    // Other warps can change at any time whether the warp may issue.
                    if !matches!(readiness, Readiness::Ready(_, Needs::OtherWarps)) {
                        self.warps.keep(index, readiness);
                    }
                    readiness
                }
            };
            if let Readiness::Ready(chosen, needs) = readiness {
                ready.push((slot, index, chosen, needs));
            }
        }
        let mut issued = false;
        for _ in 0..self.machine.issue_per_cycle.get() {
            // The instruction issued before may have occupied the channel that a warp needs, so the selection is repeated.
            let can = ready.iter().filter(|(_, index, chosen, needs)| self.may_issue(*index, *chosen, *needs));
            candidates.clear();
            candidates.extend(can.map(|(slot, index, ..)| (*slot, *index as u64)));
            let picked = self.scheduler.pick(&candidates);
            let Some(at) = ready.iter().position(|(slot, ..)| Some(*slot) == picked) else { break };
            let (_, index, chosen, _) = ready.remove(at);
            self.start(index, chosen, next, memory)?;
            issued = true;
        }
        (self.issuing.ready, self.issuing.candidates) = (ready, candidates);
        Ok(issued)
    }

    /// Whether a warp can issue. Instructions that take no time are executed at once.
    fn examine(&mut self, index: usize, memory: &mut Memory) -> Result<Readiness, RunError> {
        let warp = &self.warps[index];
        let waits = warp.port.is_some() || warp.waits_at.is_some() || warp.stopped.is_some();
        if !warp.started || warp.exited.is_some() || waits {
            return Ok(Readiness::Waits);
        }
        if warp.ready_at > self.cycle + 1 {
            return Ok(Readiness::NotBefore(warp.ready_at));
        }
        for _ in 0..MAX_FREE {
            let warp = &mut self.warps[index];
            let Some(chosen) = warp.look() else { return Ok(Readiness::Held) };
            let (needs, is_untimed) = warp.front(chosen);
            let awaits_result = warp.awaits_result(chosen);
            if is_untimed && !awaits_result {
                self.begin(index, chosen, memory)?;
                continue;
            }
            return Ok(match needs {
                Needs::OtherWarps if self.awaits_others(index, chosen) => Readiness::Held,
                _ if awaits_result => Readiness::Waits,
                needs => Readiness::Ready(chosen, needs),
            });
        }
        Ok(Readiness::Held)
    }

    /// Whether an instruction has the resources that it needs in addition to its registers: a free channel, or completed memory accesses.
    fn may_issue(&self, index: usize, chosen: Chosen, needs: Needs) -> bool {
        let warp = &self.warps[index];
        // The unit may have no strobe for another access in this cycle.
        let has_strobe = self.issuing.accesses < self.pins.at.accesses.len();
        // Accesses wait for an earlier acquire of the warp, and a release for all its earlier accesses.
        let is_ordered = |release: bool| !(release && self.pipe.under_way(index)) && !self.pipe.acquiring(index);
        match needs {
            Needs::Nothing | Needs::OtherWarps => true,
            Needs::Port => self.instr.is_none(),
            Needs::PortAndCopy => self.may_copy(index) && self.instr.is_none(),
            Needs::Exit => self.exit.is_none(),
            Needs::End => chosen.depth > 0 || self.exit.is_none(),
            // A warp that may have reached its access limit waits until its `blocked` bit includes its last access.
            Needs::Access { release } => has_strobe && warp.access_at <= self.cycle + 1 && is_ordered(release),
            Needs::Copy { release } => has_strobe && self.may_copy(index) && is_ordered(release),
            Needs::PerformedCopies => match warp.instr(chosen.at).map(|instr| &instr.op) {
                Some(Op::WaitCopies(wait)) => bits(chosen.lanes).all(|lane| warp.copies.done(lane, *wait)),
                _ => true,
            },
        }
    }
}
