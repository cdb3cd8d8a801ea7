// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Performs an access.

use super::bank::Bank;
use super::performed::Loaded;
use super::{Access, AccessEffect, Bytes, Memory, Part};
use bcu_program::arith::bits::extended;
use bcu_program::arith::{lane_partial, lane_result, Partial, Type};
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
                            let at = part.places.get(packed * number + i).copied().flatten();
                            let value = at.filter(|_| !part.unknown_guard).map(|at| self.read_partial(part.bank, at, size));
                            value.unwrap_or(Partial::from_bytes(std::iter::repeat_n(None, size)))
                        };
                        let word = Partial::joined((0..packed).map(|i| (element(i), (8 * size * i) as u32)));
                        slot.iter().for_each(|slot| load(to(slot, word)));
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
                                _ => self.store_partial(part.bank, at, size, access.stored_partial(part, first + i)),
                            }
                        }
                    }
                }
                AccessEffect::Atomic(op, slot) => {
                    let before = self.atomic(part, (*op, access.ty)).extended(access.ty);
                    slot.iter().for_each(|slot| load(to(slot, before)));
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
            None => self.read_partial(bank, at, size).extended(ty),
        }
    }

    /// Performs the atomic operation of a lane, and returns the previous value.
    fn atomic(&mut self, part: &Part, (op, ty): (Atomic, Type)) -> Partial {
        let size = ty.bytes();
        let Some(at) = part.address else { return Partial::UNKNOWN };
        let before = self.read(part.bank, at, size);
        let after = after(op, ty, before, &part.values).filter(|_| !part.unknown_guard);
        let partial_before = before.map_or_else(|| self.read_partial(part.bank, at, size), |before| Some(before).into());
        match after {
            None if !part.unknown_guard => {
                let given = |i: usize| match part.partial.get(i) {
                    Some(partial) => *partial,
                    None => part.values.get(i).copied().flatten().into(),
                };
                self.store_partial(part.bank, at, size, partial_after((op, ty), partial_before, [given(0), given(1)]));
            }
            after => self.store(part.bank, at, size, after),
        }
        self.grid_barriers.performed((part.bank, at), before, after);
        if part.unknown_guard {
            return Partial::UNKNOWN;
        }
        partial_before
    }

    /// Stores an element of which not all bits are known.
    fn store_partial(&mut self, bank: Bank, at: u64, size: usize, value: Partial) {
        self.changes += 1;
        self.bank(bank).store_partial(at, size, value);
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
            if let (None, Some(at), Some(filled), false) = (byte, source, filled, part.unknown_guard) {
                let bits = if i < filled { self.read_partial(from, at, 1) } else { Partial::UNKNOWN };
                self.bank(part.bank).store_partial(to + i, 1, bits);
            }
        }
    }
}

/// The value after an atomic operation, of which some bits may be unknown, as may those of the previous value and the operands.
fn partial_after((op, ty): (Atomic, Type), before: Partial, given: [Partial; 2]) -> Partial {
    match op {
        Atomic::Calc(calc) => lane_partial(calc, [before, given[0], Partial::UNKNOWN, Partial::UNKNOWN]).0,
        Atomic::Exchange => given[0],
        Atomic::CompareAndSwap => {
            let mask = if ty.bits >= 64 { u64::MAX } else { (1 << ty.bits) - 1 };
            let differs = (before.bits ^ given[0].bits) & before.known & given[0].known & mask != 0;
            let is_same = before.known & given[0].known & mask == mask && !differs;
            match (differs, is_same) {
                (true, _) => before,
                (_, true) => given[1],
                _ => before.agreed(given[1]),
            }
        }
        Atomic::Inc | Atomic::Dec => Partial::UNKNOWN,
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
