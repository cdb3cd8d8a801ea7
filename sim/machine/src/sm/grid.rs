// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grid events on a multiprocessor: opened grids, whose CTAs may be launched, and warps that have waited for the previous grids.

use super::super::grids::Grids;
use super::super::memory::{Access, Bank};
use super::super::warp::threads::{bits, At};
use super::Sm;

impl Sm<'_> {
    /// Records an access to global memory by a warp that has not waited for the earlier grids, while another warp of its CTA has: in another
    /// schedule it may come before that wait.
    pub(super) fn relies_on_wait(&self, index: usize, access: &Access, at: At) {
        let warp = &self.warps[index];
        if !warp.awaited || warp.has_awaited || !warp.program.grid.programmatic {
            return;
        }
        let is_global = access.asynchronous() || access.parts.iter().any(|part| part.bank == Bank::Global);
        if let Some(races) = self.races.as_ref().filter(|_| is_global) {
            races.borrow_mut().before_wait_for_grids((warp.cta, warp.warp), &warp.place_of(at));
        }
    }

    /// Processes the strobes for grids; returns whether there are any.
    pub(super) fn grid(&mut self, grids: &mut Grids) -> bool {
        let at = &self.pins.at;
        let (opened, release) = (self.pins.is_set(at.grid_opened_valid), self.pins.is_set(at.grid_release_valid));
        let (slot, warps) = (self.pins.get(at.grid_opened_grid), self.pins.get(at.grid_release_warps));
        if opened {
            grids.opened(self.number, slot as usize);
        }
        for slot in bits(if release { warps } else { 0 }) {
            let Some(index) = self.warp_slots.get(slot).copied().flatten() else { continue };
            let (cycle, warp) = (self.cycle, &mut self.warps[index]);
            warp.waited += warp.at_grid.take().map_or(0, |since| cycle - since);
            warp.has_awaited = true;
            let cta = warp.cta;
            self.warps.iter_mut().filter(|warp| warp.cta == cta).for_each(|warp| warp.awaited = true);
        }
        opened || release
    }
}
