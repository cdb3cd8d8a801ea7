// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Asynchronous copies as the unit counts them (`docs/contract/mem_order.md`, *Copies*). The number
//! of copies of a CTA in flight is limited, and the CTA is not retired before they are performed.
//! An instruction is one copy, however many lanes execute it and in however many pieces its bytes
//! are written.

use super::super::memory::Access;
use super::copying::{PIECES, UNIT};
use super::Sm;

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

    /// Issues a copy for the warp with index `index`, and returns the number of the copy. The copy
    /// is performed when `Copying::done` has been called `remaining` times, and once more for each
    /// expected signal.
    pub(super) fn begin_copy(&mut self, index: usize, remaining: usize) -> Option<u64> {
        let slot = self.slot_of(self.warps[index].cta)?;
        self.pins.set(self.pins.at.copy_issue_valid, 1);
        self.pins.set(self.pins.at.copy_issue_cta, slot as u64);
        Some(self.copying.begin(slot, remaining))
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
