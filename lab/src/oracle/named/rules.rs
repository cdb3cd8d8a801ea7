// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The section *Rules* of `docs/contract/named.md`: when an operation is refused, and its effects
//! otherwise.

use super::{Named, Op, Row, Warp, POPC};
use crate::oracle::intake::Clearing;
use crate::oracle::pins::bits;
use bcu_isa::op::{FaultCode as Code, OpKind as Kind};

/// The fields of a `BARState` word, except bits 30 and 31.
struct Word {
    count: u64,
    expected: u64,
    kind: u64,
    redop: u64,
    accumulator: u64,
}

impl Word {
    fn from_data(data: u64) -> Word {
        let field = |low: u32, bits: u32| data >> low & ((1 << bits) - 1);
        Word { count: field(0, 7), expected: field(7, 7), kind: field(14, 2), redop: field(16, 2), accumulator: field(18, 12) }
    }
}

impl Named {
    /// The fault code of an operation in its cycle e, in the present state; 0 if it is not refused.
    pub(super) fn verdict(&self, op: &Op) -> u64 {
        let Some(cta) = self.ctas.get(op.slot).filter(|_| op.fault == 0) else { return op.fault };
        let row = |id: usize| cta.rows.get(id).copied().unwrap_or_default();
        let is_out_of_range = op.id as u64 >= cta.declared;
        let first = |checks: &[(bool, Code)]| checks.iter().find(|(holds, _)| *holds).map_or(0, |(_, code)| *code as u64);
        match op.kind {
            Kind::Sync | Kind::Arrive | Kind::Reduce => {
                let row = row(op.id);
                first(&[
                    (is_out_of_range, Code::IdOutOfRange),
                    (!op.is_uniform, Code::OperandNotUniform),
                    (op.kind == Kind::Arrive && op.count == 0, Code::CountZeroArrive),
                    (!op.count.is_multiple_of(self.lanes), Code::CountNotWarpMultiple),
                    (op.count / self.lanes > cta.launched, Code::CountExceedsCta),
                    (row.arrived & op.bit() != 0, Code::DoubleArrival),
                    (row.is_open && row.reduction != op.reduction(), Code::KindMismatch),
                    (row.is_open && row.expected != op.count / self.lanes, Code::CountMismatch),
                ])
            }
            Kind::Read => first(&[
                (op.state == 1 && is_out_of_range, Code::IdOutOfRange),
                (!op.is_uniform, Code::OperandNotUniform),
                (op.state == 2 && self.warps[op.warp].reduction == 0, Code::NoResult),
            ]),
            Kind::Write if op.writes_warp() => {
                let (redop, value, id) = (op.data >> 12 & 3, op.data & 0xfff, op.data >> 15 & 15);
                let waits = op.data >> 14 & 1 == 1;
                let most = [1, 1, cta.launched * self.lanes, 0][redop as usize];
                let bad = self.waiting & op.bit() != 0
                    || op.data >> 20 != 0
                    || value > most
                    || !waits && id != 0
                    || waits && (id >= cta.declared || row(id as usize).arrived & op.bit() == 0);
                first(&[(!op.is_uniform, Code::OperandNotUniform), (bad, Code::BadStateWord)])
            }
            Kind::Write => {
                let word = Word::from_data(op.data);
                let Word { count, expected, kind, redop, accumulator } = word;
                let most = [1, 1, count * self.lanes, 0][redop as usize];
                let bad = row(op.id).waiting != 0
                    || op.data >> 30 & 1 == 1
                    || kind == 3
                    || kind == 0 && op.data != 0
                    || kind != 0 && count == 0
                    || kind == 1 && (redop != 0 || accumulator != 0)
                    || kind == 2 && (redop == 3 || accumulator > most)
                    || expected > cta.launched
                    || expected != 0 && count >= expected
                    || expected == 0 && count > cta.live;
                first(&[
                    (is_out_of_range, Code::IdOutOfRange),
                    (!op.is_uniform, Code::OperandNotUniform),
                    (bad, Code::BadStateWord),
                ])
            }
            _ => 0,
        }
    }

    /// Completes a row: its waiting warps resume with its result.
    fn complete(&mut self, slot: usize, id: usize, row: Row) {
        let value = row.result();
        self.strobes.release = Some([slot as u64, id as u64, row.waiting, row.reduction, value]);
        self.waiting &= !row.waiting;
        if row.reduction != 0 {
            let stored_value = if row.reduction == POPC { value.min(self.largest) } else { value };
            for warp in bits(row.waiting) {
                self.warps[warp] = Warp { reduction: row.reduction, value: stored_value, ..self.warps[warp] };
            }
        }
    }

    /// Writes a row and updates the numbers of open rows. If it becomes the second open row without
    /// a count, the CTA has an implicit conflict, which a strobe reports.
    fn put(&mut self, slot: usize, id: usize, row: Row) {
        let Some(cta) = self.ctas.get_mut(slot) else { return };
        let before = std::mem::replace(&mut cta.rows[id], row);
        cta.open_rows = cta.open_rows.wrapping_add(row.is_open.into()).wrapping_sub(before.is_open.into());
        let (is_uncounted, was_uncounted) = (row.is_uncounted(), before.is_uncounted());
        cta.uncounted_rows = cta.uncounted_rows.wrapping_add(is_uncounted.into()).wrapping_sub(was_uncounted.into());
        if is_uncounted && !was_uncounted && cta.uncounted_rows >= 2 {
            self.strobes.conflict = Some([slot as u64]);
        }
    }

    fn arrive(&mut self, op: &Op) {
        let (waits, slot, id) = (op.kind != Kind::Arrive, op.slot, op.id);
        let mut row = self.ctas[slot].rows[id];
        row.arrived |= op.bit();
        row.count += 1;
        row.expected = op.count / self.lanes;
        row.reduction = op.reduction();
        row.sum += match row.reduction {
            0 => 0,
            POPC => op.value,
            _ => op.value & 1,
        };
        if waits {
            row.waiting |= op.bit();
            self.waiting |= op.bit();
            self.warps[op.warp].id = id as u64;
        }
        row.is_open = true;
        let target = if op.count == 0 { self.ctas[slot].live } else { row.expected };
        if row.count == target {
            self.put(slot, id, Row::default());
            self.complete(slot, id, row);
            return;
        }
        self.put(slot, id, row);
        if op.count == 0 {
            self.ctas[slot].last = id;
        }
    }

    fn write_barrier(&mut self, op: &Op) {
        let (word, slot, id) = (Word::from_data(op.data), op.slot, op.id);
        let cta = &self.ctas[slot];
        let arrived = cta.rows[id].arrived & !op.bit() | (op.data >> 31) << op.warp;
        let (is_open, live) = (word.kind != 0, cta.live);
        let reduction = if word.kind == 2 { 1 + word.redop } else { 0 };
        let sum = if reduction == 1 { 1 - word.accumulator } else { word.accumulator };
        let row = Row { is_open, arrived, waiting: 0, count: word.count, expected: word.expected, reduction, sum };
        let is_implicit = is_open && row.expected == 0;
        if is_implicit && row.count == live {
            self.put(slot, id, Row::default());
            self.complete(slot, id, row);
            return;
        }
        self.put(slot, id, if is_open { row } else { Row::default() });
        if is_implicit {
            self.ctas[slot].last = id;
        }
    }

    fn write_warp(&mut self, op: &Op) {
        let redop = op.data >> 12 & 3;
        let warp = &mut self.warps[op.warp];
        *warp = Warp { reduction: if redop == 3 { 0 } else { 1 + redop }, value: op.data & 0xfff, ..*warp };
        if op.data >> 14 & 1 == 1 {
            warp.id = op.data >> 15 & 15;
            self.waiting |= op.bit();
            self.ctas[op.slot].rows[warp.id as usize].waiting |= op.bit();
        }
    }

    fn read(&mut self, op: &Op, trapped: u64) {
        let warp = self.warps[op.warp];
        let [word, predicate] = match op.state {
            0 => {
                let waits = self.waiting >> op.warp & 1;
                let redop = if warp.reduction == 0 { 3 } else { warp.reduction - 1 };
                let trapped = trapped >> op.warp & 1;
                [warp.value | redop << 12 | waits << 14 | (waits * warp.id) << 15 | trapped << 19, 0]
            }
            1 => {
                let row = self.ctas[op.slot].rows[op.id];
                let kind = if row.is_open { 1 + u64::from(row.reduction != 0) } else { 0 };
                let redop = row.reduction.saturating_sub(1);
                let arrived = row.arrived >> op.warp & 1;
                [row.count | row.expected << 7 | kind << 14 | redop << 16 | row.result() << 18 | arrived << 31, 0]
            }
            _ if warp.reduction == POPC => [warp.value, 0],
            _ => [0, warp.value],
        };
        self.strobes.read = Some([op.warp as u64, word, predicate]);
    }

    /// Applies an operation that is not refused. Returns the rows that are to be cleared after it.
    pub(super) fn apply(&mut self, op: &Op, trapped: u64) -> Vec<Clearing> {
        let slot = op.slot;
        match op.kind {
            Kind::Sync | Kind::Arrive | Kind::Reduce => self.arrive(op),
            Kind::Read => self.read(op, trapped),
            Kind::Write if op.writes_warp() => self.write_warp(op),
            Kind::Write => self.write_barrier(op),
            Kind::Exit => {
                let cta = &self.ctas[slot];
                let (id, row, live) = (cta.last, cta.rows[cta.last], cta.live);
                if row.is_uncounted() && row.count + 1 == live {
                    self.put(slot, id, Row::default());
                    self.complete(slot, id, row);
                }
                self.ctas[slot].live = live.wrapping_sub(1);
            }
            Kind::Launch => {
                let [launched, live, declared] = op.sizes;
                let cta = &mut self.ctas[slot];
                (cta.launched, cta.live, cta.declared) = (launched, live, declared.min(self.built));
                (cta.open_rows, cta.uncounted_rows) = (0, 0);
            }
            Kind::Release => {
                self.waiting &= !op.mask;
                for warp in bits(op.mask) {
                    self.warps[warp] = Warp { reduction: 0, value: 0, ..self.warps[warp] };
                }
                let cta = &mut self.ctas[slot];
                let has_open_rows = cta.open_rows != 0;
                (cta.open_rows, cta.uncounted_rows) = (0, 0);
                let rows = (0..self.ids).map(|id| Clearing { slot, id, is_reported: !op.is_saved });
                return if has_open_rows { rows.collect() } else { vec![] };
            }
            _ => {}
        }
        vec![]
    }
}
