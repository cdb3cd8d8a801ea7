// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bulk copies: their bytes are read at one time and stored at a later time, without an order to other accesses.

use super::bank::Bank;
use super::perform::after;
use super::{Access, AccessEffect, Memory, Part, Tile};
use bcu_program::arith::Type;
use bcu_program::tensor::Row;
use bcu_program::Atomic;

impl Memory {
    /// Reads the bytes of every lane, and returns the access that later stores them.
    pub(super) fn bulk_read(&self, access: &Access, reduce: Option<Atomic>) -> Access {
        let read = |part: &Part| {
            let bytes = part.values.get(1).copied().flatten().unwrap_or(0) as usize;
            if let (Some(tile), Some(_)) = (&part.tile, part.signal) {
                return self.boxed(part.bank, tile, bytes);
            }
            part.address.map_or_else(|| vec![None; bytes], |at| self.range(part.bank, at, bytes))
        };
        let bulk_bytes = access.parts.iter().map(read).collect();
        let write = |part: &Part| {
            // If the number of bytes is unknown, the written addresses are unknown.
            let to = part.values.get(1).copied().flatten().and(part.values.first().copied().flatten());
            let tile = part.tile.clone().filter(|_| part.signal.is_none());
            Part { bank: part.to, address: to, tile, ..part.clone() }
        };
        let parts = access.parts.iter().map(write).collect();
        Access { effect: AccessEffect::BulkWrite(bulk_bytes, reduce), parts, ..access.clone() }
    }

    /// Reads the box of a tensor.
    fn boxed(&self, bank: Bank, tile: &Tile, bytes: usize) -> Vec<Option<u8>> {
        let mut box_bytes: Vec<Option<u8>> = tile.outside.into_iter().cycle().take(bytes).map(Some).collect();
        for Row { address, first, bytes } in &tile.rows {
            let row = self.range(bank, *address, *bytes as usize);
            let to = *first as usize..(*first + *bytes) as usize;
            box_bytes.get_mut(to).into_iter().for_each(|to| to.clone_from_slice(&row));
        }
        box_bytes
    }

    /// Stores the bytes of a lane, or combines them element by element with the previous contents.
    pub(super) fn bulk_write(&mut self, access: &Access, part: &Part, bulk_bytes: &[Option<u8>], reduce: Option<Atomic>) {
        let Some(to) = part.address else { return };
        if let Some(tile) = &part.tile {
            for Row { address, first, bytes } in &tile.rows {
                let row = bulk_bytes.get(*first as usize..(*first + *bytes) as usize).unwrap_or(&[]);
                match tile.reduce {
                    Some((ty, op)) => self.combine(part, *address, row, (ty, op)),
                    None => self.put(part, (*address..).zip(row)),
                }
            }
            return;
        }
        match (reduce, part.values.get(2).copied().flatten()) {
            (Some(op), _) => self.combine(part, to, bulk_bytes, (access.ty, op)),
            (None, Some(u64::MAX)) if !part.unknown_guard => {
                let is_change = self.bank(part.bank).set_range(to, bulk_bytes);
                self.changes += u64::from(is_change);
            }
            (None, Some(mask)) => self.put(part, (to..).zip(bulk_bytes).filter(|(at, _)| mask >> (at % 16) & 1 == 1)),
            (None, None) => self.put(part, (to..).zip(std::iter::repeat_n(&None, bulk_bytes.len()))),
        }
    }

    fn put<'a>(&mut self, part: &Part, bytes: impl Iterator<Item = (u64, &'a Option<u8>)>) {
        let bank = self.bank(part.bank);
        let changes = bytes.filter(|(at, byte)| bank.set(*at, byte.filter(|_| !part.unknown_guard))).count();
        self.changes += changes as u64;
    }

    fn combine(&mut self, part: &Part, to: u64, operand_bytes: &[Option<u8>], (ty, op): (Type, Atomic)) {
        let size = ty.bytes().max(1);
        for (at, element) in (to..).step_by(size).zip(operand_bytes.chunks(size)) {
            let value = element.iter().rev().try_fold(0u64, |value, byte| Some(value << 8 | u64::from((*byte)?)));
            let before = self.read(part.bank, at, size);
            let after = after(op, ty, before, &[value]);
            self.store(part.bank, at, size, after.filter(|_| !part.unknown_guard));
        }
    }

    /// The contents of `bytes` bytes from `at` on.
    pub fn range(&self, bank: Bank, at: u64, bytes: usize) -> Vec<Option<u8>> {
        match self.banks.get(bank) {
            Some(bank_bytes) => bank_bytes.range(at, bytes),
            None => super::Bytes::new(self.fresh).range(at, bytes),
        }
    }
}
