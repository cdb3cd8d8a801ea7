// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Asynchronous copies as the unit counts them (`docs/contract/mem_order.md`, *Copies*). The number
//! of copies of a CTA in flight is limited, and the CTA is not retired before they are performed.
//! An instruction is one copy, however many lanes execute it and in however many pieces its bytes
//! are written.

use super::super::memory::{Access, Bank};
use super::super::warp::threads::At;
use super::copying::{PIECES, UNIT};
use super::objects::BYTES;
use super::{Sm, OFFSET};

impl Sm<'_> {
    /// Drives the copy strobes of the next cycle: no issued copy, and one performed copy if there
    /// is one.
    pub(super) fn copies_performed(&mut self) {
        let at = &self.pins.at;
        let [issue, valid, cta] = [at.copy_issue_valid, at.copy_perform_valid, at.copy_perform_cta];
        self.copying.issued = [None, self.copying.issued[0]];
        self.pins.set(issue, 0);
        let performed = self.copying.performed.pop_front();
        self.pins.set(valid, performed.is_some().into());
        self.pins.set(cta, performed.unwrap_or(0) as u64);
    }

    /// Whether a warp may issue a copy. The unit accepts one copy per cycle, and outputs in the next cycle whether the CTA has reached its
    /// maximum number of copies.
    pub(super) fn may_copy(&self, index: usize) -> bool {
        let Some(slot) = self.slot_of(self.warps[index].cta) else { return false };
        let full = self.pins.get(self.pins.at.copies_full) >> slot & 1 == 1;
        !full && self.copying.issued[0].is_none() && self.copying.issued[1] != Some(slot)
    }

    /// Issues a copy for instruction `at` of the warp with index `index`, and returns the number of the copy. The copy
    /// is performed when `Copying::done` has been called `remaining` times, and once more for each
    /// expected signal.
    pub(super) fn begin_copy(&mut self, (index, at): (usize, At), remaining: usize) -> Option<u64> {
        let slot = self.slot_of(self.warps[index].cta)?;
        self.pins.set(self.pins.at.copy_issue_valid, 1);
        self.pins.set(self.pins.at.copy_issue_cta, slot as u64);
        Some(self.copying.begin(slot, (index, at), remaining))
    }

    /// Whether a copy is not performed.
    pub fn is_copy_in_flight(&self, number: u64) -> bool {
        self.copying.copies.contains_key(&number)
    }

    /// The copies in flight with higher numbers than `number`: number, index of the warp, and instruction.
    pub fn copies_after(&self, number: u64) -> impl Iterator<Item = (u64, usize, At)> + '_ {
        let copies = self.copying.copies.range(number + 1..);
        copies.map(|(number, copy)| (*number, copy.issued_by.0, copy.issued_by.1))
    }

    /// The number of bytes of an issued copy of which nothing is written, and the mbarriers that it signals, by CTA and address.
    pub fn copied_bytes(&self, number: u64) -> (u64, Vec<(usize, u32)>) {
        let accesses = || self.pipe.of_copy(number);
        let signals = accesses().flat_map(|access| &access.parts).filter_map(|part| match (part.signal, part.to) {
            (Some(signal), Bank::Shared(cta)) => Some((cta, signal & OFFSET)),
            _ => None,
        });
        let deferred = self.objects.deferred.iter().filter(|arrival| arrival.copy == number);
        let arrivals = deferred.map(|arrival| (arrival.cta, arrival.object as u32 * BYTES as u32));
        let mut signals: Vec<(usize, u32)> = signals.chain(arrivals).collect();
        signals.sort_unstable();
        signals.dedup();
        (accesses().map(Access::copied_bytes).sum(), signals)
    }
}

/// The number and the size of the pieces of a copy that signals an mbarrier, each of which is performed at a separate time. `None`: the
/// access is not split.
pub(super) fn pieces(access: &Access) -> Option<(u64, u64)> {
    let split = access.parts.iter().filter(|part| part.signal.is_some() && part.tile.is_none());
    let bytes = split.map(|part| part.to()).map(|to| to.end - to.start).max()?;
    let each = bytes.div_ceil(PIECES).next_multiple_of(UNIT).max(UNIT);
    Some((bytes.div_ceil(each).max(1), each))
}

/// The piece of a copy with number `number`; a piece has `bytes` bytes.
pub(super) fn piece(access: &Access, number: u64, bytes: u64) -> Access {
    let parts = access.parts.iter().filter_map(|part| part.piece(number * bytes, bytes)).collect();
    Access { parts, ..access.clone() }
}
