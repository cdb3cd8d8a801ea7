// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arrivals, and exits, which can also complete a generation (`docs/contract/named.md`, Arrivals and Exit).

use super::barriers::{Barriers, Effect};
use super::op::{Code, Kind, Operation, Reduction};
use super::row::Row;
use super::sizes::mask;

impl Barriers {
    /// Applies a Sync, Arrive or Reduce that is not refused.
    pub(super) fn arrival(&mut self, op: &Operation) -> Effect {
        let bit = self.bit(op.warp);
        let (slot_index, index, expected) =
            (self.slot_index(op.cta), self.row_index(op.cta, op.id), self.warps_of(op.count) & self.warps_mask());
        let slot = &self.slots[slot_index];
        let target = if expected == 0 { slot.live } else { expected };
        let before = &self.rows[index];
        let value = match op.reduction() {
            Reduction::None => 0,
            Reduction::And | Reduction::Or => u32::from(op.value & 1),
            Reduction::Popc => u32::from(op.value),
        };
        let row = Row {
            open: true,
            arrived: before.arrived | bit,
            waiting: before.waiting | if op.waits() { bit } else { 0 },
            count: self.one_more(before.count),
            expected,
            reduction: op.reduction(),
            sum: (before.sum + value) & mask(self.sizes.sum_bits()) as u32,
        };
        if row.count == target {
            return self.complete(op.cta, op.id, &row);
        }
        if row.is_uncounted() {
            self.slots[slot_index].last_uncounted = op.id & (self.sizes.id_numbers() - 1) as u8;
        }
        self.put(op.cta, op.id, row)
    }

    /// The first fault of an arrival, in the order of precedence.
    pub(super) fn against_arrival(&self, op: &Operation) -> Option<Code> {
        let slot = self.slot(op.cta);
        if u32::from(op.id) >= slot.declared {
            return Some(Code::IdOutOfRange);
        }
        let row = &self.rows[self.row_index(op.cta, op.id)];
        let expected = self.warps_of(op.count);
        let faults = [
            (!op.uniform, Code::OperandNotUniform),
            (op.kind == Kind::Arrive && op.count == 0, Code::CountZeroArrive),
            (usize::from(op.count) % self.sizes.lanes() != 0, Code::CountNotWarpMultiple),
            (expected > slot.launched, Code::CountExceedsCta),
            (row.arrived & self.bit(op.warp) != 0, Code::DoubleArrival),
            (row.is_open() && row.reduction != op.reduction(), Code::KindMismatch),
            (row.is_open() && row.expected != expected, Code::CountMismatch),
        ];
        faults.iter().find(|(applies, _)| *applies).map(|(_, code)| *code)
    }

    /// Decrements the live warps of the CTA. A barrier without a count completes when all live warps have arrived, so the exit of the last
    /// missing warp completes the barrier. Only the barrier without a count that was used last in the CTA can complete in this way.
    pub(super) fn exit(&mut self, op: &Operation) -> Effect {
        let index = self.slot_index(op.cta);
        let (live, id) = (self.slots[index].live, self.slots[index].last_uncounted);
        self.slots[index].live = live.wrapping_sub(1) & mask(self.sizes.count_bits()) as u32;
        let row = self.rows[self.row_index(op.cta, id)];
        if row.is_uncounted() && self.one_more(row.count) == live {
            self.complete(op.cta, id, &row)
        } else {
            Effect::default()
        }
    }

    /// Increments a count of warps; the count wraps at `count_bits` bits.
    fn one_more(&self, count: u32) -> u32 {
        (count + 1) & self.warps_mask()
    }

    fn warps_mask(&self) -> u32 {
        mask(self.sizes.count_bits()) as u32
    }
}
