// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scoreboard of a warp: pending results, and the instructions that must wait for them.

use super::pending::{From, Owed, Pending};
use super::{bits, Chosen, Warp};
use bcu_program::{Instr, Op};

impl Warp {
    /// The registers `slots` of `lanes`.
    pub fn owed(&self, lanes: u64, slots: impl Iterator<Item = usize>) -> Owed {
        let common = self.threads.common_base(lanes);
        let mut owed = Owed::new();
        for slot in slots {
            match common {
                Some(base) => owed.push((base + slot, lanes)),
                None => bits(lanes).for_each(|lane| owed.push((self.threads.base[lane] + slot, 1 << lane))),
            }
        }
        owed
    }

    /// Removes and returns the oldest pending result for this register and this predicate of an instruction word: the result has arrived,
    /// or will never arrive.
    pub fn forget(&mut self, word: (u8, u8)) -> Option<Pending> {
        let first = self.scoreboard.iter().position(|due| due.from == From::Unit(word.0, word.1))?;
        Some(self.settle(first))
    }

    /// Removes the pending result of the access with number `access`, which has written its registers.
    pub fn loaded(&mut self, access: u64) {
        if let Some(first) = self.scoreboard.iter().position(|due| due.from == From::Memory(access)) {
            self.settle(first);
        }
    }

    /// Removes and returns the pending result with index `index`.
    pub(super) fn settle(&mut self, index: usize) -> Pending {
        self.scoreboard.remove(index)
    }

    /// Adds a pending result.
    pub fn expect(&mut self, pending: Pending) {
        self.scoreboard.push(pending);
    }

    /// Whether the instruction must wait for a pending result.
    pub fn awaits_result(&self, chosen: Chosen) -> bool {
        if self.scoreboard.is_empty() {
            return false;
        }
        // An exit, a return or a call frees or moves registers, so it waits for all results.
        let Some(instr) = self.instr(chosen.at).filter(|instr| !self.leaves_function(instr)) else { return true };
        // A hash of one bit per register quickly excludes most registers.
        let bit = |slot: usize| 1u64 << (slot % 64);
        let touched = instr.reads().chain(instr.written()).fold(0, |touched, slot| touched | bit(slot));
        let touches =
            |slot: usize| touched & bit(slot) != 0 && instr.reads().chain(instr.written()).any(|operand| operand == slot);
        // The registers of a call have other numbers than those of its caller.
        let is_in_frame = |register: usize, lane: usize| register.checked_sub(self.threads.base[lane]).is_some_and(touches);
        let common = self.threads.common_base(chosen.lanes);
        let due = |(register, lanes): &(usize, u64)| match (lanes & chosen.lanes, common) {
            (0, _) => false,
            (_, Some(base)) => register.checked_sub(base).is_some_and(touches),
            (lanes, None) => bits(lanes).any(|lane| is_in_frame(*register, lane)),
        };
        self.scoreboard.iter().any(|result| result.registers.iter().chain(&result.predicates).any(due))
    }

    fn leaves_function(&self, instr: &Instr) -> bool {
        matches!(instr.op, Op::Exit | Op::Return | Op::Call(_))
    }
}
