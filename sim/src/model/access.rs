// SPDX-License-Identifier: Apache-2.0 OR MIT
//! State words read and written (`docs/interface.md`, `named`, Read and Write).

use super::barriers::{Barriers, Effect};
use super::op::{Code, Operation, Read, Reduction, StateWord};
use super::row::Row;
use super::state_word::{self, Cta, WarpWord};

impl Barriers {
    /// What a Read reads. An error is the fault.
    pub(super) fn read(&self, op: &Operation) -> Result<Effect, Code> {
        let (warp, bit) = (self.warp_index(op.warp), self.bit(op.warp));
        self.check_access(op)?;
        let result = self.warps.results[warp];
        let (value, predicate) = match op.state {
            StateWord::Barrier => (state_word::of_row(&self.rows[self.row_index(op.cta, op.id)], bit), false),
            StateWord::Warp => {
                let waits = (self.warps.waiting & bit != 0).then_some(self.warps.last_id[warp]);
                (state_word::of_warp(result, waits, self.warps.trapped & bit != 0), false)
            }
            StateWord::Result => match result.reduction {
                Reduction::None => return Err(Code::NoResult),
                Reduction::Popc => (result.value.into(), false),
                Reduction::And | Reduction::Or => (0, result.value != 0),
            },
        };
        Ok(Effect { read: Some(Read { warp: op.warp, value, predicate }), ..Effect::default() })
    }

    /// What a Write sets. An error is the fault, and nothing has changed.
    pub(super) fn write(&mut self, op: &Operation) -> Result<Effect, Code> {
        self.check_access(op)?;
        match op.state {
            StateWord::Barrier => self.write_row(op),
            StateWord::Warp | StateWord::Result => self.write_warp(op),
        }
    }

    fn check_access(&self, op: &Operation) -> Result<(), Code> {
        if op.state == StateWord::Barrier && u32::from(op.id) >= self.slot(op.cta).declared {
            return Err(Code::IdOutOfRange);
        }
        if !op.uniform {
            return Err(Code::OperandNotUniform);
        }
        Ok(())
    }

    /// The shared fields of a row, and the arrived bit of this warp alone: each warp restores what it saw of a row.
    fn write_row(&mut self, op: &Operation) -> Result<Effect, Code> {
        let (slot_index, index, bit) = (self.slot_index(op.cta), self.row_index(op.cta, op.id), self.bit(op.warp));
        let before = self.rows[index];
        let shared = self.row_word(op).map_err(|_| Code::BadStateWord)?;
        if !shared.is_open() {
            return Ok(self.put(op.cta, op.id, Row::default()));
        }
        let arrived = before.arrived & !bit | if state_word::arrived(op.data) { bit } else { 0 };
        let row = Row { arrived, ..shared };
        let slot = &mut self.slots[slot_index];
        if row.is_uncounted() {
            if row.count == slot.live {
                return Ok(self.complete(op.cta, op.id, &row));
            }
            slot.last_uncounted = op.id;
        }
        Ok(self.put(op.cta, op.id, row))
    }

    /// The warp's own state; a warp that waited waits again, where it has arrived.
    fn write_warp(&mut self, op: &Operation) -> Result<Effect, Code> {
        let (warp, bit) = (self.warp_index(op.warp), self.bit(op.warp));
        let word = self.warp_word(op).map_err(|_| Code::BadStateWord)?;
        if let Some(id) = word.waits_at {
            let index = self.row_index(op.cta, id);
            self.rows[index].waiting |= bit;
            self.warps.waiting |= bit;
            self.warps.last_id[warp] = id;
        }
        self.warps.results[warp] = self.kept(word.result);
        self.warps.trapped = self.warps.trapped & !bit | if word.trapped { bit } else { 0 };
        Ok(Effect::default())
    }

    /// Why the word of a Write is refused as impossible, if it is.
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
            return Err("the warp waits already");
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

    /// A reduction needs a unit that has them.
    fn is_built(&self, reduction: Reduction) -> Result<(), &'static str> {
        match self.sizes.parts().reductions || reduction == Reduction::None {
            true => Ok(()),
            false => Err("a reduction, which this unit does not have"),
        }
    }

    /// What a state word is measured by.
    fn cta(&self, cta: u8) -> Cta {
        let slot = self.slot(cta);
        Cta { launched: slot.launched, live: slot.live, lanes: self.sizes.lanes() as u32 }
    }
}
