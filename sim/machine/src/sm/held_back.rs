// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits of a warp for other warps of its CTA that are neither at a barrier nor for memory: for groups of products of its warpgroup, and
//! for registers. A wait that no warp can end is reported, and then ends.

use super::super::warp::{Chosen, Warp};
use super::Sm;
use bcu_program::Op;

/// The number of cycles for which a wait is held although no other warp of the CTA can end it, and the same in a run of several CTAs, of
/// which another one may let these warps continue.
const PATIENCE: u32 = 1024;
const PATIENCE_WITH_OTHER_CTAS: u32 = 1 << 16;

impl Sm<'_> {
    /// Whether the next instruction of a warp must wait for other warps of the CTA.
    pub(super) fn awaits_others(&mut self, index: usize, chosen: Chosen) -> bool {
        match self.warps[index].instr(chosen.at).map(|instr| &instr.op) {
            Some(Op::Warpgroup(_)) => self.awaits_warpgroup(index, chosen),
            Some(Op::Registers { count, grows: true }) => {
                let count = *count;
                self.awaits_registers(index, chosen, count)
            }
            _ => false,
        }
    }

    /// Whether a wait goes on. `are_held`: no warp that could end the wait can continue now.
    pub(super) fn holds_back(&mut self, index: usize, are_held: bool) -> bool {
        let is_idle = are_held && !self.has_work_in_flight();
        let held_back = &mut self.warps[index].held_back;
        let cycles = if is_idle { held_back.unwrap_or(0) + 1 } else { 0 };
        *held_back = Some(cycles);
        cycles < if self.ctas > 1 { PATIENCE_WITH_OTHER_CTAS } else { PATIENCE }
    }

    /// Whether a warp has exited, or waits for something else than this module has.
    pub(super) fn cannot_continue(&self, warp: &Warp) -> bool {
        let waits = warp.waits_at.is_some() || warp.stopped.is_some() || self.blocked(warp);
        warp.exited.is_some() || self.spins(warp) || warp.only_polls() || waits
    }

    /// Whether a warp must wait at `setmaxnreg.inc`: the registers of the CTA, as many as the kernel states for each thread, are in use. A
    /// warp that has exited uses none.
    fn awaits_registers(&mut self, index: usize, chosen: Chosen, count: u32) -> bool {
        let warp = &self.warps[index];
        // Registers are allocated in units of eight.
        let Some(initial) = warp.program.grid.registers.map(|count| count.next_multiple_of(8)) else { return false };
        let of_cta = self.resident_warps().filter(|other| other.cta == warp.cta && other.warp != warp.warp);
        let others: Vec<&Warp> = of_cta.filter(|other| other.exited.is_none()).collect();
        let in_use: u64 = others.iter().map(|other| u64::from(other.registers.unwrap_or(initial))).sum();
        let free = (u64::from(initial) * warp.warps as u64).saturating_sub(in_use);
        if u64::from(count) <= free {
            return false;
        }
        let (number, are_held) =
            (warp.warp, others.iter().all(|other| other.held_back.is_some() || self.cannot_continue(other)));
        if self.holds_back(index, are_held) {
            return true;
        }
        let sentence = format!(
            "warp {number} waits for {count} registers in each thread, of which the other warps leave {free}, and no other warp can continue"
        );
        self.report_misuse(index, chosen.at, ("setmaxnreg_wait", sentence, None));
        false
    }
}
