// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses the warps that issue in a cycle.

use super::super::memory::Memory;
use super::super::warp::threads::bits;
use super::super::warp::Needs;
use super::warps::Readiness;
use super::Sm;
use crate::run_error::RunError;
use crate::schedule_file::Execution;
use bcu_program::Op;

/// The maximum number of instructions without duration that a warp executes in a cycle.
const MAX_FREE: u32 = 4096;

impl Sm<'_> {
    /// Issues the next instructions of warps, at most as many as the machine can issue in a cycle.
    pub(super) fn issue(&mut self, memory: &mut Memory) -> Result<bool, RunError> {
        let next = self.cycle + 1;
        let mut can_issue = self.resident_slots & !self.pins.get(self.pins.at.blocked);
        for slot in bits(self.warps.unexamined(next) & can_issue) {
            let Some(index) = self.warp_slots[slot] else { continue };
            let readiness = self.examine(index, memory)?;
            self.warps.keep(slot, readiness);
        }
        let mut issued = false;
        for _ in 0..self.machine.issue_per_cycle.get() {
            // The instruction issued before may have occupied the channel that a warp needs, so the selection is repeated.
            let (ready, conditional) = self.warps.ready(can_issue);
            let candidates =
                bits(conditional).filter(|slot| self.may_issue(*slot)).fold(ready, |slots, slot| slots | 1 << slot);
            self.candidates = self.not_delayed(candidates);
            let candidates = self.permitted(self.candidates);
            let Some(slot) = self.scheduler.pick(candidates, &self.warp_slots) else { break };
            let (Some(index), Some((chosen, _))) = (self.warp_slots[slot], self.warps.next(slot)) else { break };
            can_issue &= !(1 << slot);
            self.start(index, chosen, next, memory)?;
            issued = true;
        }
        Ok(issued)
    }

    /// The warp slots among `candidates` that the schedule does not delay.
    fn not_delayed(&self, candidates: u64) -> u64 {
        let Some(constraints) = self.constraints.as_ref().filter(|constraints| !constraints.borrow().is_over()) else {
            return candidates;
        };
        let mut constraints = constraints.borrow_mut();
        let is_free = |slot: &usize| match (self.warp_slots[*slot], self.warps.next(*slot)) {
            // An access is delayed after its issue (`Pipe::due`).
            (Some(_), Some((_, Needs::Access { .. }))) => true,
            (Some(index), Some((chosen, _))) => {
                let warp = &self.warps[index];
                let next = Execution::new((warp.cta, warp.warp), chosen.at, warp.executions(chosen.at) + 1);
                !constraints.delays(next)
            }
            _ => true,
        };
        bits(candidates).filter(is_free).fold(0, |slots, slot| slots | 1 << slot)
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
            let instr = warp.instr(chosen.at);
            let (needs, is_untimed) = (Needs::of(instr), instr.is_some_and(|instr| instr.is_untimed));
            let awaits_result = warp.awaits_result(chosen);
            if is_untimed && !awaits_result {
                self.begin(index, chosen, memory)?;
                continue;
            }
            return Ok(match needs {
                Needs::OtherWarps if self.awaits_others(index, chosen) => Readiness::Held,
                Needs::Columns if !awaits_result && self.awaits_columns(index, chosen)? => Readiness::Held,
                _ if awaits_result => Readiness::Waits,
                needs => Readiness::Ready(chosen, needs),
            });
        }
        Ok(Readiness::Held)
    }

    /// Whether the next instruction of the warp in a slot has what it needs in addition to its registers: a free channel, or completed memory
    /// accesses.
    fn may_issue(&self, slot: usize) -> bool {
        let (Some(index), Some((chosen, needs))) = (self.warp_slots[slot], self.warps.next(slot)) else { return false };
        let warp = &self.warps[index];
        // The unit may have no strobe for another access in this cycle.
        let has_strobe = self.issued_accesses < self.pins.at.accesses.len();
        // Accesses wait for an earlier acquire of the warp, and a release for all its earlier accesses.
        let is_ordered = |release: bool| !(release && self.pipe.under_way(index)) && !self.pipe.acquiring(index);
        match needs {
            Needs::Nothing | Needs::OtherWarps => true,
            Needs::Port => self.instr.is_none(),
            Needs::PortAndCopy => self.may_copy(index) && self.instr.is_none(),
            Needs::Exit => self.exit.is_none(),
            Needs::End => chosen.depth > 0 || self.exit.is_none(),
            Needs::Columns => {
                has_strobe && warp.access_at <= self.cycle + 1 && is_ordered(false) && self.has_columns(index, chosen)
            }
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
