// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scan of `mem_order` over the warps while nothing else happens.

use super::{MemOrder, Scan, Turn};

impl MemOrder {
    /// Takes over the place of the scan and the last look-up.
    pub(crate) fn adopt_scan(&mut self, from: &MemOrder) {
        let Scan { next, went, cycle, .. } = from.scan;
        self.scan = Scan { next, went, cycle, ..self.scan };
        (self.look, self.turn, self.below_limit) = (from.look, from.turn, from.below_limit);
    }

    /// Whether only the scan advances, if nothing else has changed in the last cycle: the queue is empty, and no look-up would change a
    /// warp.
    pub(crate) fn only_scans(&self) -> bool {
        let is_empty = self.queued == 0 && self.picked.is_none() && self.offered.is_none() && !self.waits;
        let is_unchanged = self.change.is_none() && self.issued.iter().chain(&self.performed).all(Option::is_none);
        let scans = self.scan.open && self.scan.hint.is_none() && self.turn == Turn::Scan;
        let warps = 0..self.sizes.warp_numbers() as u8;
        is_empty && is_unchanged && scans && warps.into_iter().all(|warp| self.accesses.is_unchanged_by_look(warp))
    }

    /// Advances the scan by `cycles` cycles.
    pub(crate) fn scan(&mut self, cycles: u64) {
        if cycles == 0 {
            return;
        }
        let last = (self.sizes.warp_numbers() - 1) as u8;
        let looked = |next: u8, ago: u8| next.wrapping_sub(ago) & last;
        let next = (self.scan.next.wrapping_add((cycles % 256) as u8)) & last;
        let before = if cycles == 1 { self.look } else { self.accesses.look(looked(next, 2)) };
        self.below_limit = self.accesses.has_room(&before).then_some(before.warp);
        self.look = self.accesses.look(looked(next, 1));
        self.scan = Scan { next, went: false, cycle: ((u64::from(self.scan.cycle) + cycles) % 4) as u8, ..self.scan };
    }
}
