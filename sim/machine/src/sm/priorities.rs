// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of a multiprocessor in a run that follows random priorities.

use super::super::warp::threads::{bits, At};
use super::Sm;
use bcu_program::{awaiting_loop, is_polled, is_retried};
use std::sync::Arc;

/// How often a warp reads memory in a loop that may count its rounds, before it gives way to the other warps.
const MOST_ROUNDS: u32 = 100;

impl Sm<'_> {
    /// The warp slots among `candidates` that the priorities permit to issue.
    pub(super) fn permitted(&self, candidates: u64) -> u64 {
        let Some(turns) = &self.turns else { return candidates };
        let turns = turns.borrow();
        let is_permitted = |slot: &usize| {
            self.warp_slots[*slot].is_some_and(|index| turns.permits((self.warps[index].cta, self.warps[index].warp)))
        };
        bits(candidates).filter(is_permitted).fold(0, |slots, slot| slots | 1 << slot)
    }

    /// Whether a warp could issue, and waits for its turn.
    pub(in super::super) fn waits_for_turn(&self) -> bool {
        self.turns.is_some() && self.candidates != 0
    }

    /// Records an operation of a warp, or its exit.
    pub(super) fn counts_operation(&self, index: usize, at: At) {
        let Some(turns) = &self.turns else { return };
        let warp = &self.warps[index];
        let code = warp.code();
        let key = (Arc::as_ptr(code) as usize, at);
        let most_rounds = || {
            let function = code.functions.get(at.function).filter(|function| is_polled(function, at.instr))?;
            // A round of such a loop has no effect unless it is the last one. Another loop may count its rounds.
            let is_wait = is_retried(function, at.instr) || awaiting_loop(function, at.instr).is_some();
            Some(if is_wait { 1 } else { MOST_ROUNDS })
        };
        turns.borrow_mut().operation((warp.cta, warp.warp), key, most_rounds);
    }

    /// Whether an operation of a warp, apart from copies, has not taken effect.
    pub(in super::super) fn has_operations_in_flight(&self) -> bool {
        let in_unit = self.pins.get(self.pins.at.busy) | self.pins.get(self.pins.at.waits_for_memory);
        let has_accesses =
            || self.resident_warps().any(|warp| self.pipe.under_way(self.warp_slots[warp.slot].unwrap_or(usize::MAX)));
        let at_ports = self.instr.is_some() || self.exit.is_some() || self.issued_accesses > 0 || !self.performing.is_empty();
        at_ports || in_unit & self.resident_slots != 0 || self.record.at_objects() || has_accesses()
    }

    /// The warps that can continue, as CTA and number in the CTA, and whether they can issue now. Warps that can issue within `most_busy`
    /// cycles are among them.
    pub(in super::super) fn can_continue(&self, most_busy: u64) -> impl Iterator<Item = ((usize, usize), bool)> + '_ {
        let blocked = self.pins.get(self.pins.at.blocked);
        self.resident_warps().filter(|warp| warp.started && warp.exited.is_none()).filter_map(move |warp| {
            let is_ready = self.candidates >> warp.slot & 1 == 1;
            let is_busy =
                self.warps.not_before(warp.slot).is_some_and(|first| first <= self.cycle + most_busy) || warp.holds_back();
            let can_continue = is_ready || is_busy && blocked >> warp.slot & 1 == 0;
            can_continue.then_some(((warp.cta, warp.warp), is_ready))
        })
    }
}
