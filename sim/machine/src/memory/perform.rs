// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Performs an access.

use super::bank::Bank;
use super::performed::Loaded;
use super::{Access, AccessEffect, Bytes, Memory, Part};
use bcu_program::arith::bits::extended;
use bcu_program::arith::{lane_result, Partial, Type};
use bcu_program::Atomic;

impl Memory {
    /// Applies the effect of an access; `load` gets the loaded values. Returns the second half of the access, such as the store of a bulk
    /// copy, which is performed later.
    pub fn perform(&mut self, access: &Access, mut load: impl FnMut(Loaded)) -> Option<Access> {
        // A stored byte counts as a change only if its value changes. The signal to an mbarrier after the bytes of a copy always counts as
        // a change.
        self.changes += u64::from(access.arrives());
        for (number, part) in access.parts.iter().enumerate() {
            if access.stores() && access.pieces(part).any(|(at, ..)| at.is_none()) {
                self.unknown_stores += 1;
                self.changes += 1;
                self.bank(part.bank).forget();
            }
            let size = access.ty.bytes();
            let to = |slot: &usize, value| Loaded { register: part.base + slot, lane: part.lane, value };
            match &access.effect {
                AccessEffect::Nothing => {}
                AccessEffect::Load(slots) => {
                    for (element, slot) in slots.iter().enumerate() {
                        let at =
                            part.address.filter(|_| !part.unknown_guard).map(|at| at.wrapping_add((element * size) as u64));
                        let value = at.map_or(Partial::UNKNOWN, |at| self.loaded(part.bank, at, access.ty));
                        slot.iter().for_each(|slot| load(to(slot, value)));
                    }
                }
                AccessEffect::LoadMatrix(slots) => {
                    let packed = access.packed();
                    for (number, slot) in slots.iter().enumerate() {
                        let element = |i: usize| {
                            let at = part.places.get(packed * number + i).copied().flatten()?;
                            self.read(part.bank, at, size).map(|value| value << (8 * size * i))
                        };
                        let value = (0..packed).try_fold(0, |word, i| Some(word | element(i)?));
                        slot.iter().for_each(|slot| load(to(slot, value.filter(|_| !part.unknown_guard).into())));
                    }
                }
                AccessEffect::Sample(slots) => {
                    let sample = part.sample.as_ref().filter(|_| !part.unknown_guard);
                    let length = sample.map_or(0, |sample| sample.bytes() as usize);
                    let bytes = part.places.iter().flatten().map(|at| self.range(part.bank, *at, length));
                    let results = sample.map_or([None; 4], |sample| sample.results(bytes));
                    for (slot, value) in slots.iter().zip(results) {
                        let value = value.map(|value| extended(value, access.ty) as u64);
                        slot.iter().for_each(|slot| load(to(slot, value.into())));
                    }
                }
                AccessEffect::Store | AccessEffect::StoreMatrix => {
                    for (at, bytes, first) in access.pieces(part) {
                        let Some(at) = at else { continue };
                        for i in 0..(bytes as usize).div_ceil(size) {
                            let at = at.wrapping_add((i * size) as u64);
                            match access.stored(part, first + i) {
                                value if part.unknown_guard || value.is_some() || part.partial.is_empty() => {
                                    self.store(part.bank, at, size, value.filter(|_| !part.unknown_guard));
                                }
                                _ => self.store_known_bytes(part.bank, at, size, access.stored_partial(part, first + i)),
                            }
                        }
                    }
                }
                AccessEffect::Atomic(op, slot) => {
                    let before = part.address.and_then(|at| self.read(part.bank, at, size));
                    if let Some(at) = part.address {
                        let after = after(*op, access.ty, before, &part.values).filter(|_| !part.unknown_guard);
                        self.store(part.bank, at, size, after);
                        self.grid_barriers.performed((part.bank, at), before, after);
                    }
                    let before = before.filter(|_| !part.unknown_guard).map(|value| extended(value, access.ty) as u64);
                    slot.iter().for_each(|slot| load(to(slot, before.into())));
                }
                AccessEffect::Copy(from, bytes) => self.copies(part, *from, *bytes, access.bytes),
                AccessEffect::CopyMap(from, _) => self.copies(part, *from, access.bytes, access.bytes),
                // `bulk_read` reads the bytes of all lanes together, after this loop.
                AccessEffect::BulkRead(_) => {}
                AccessEffect::BulkWrite(bulk_bytes, reduce) => {
                    self.bulk_write(access, part, bulk_bytes.get(number).map_or(&[], Vec::as_slice), *reduce);
                }
            }
        }
        match access.effect {
            AccessEffect::BulkRead(reduce) => Some(self.bulk_read(access, reduce)),
            _ => None,
        }
    }

    /// The value of an element; bits of unknown bytes are unknown.
    fn loaded(&self, bank: Bank, at: u64, ty: Type) -> Partial {
        let size = ty.bytes();
        match self.read(bank, at, size) {
            Some(value) => Some(extended(value, ty) as u64).into(),
            None => {
                let byte = |i: usize| self.read(bank, at.wrapping_add(i as u64), 1).map(|byte| byte as u8);
                Partial::from_bytes((0..size).map(byte)).extended(ty)
            }
        }
    }

    /// Stores an element of which not all bits are known. A byte with an unknown bit is unknown in memory: variables and fields have whole
    /// bytes, and a mask for bits would have to follow every copy of bytes.
    fn store_known_bytes(&mut self, bank: Bank, at: u64, size: usize, value: Partial) {
        for i in 0..size {
            let byte = value.byte(i).map(u64::from);
            self.store(bank, at.wrapping_add(i as u64), 1, byte);
        }
    }

    /// Stores an element, and counts a change if the value in memory differs.
    pub(super) fn store(&mut self, bank: Bank, at: u64, size: usize, value: Option<u64>) {
        let is_change = self.bank(bank).store(at, size, value);
        self.changes += u64::from(is_change);
    }

    /// Copies the first `filled` bytes from memory `from`, and sets the rest of the `bytes` bytes to 0.
    fn copies(&mut self, part: &Part, from: Bank, filled: u64, bytes: u64) {
        let Some(to) = part.address else { return };
        // Each lane may have a lower number of copied bytes, in `values[1]`.
        let filled = part.values.get(1).map_or(Some(filled), |given| given.map(|given| given.min(filled)));
        for i in 0..bytes {
            let source = part.values.first().copied().flatten().map(|at| at + i);
            let byte = match filled {
                Some(filled) if i >= filled => Some(0),
                Some(_) => source.and_then(|at| self.banks.get(from).and_then(|held: &Bytes| held.get(at))),
                None => None,
            };
            let is_change = self.bank(part.bank).set(to + i, byte.filter(|_| !part.unknown_guard));
            self.changes += u64::from(is_change);
        }
    }
}

/// The value after an atomic operation; `None` if it is unknown.
pub(super) fn after(op: Atomic, ty: Type, before: Option<u64>, values: &[Option<u64>]) -> Option<u64> {
    let low = |value: u64| if ty.bits >= 64 { value } else { value & ((1 << ty.bits) - 1) };
    let value = |i: usize| values.get(i).copied().flatten().map(low);
    let given = value(0)?;
    // Only the result of an exchange does not depend on the previous value.
    let Some(before) = before else { return (op == Atomic::Exchange).then_some(given) };
    Some(match op {
        Atomic::Calc(calc) => low(lane_result(calc, [Some(before), Some(given), None, None]).0?),
        Atomic::Exchange => given,
        Atomic::CompareAndSwap if before == given => value(1)?,
        Atomic::CompareAndSwap => before,
        Atomic::Inc if before >= given => 0,
        Atomic::Inc => before + 1,
        Atomic::Dec if before == 0 || before > given => given,
        Atomic::Dec => before - 1,
    })
}
