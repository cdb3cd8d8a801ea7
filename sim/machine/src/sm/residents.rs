// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that hold a warp slot, including exited ones.

use super::super::warp::threads::bits;
use super::super::warp::Warp;
use super::Sm;

impl<'a> Sm<'a> {
    /// Lists the resident warps again, after a change of `warp_slots`: many loops visit them, and most slots may be free.
    pub(super) fn list_residents(&mut self) {
        self.resident_slots =
            (0..self.warp_slots.len()).fold(0, |slots, slot| slots | u64::from(self.warp_slots[slot].is_some()) << slot);
    }

    /// The resident warps, in order of their warp slots.
    pub fn resident_warps<'b>(&'b self) -> impl Iterator<Item = &'b Warp> + use<'a, 'b> {
        bits(self.resident_slots).filter_map(|slot| self.warp_slots[slot]).map(|index| &self.warps[index])
    }

    /// Restarts the poll counts of all warps, because an operation or access in flight may change
    /// the mbarriers that they poll.
    pub fn restart_polls(&mut self) {
        if std::mem::take(&mut self.may_poll) {
            for slot in bits(self.resident_slots) {
                self.warp_slots[slot].into_iter().for_each(|index| self.warps[index].restart_polls());
            }
        }
    }
}
