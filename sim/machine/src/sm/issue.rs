// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses the warps that issue in a cycle.

use super::super::memory::Memory;
use super::super::warp::threads::bits;
use super::super::warp::Chosen;
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
            let warp = &self.warps[index];
            let waits = warp.port.is_some() || warp.waits_at.is_some() || warp.stopped.is_some();
            if !warp.started || warp.exited.is_some() || warp.ready_at > next || blocked >> warp.slot & 1 == 1 || waits {
                continue;
            }
            if let Some(chosen) = self.look(index, memory)? {
                if !self.warps[index].awaits_result(chosen) && !self.awaits_others(index, chosen) {
                    ready.push((self.warps[index].slot, index, chosen));
                }
            }
        }
        let mut issued = false;
        for _ in 0..self.machine.issue_per_cycle.get() {
            // The instruction issued before may have occupied the channel that a warp needs, so the selection is repeated.
            let can = ready.iter().filter(|(_, index, chosen)| self.may_issue(*index, *chosen));
            candidates.clear();
            candidates.extend(can.map(|(slot, index, _)| (*slot, *index as u64)));
            let picked = self.scheduler.pick(&candidates);
            let Some(at) = ready.iter().position(|(slot, ..)| Some(*slot) == picked) else { break };
            let (_, index, chosen) = ready.remove(at);
            self.start(index, chosen, next, memory)?;
            issued = true;
        }
        (self.issuing.ready, self.issuing.candidates) = (ready, candidates);
        Ok(issued)
    }

    /// The next instruction of a warp that takes time; instructions before it that take no time are executed at once.
    fn look(&mut self, index: usize, memory: &mut Memory) -> Result<Option<Chosen>, RunError> {
        for _ in 0..MAX_FREE {
            let warp = &mut self.warps[index];
            let Some(chosen) = warp.look() else { return Ok(None) };
            let is_untimed = warp.instr(chosen.at).is_some_and(|instr| instr.is_untimed) && !warp.awaits_result(chosen);
            if !is_untimed {
                return Ok(Some(chosen));
            }
            self.begin(index, chosen, memory)?;
        }
        Ok(None)
    }

    /// Whether an instruction has the resources that it needs in addition to its registers: a free channel, or completed memory accesses.
    fn may_issue(&self, index: usize, chosen: Chosen) -> bool {
        let warp = &self.warps[index];
        let Some(instr) = warp.instr(chosen.at) else { return chosen.depth > 0 || self.exit.is_none() };
        match instr.op {
            Op::Mbarrier(ref op) if op.later() && !self.may_copy(index) => false,
            Op::Word(_) | Op::Barrier(_) | Op::Mbarrier(_) | Op::Meet { .. } | Op::Result(_) | Op::Fence(_) => {
                self.instr.is_none()
            }
            Op::Exit | Op::Return => self.exit.is_none(),
            // The unit has no strobe for another access in this cycle.
            Op::Access(_) if self.issuing.accesses == self.pins.at.accesses.len() => false,
            // A warp that may have reached its access limit waits until its `blocked` bit includes its last access.
            Op::Access(ref access) if !access.asynchronous() && warp.access_at > self.cycle + 1 => false,
            Op::Access(ref access) if access.asynchronous() && !self.may_copy(index) => false,
            Op::Access(ref access) if access.order.release && self.pipe.under_way(index) => false,
            Op::Access(_) => !self.pipe.acquiring(index),
            Op::WaitCopies(wait) => bits(chosen.lanes).all(|lane| warp.copies.done(lane, wait)),
            _ => true,
        }
    }
}
