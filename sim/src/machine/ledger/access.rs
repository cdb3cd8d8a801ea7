// SPDX-License-Identifier: Apache-2.0 OR MIT
//! State words: what a B2R must read, and what an R2B does or why it is refused (`docs/interface.md`, unit `named`).

use super::super::meaning::{Reduction, State};
use super::super::sentence;
use super::row::{code, reduction, BarrierWord};
use super::{Ledger, Reader, WarpBook, Writeback};
use crate::program::Place;
use bcu_hw::unit::op::FaultCode;

/// The redop of a warp that has taken part in no reduction.
const NO_REDUCTION: u32 = 3;

impl Ledger {
    /// A B2R of `reader` into register `rd` and predicate `pu`; false if it is refused.
    pub(super) fn read(&mut self, reader: Reader, state: State, (rd, pu): (u8, u8), place: &Place) -> bool {
        let Reader { cta, warp, .. } = reader;
        let book = &self.books[cta];
        let own = &book.warps[warp];
        let (value, predicate) = match state {
            State::Warp => (word(own), false),
            State::Barrier(id) if usize::from(id) >= book.declared => {
                self.refuse(FaultCode::IdOutOfRange, cta, warp, Some(id), place, sentence::no_barrier(id, book.declared));
                return false;
            }
            State::Barrier(id) => (book.rows[usize::from(id)].word(warp, self.lanes), false),
            State::Result => match own.result {
                None => {
                    self.refuse(FaultCode::NoResult, cta, warp, None, place, sentence::no_result(warp));
                    return false;
                }
                Some((Reduction::Popc, value)) => (value, false),
                Some((_, value)) => (0, value == 1),
            },
        };
        self.owed.read(Writeback { warp_slot: own.warp_slot, rd, pu, value, predicate }, reader);
        true
    }

    /// An R2B of a warp in cycle `cycle`.
    pub(super) fn write(
        &mut self,
        cycle: u64,
        (cta, warp): (usize, usize),
        state: State,
        (word, uniform): (u32, bool),
        place: &Place,
    ) {
        let id = if let State::Barrier(id) = state { Some(id) } else { None };
        let declared = self.books[cta].declared;
        let outcome = match state {
            State::Barrier(id) if usize::from(id) >= declared => {
                Err((FaultCode::IdOutOfRange, sentence::no_barrier(id, declared)))
            }
            _ if !uniform => Err((FaultCode::OperandNotUniform, sentence::not_uniform())),
            State::Barrier(id) => self.write_barrier(cta, warp, id, word),
            State::Warp | State::Result => self.write_warp(cycle, cta, warp, word),
        };
        if let Err((code, sentence)) = outcome {
            self.refuse(code, cta, warp, id, place, sentence);
        }
    }

    fn write_barrier(&mut self, cta: usize, warp: usize, id: u8, word: u32) -> Result<(), (FaultCode, String)> {
        let book = &mut self.books[cta];
        let row = &mut book.rows[usize::from(id)];
        let bad = |why: &str| (FaultCode::BadStateWord, sentence::bad_word(word, why));
        if row.waiting_mask != 0 {
            return Err(bad("a warp waits at the barrier"));
        }
        let read = BarrierWord::read(word, book.warps.len() as u32, book.live as u32, self.lanes).map_err(bad)?;
        row.restore(&read, warp, self.lanes);
        if read.kind != 0 && read.expected == 0 {
            book.last_without_count = id.into();
            book.tangles();
            if read.arrived as usize == book.live {
                self.complete(cta, id, None);
            }
        }
        Ok(())
    }

    fn write_warp(&mut self, cycle: u64, cta: usize, warp: usize, word: u32) -> Result<(), (FaultCode, String)> {
        let book = &mut self.books[cta];
        let (value, redop, waits, id) = (word & 0xfff, word >> 12 & 3, word >> 14 & 1 == 1, (word >> 15 & 15) as usize);
        let largest = if redop == 2 { book.warps.len() as u32 * self.lanes } else { u32::from(redop != NO_REDUCTION) };
        let causes = [
            (book.warps[warp].waits_since.is_some(), "the warp waits already"),
            (word >> 20 != 0, "a bit of 31:20 is set"),
            (value > largest, "a result larger than the CTA can give"),
            (!waits && id != 0, "a barrier without a wait"),
            (waits && id >= book.declared, "a wait at a barrier that the CTA does not declare"),
            (waits && !book.rows[id].has(warp), "a wait at a barrier at which the warp has not arrived"),
        ];
        if let Some((_, why)) = causes.iter().find(|(applies, _)| *applies) {
            return Err((FaultCode::BadStateWord, sentence::bad_word(word, why)));
        }
        let own = &mut book.warps[warp];
        own.result = reduction(redop).map(|reduction| (reduction, value));
        own.trapped = word >> 19 & 1 == 1;
        if waits {
            (own.waits_since, own.last_id) = (Some(cycle), id as u8);
            book.rows[id].waiting_mask |= 1 << warp;
        }
        Ok(())
    }

    fn refuse(&mut self, code: FaultCode, cta: usize, warp: usize, id: Option<u8>, place: &Place, sentence: String) {
        self.owe(code, cta, Some(warp), id, Some(place), sentence);
    }
}

/// The state word of a warp.
fn word(own: &WarpBook) -> u32 {
    let (value, redop) = own.result.map_or((0, NO_REDUCTION), |(reduction, value)| (value, code(reduction)));
    let waits = own.waits_at().map_or(0, |id| 1 << 14 | u32::from(id) << 15);
    value | redop << 12 | waits | u32::from(own.trapped) << 19
}
