// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses to the bytes of an mbarrier that are not operations on it: a store corrupts the mbarrier, and a load may return an outdated
//! word.

use super::super::memory::{Access, AccessEffect, Bank, Part};
use super::super::record::Touched;
use super::Sm;
use std::ops::Range;

/// The bytes that the part of a lane uses in the shared memory of the accessing CTA, and whether the part stores to these bytes; unknown
/// addresses are omitted.
fn touched(access: &Access, part: &Part) -> Vec<(Range<u64>, bool)> {
    let stores = access.stores();
    let of_cta = Bank::Shared(access.cta);
    let byte_range = |(at, bytes): (u64, u64), stores: bool| (at..at.saturating_add(bytes.max(1)), stores);
    let plain = access.pieces(part).filter_map(|(at, bytes, _)| Some(byte_range((at?, bytes), stores)));
    let mut touched: Vec<_> = plain.filter(|_| part.bank == of_cta).collect();
    if matches!(access.effect, AccessEffect::BulkRead(_)) && part.to == of_cta {
        let to = part.to();
        touched.push(byte_range((to.start, to.end - to.start), true));
    }
    touched
}

impl Sm<'_> {
    /// Checks whether an issued access uses bytes of an mbarrier.
    pub(super) fn overlays(&mut self, index: usize, access: &Access, cycle: u64) {
        let warp = &self.warps[index];
        if !self.record.mbarriers.has(warp.cta) {
            return;
        }
        let (cta, warp, place) = (warp.cta, warp.warp, warp.last_place());
        for (bytes, stores) in access.parts.iter().flat_map(|part| touched(access, part)) {
            let touched = Touched { warp, bytes, stores, place: &place, cycle };
            if self.record.mbarriers.touches(cta, touched) {
                // One report per instruction is enough.
                return;
            }
        }
    }
}
