// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads and writes of state words (`docs/contract/named.md`, Read and Write).

use super::barriers::{Barriers, Effect};
use super::op::{Code, Kind, Operation, Reduction, StateWord};
use super::outcome::Read;
use super::row::Row;
use super::state_word::{self, Cta, WarpWord};

impl Barriers {
    /// Applies a Read that is not refused: the effect has the value or predicate that was read. `trapped`: trapped warps,
    /// one bit each.
    pub(super) fn read(&self, op: &Operation, trapped: u64) -> Effect {
        let (warp, bit) = (self.warp_index(op.warp), self.bit(op.warp));
        let result = self.warps.results[warp];
        let (value, predicate) = match (op.state, result.reduction) {
            (StateWord::Barrier, _) => (state_word::of_row(&self.rows[self.row_index(op.cta, op.id)], bit), false),
            (StateWord::Warp, _) => {
                let waits = (self.warps.waiting & bit != 0).then_some(self.warps.last_id[warp]);
                (state_word::of_warp(result, waits, trapped & bit != 0), false)
            }
            (StateWord::Result, Reduction::Popc) => (result.value.into(), false),
            (StateWord::Result, _) => (0, result.value != 0),
        };
        Effect { read: Some(Read { warp: op.warp, value, predicate }), ..Effect::default() }
    }

    /// Applies a Write that is not refused.
    pub(super) fn write(&mut self, op: &Operation) -> Effect {
        match op.state {
            StateWord::Barrier => self.row_word(op).map_or(Effect::default(), |row| self.write_row(op, row)),
            StateWord::Warp | StateWord::Result => {
                self.warp_word(op).map_or(Effect::default(), |word| self.write_warp(op, word))
            }
        }
    }

    /// The first fault of a Read or Write, in the order of precedence.
    pub(super) fn against_access(&self, op: &Operation) -> Option<Code> {
        let result = self.warps.results[self.warp_index(op.warp)];
        let reads = op.kind == Kind::Read;
        let undeclared = op.state == StateWord::Barrier && u32::from(op.id) >= self.slot(op.cta).declared;
        let no_result = reads && op.state == StateWord::Result && result.reduction == Reduction::None;
        match () {
            _ if undeclared => Some(Code::IdOutOfRange),
            _ if !op.uniform => Some(Code::OperandNotUniform),
            _ if no_result => Some(Code::NoResult),
            _ if !reads && self.impossible(op).is_some() => Some(Code::BadStateWord),
            _ => None,
        }
    }

    /// Writes the fields of a row that all warps share, and in `arrived` the bit of this warp only. To restore a CTA, each of its warps
    /// writes the row with its own bit.
    fn write_row(&mut self, op: &Operation, shared: Row) -> Effect {
        let (slot_index, index, bit) = (self.slot_index(op.cta), self.row_index(op.cta, op.id), self.bit(op.warp));
        let before = self.rows[index];
        if !shared.is_open() {
            return self.put(op.cta, op.id, Row::default());
        }
        let arrived = before.arrived & !bit | if state_word::arrived(op.data) { bit } else { 0 };
        let row = Row { arrived, ..shared };
        let slot = &mut self.slots[slot_index];
        if row.is_uncounted() {
            if row.count == slot.live {
                return self.complete(op.cta, op.id, &row);
            }
            slot.last_uncounted = op.id;
        }
        self.put(op.cta, op.id, row)
    }

    /// Writes the warp's own state. A warp that was saved while waiting waits again at the barrier where it has arrived.
    fn write_warp(&mut self, op: &Operation, word: WarpWord) -> Effect {
        let (warp, bit) = (self.warp_index(op.warp), self.bit(op.warp));
        if let Some(id) = word.waits_at {
            let index = self.row_index(op.cta, id);
            self.rows[index].waiting |= bit;
            self.warps.waiting |= bit;
            self.warps.last_id[warp] = id;
        }
        self.warps.results[warp] = self.saturated(word.result);
        Effect::default()
    }

    /// The reason why the state word of a Write is impossible, as text; `None` if the word is legal.
    pub fn impossible(&self, op: &Operation) -> Option<&'static str> {
        match op.state {
            StateWord::Barrier => self.row_word(op).err(),
            StateWord::Warp | StateWord::Result => self.warp_word(op).err(),
        }
    }

    fn row_word(&self, op: &Operation) -> Result<Row, &'static str> {
        if self.rows[self.row_index(op.cta, op.id)].waiting != 0 {
            return Err("a warp waits at the barrier");
        }
        let row = state_word::row(op.data, &self.cta(op.cta))?;
        self.is_built(row.reduction)?;
        Ok(row)
    }

    fn warp_word(&self, op: &Operation) -> Result<WarpWord, &'static str> {
        let bit = self.bit(op.warp);
        if self.warps.waiting & bit != 0 {
            return Err("the warp already waits at a barrier");
        }
        let word = state_word::warp(op.data, &self.cta(op.cta))?;
        self.is_built(word.result.reduction)?;
        match word.waits_at {
            Some(id) if u32::from(id) >= self.slot(op.cta).declared => Err("a wait at a barrier that the CTA does not declare"),
            Some(id) if self.rows[self.row_index(op.cta, id)].arrived & bit == 0 => {
                Err("a wait at a barrier at which the warp has not arrived")
            }
            _ => Ok(word),
        }
    }

    /// Fails if a reduction is given and the unit is built without reductions.
    fn is_built(&self, reduction: Reduction) -> Result<(), &'static str> {
        match self.sizes.parts().reductions || reduction == Reduction::None {
            true => Ok(()),
            false => Err("a reduction, but this unit is built without reductions"),
        }
    }

    /// The limits of the CTA against which a state word is checked.
    fn cta(&self, cta: u8) -> Cta {
        let slot = self.slot(cta);
        Cta { launched: slot.launched, live: slot.live, lanes: self.sizes.lanes() as u32 }
    }
}
