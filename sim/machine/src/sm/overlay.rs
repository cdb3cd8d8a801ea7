// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses to the bytes of an mbarrier that are not operations on it: a store corrupts the mbarrier, and a load may return an outdated
//! word.

use super::super::memory::{Access, AccessEffect, Bank, Part};
use super::super::record::Touched;
use super::Sm;
use std::ops::Range;

/// The bytes that the part of a lane uses in the shared memory of the accessing CTA, and whether the part stores to these bytes; unknown
/// addresses are omitted.
fn touched<'a>(access: &'a Access, part: &'a Part) -> impl Iterator<Item = (Range<u64>, bool)> + 'a {
    let stores = access.stores();
    let of_cta = Bank::Shared(access.cta);
    let byte_range = |at: u64, bytes: u64| at..at.saturating_add(bytes.max(1));
    let plain = access.pieces(part).filter_map(move |(at, bytes, _)| Some((byte_range(at?, bytes), stores)));
    let is_copied = matches!(access.effect, AccessEffect::BulkRead(_)) && part.to == of_cta;
    let to = is_copied.then(|| part.to()).map(|to| (byte_range(to.start, to.end - to.start), true));
    plain.filter(move |_| part.bank == of_cta).chain(to)
}

impl Sm<'_> {
    /// Checks whether an issued access uses bytes of an mbarrier.
    pub(super) fn overlays(&mut self, index: usize, access: &Access, cycle: u64) {
        let warp = &self.warps[index];
        let all = access.parts.iter().flat_map(|part| touched(access, part)).map(|(bytes, _)| bytes);
        // Lanes mostly use adjacent bytes, so the mbarriers are searched first for all lanes together.
        let all = all.reduce(|all, bytes| all.start.min(bytes.start)..all.end.max(bytes.end));
        if all.is_none_or(|all| !self.record.mbarriers.has(warp.cta, all)) {
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
