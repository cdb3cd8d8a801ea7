// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the outputs of `named` in each cycle against values computed from the transferred operations: every effect in its cycle, and
//! the levels `waiting`, `clearing` and `op_ready`.

use super::super::ledger::Ledger;
use super::super::pins::Shown;
use super::reference::{Effects, Kind, Op, Reference, WARP};
use crate::stimulus::shape::Shape;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, NoPort, Output};
use std::collections::VecDeque;

pub struct Checker {
    reference: Reference,
    /// Operations in flight, each with the cycle in which it takes effect.
    under_way: VecDeque<(u64, Op)>,
    /// The effects of the operation of the previous cycle, which the unit outputs in this cycle.
    effects: Effects,
    effective: Option<Op>,
    trapped: u64,
    /// Number of rows that are still to be cleared, after a reset or a release.
    rows_to_clear: u64,
    /// Whether a row was cleared in the previous cycle.
    row_turn: bool,
    was_reset: bool,
    two_slots: bool,
    all_rows: u64,
    slot_rows: u64,
    is_saving: bool,
    op_ready: Output,
    waiting: Output,
    clearing: Output,
    lost_faults: Output,
    fault: Shown<4>,
    release: Shown<5>,
    read: Shown<3>,
    conflict: Shown<1>,
    commit: Shown<6>,
}

impl Checker {
    pub fn new(ports: &[Port], config: &Config, shape: Shape) -> Result<Checker, NoPort> {
        let ids = 1 << bits(shape.barriers);
        Ok(Checker {
            reference: Reference::new(shape.lanes, shape.slots, config.reductions, config.state_words),
            under_way: [].into(),
            effects: Effects::default(),
            effective: None,
            trapped: 0,
            rows_to_clear: 0,
            row_turn: false,
            was_reset: true,
            two_slots: false,
            all_rows: shape.slots * ids,
            slot_rows: ids,
            is_saving: config.state_words,
            op_ready: ports.output("op_ready")?,
            waiting: ports.output("waiting")?,
            clearing: ports.output("clearing")?,
            lost_faults: ports.output("lost_faults")?,
            fault: Shown::new(ports, "fault", ["code", "warp", "cta", "id"])?,
            release: Shown::new(ports, "release", ["cta", "id", "warps", "reduction", "value"])?,
            read: Shown::new(ports, "read", ["warp", "value", "predicate"])?,
            conflict: Shown::new(ports, "implicit_conflict", ["cta"])?,
            commit: Shown::new(ports, "commit", ["warps", "refused", "traps", "untraps", "cta_release", "warp_done"])?,
        })
    }

    pub fn reset(&mut self) {
        self.was_reset = true;
        self.rows_to_clear = self.all_rows;
    }

    pub fn waiting(&self, outputs: &[u64]) -> u64 {
        self.waiting.read(outputs)
    }

    pub fn has_result(&self, warp: u64) -> bool {
        self.reference.has_result(warp)
    }

    pub fn reads_under_way(&self) -> bool {
        self.under_way.iter().any(|(_, op)| op.kind == Kind::Read)
    }

    /// The generation that was completed in the previous cycle: CTA slot and id.
    pub fn completed(&self) -> Option<[u64; 2]> {
        self.effects.release.map(|[slot, id, ..]| [slot, id])
    }

    /// Checks all outputs of a cycle. Returns the Read whose word is output in this cycle, with the word.
    pub fn cycle(&mut self, ledger: &mut Ledger, outputs: &[u64]) -> Option<(Op, u64)> {
        // Compares the outputs with the effects of the previous cycle.
        let before = ledger.cycle - 1;
        self.effects = Effects::default();
        self.effective = self.under_way.pop_front_if(|(effect, _)| *effect == before).map(|(_, op)| op);
        if let Some(op) = self.effective {
            self.effects = self.reference.apply(&op, self.trapped);
            if op.kind == Kind::Release && self.effects.open_rows > 0 {
                self.rows_to_clear = self.slot_rows;
            }
        }
        if let Some([_, _, warps, ..]) = self.effects.release {
            ledger.count("releases");
            ledger.add("released warps", warps.count_ones().into());
        }
        ledger.strobe("release", self.release.read(outputs), self.effects.release);
        if self.effects.release.is_none() {
            ledger.expect("release_warps without release", self.release_warps(outputs), 0);
        }
        ledger.strobe("read", self.read.read(outputs), self.effects.read);
        ledger.strobe("implicit_conflict", self.conflict.read(outputs), None);
        ledger.strobe("fault", self.fault.read(outputs), None);
        ledger.expect("lost_faults", self.lost_faults.read(outputs), 0);
        self.commit(ledger, outputs);
        let under_way = self.under_way.iter().filter(|(_, op)| op.waits()).fold(0, |mask, (_, op)| mask | 1 << op.warp);
        ledger.expect("waiting", self.waiting.read(outputs), self.reference.waiting | under_way);
        let releasing = self.under_way.iter().any(|(_, op)| op.kind == Kind::Release);
        let busy = self.was_reset || releasing || self.rows_to_clear > 0;
        let clearing = busy || self.row_turn;
        ledger.expect("clearing", self.clearing.read(outputs), clearing.into());
        ledger.expect("op_ready", self.op_ready.read(outputs), (!busy && !self.two_slots).into());
        let read = self.effective.filter(|op| op.kind == Kind::Read).zip(self.effects.read);
        read.map(|(op, [_, word, _])| (op, word))
    }

    fn release_warps(&self, outputs: &[u64]) -> u64 {
        self.release.always(outputs)[2]
    }

    fn commit(&self, ledger: &mut Ledger, outputs: &[u64]) {
        let due_op = self.under_way.front().filter(|(effect, _)| *effect == ledger.cycle).map(|(_, op)| *op);
        let commit = due_op.map(|op| {
            let word = u64::from(self.is_saving && op.kind == Kind::Write && op.state == WARP);
            let warps = if op.kind == Kind::Release { op.mask } else { 1 << op.warp };
            let release = u64::from(op.kind == Kind::Release);
            let done = u64::from(!matches!(op.kind, Kind::Launch | Kind::Release));
            let trap = op.data >> 19 & 1;
            [warps, 0, word & trap, word & !trap, release, done]
        });
        ledger.strobe("commit", self.commit.read(outputs), commit);
    }

    /// Ends a cycle: accounts for the transferred operation, the `trapped` warps, and the clearing of rows.
    pub fn transfer(&mut self, ledger: &mut Ledger, taken_op: Option<Op>, trapped: u64) {
        self.trapped = trapped;
        self.row_turn = self.rows_to_clear > 0;
        self.rows_to_clear = self.rows_to_clear.saturating_sub(1);
        self.was_reset = false;
        self.two_slots = taken_op.is_some_and(|op| op.slots() == 2);
        if let Some(op) = taken_op {
            ledger.count("operations");
            ledger.count(match op.kind {
                Kind::Exit => "exits",
                Kind::Launch => "launches",
                Kind::Read => "reads",
                Kind::Write => "writes",
                Kind::Release => "retirements",
                _ => "arrivals",
            });
            self.under_way.push_back((ledger.cycle + 1 + op.slots(), op));
        }
    }
}

/// Number of bits of a number below `count`; at least 1.
fn bits(count: u64) -> u32 {
    count.next_power_of_two().ilog2().max(1)
}
