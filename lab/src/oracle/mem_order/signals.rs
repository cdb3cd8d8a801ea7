// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the output levels of `mem_order`, in the cycles in which the page determines their
//! values.

use super::{MemOrder, BOUND_REST, ROUNDS, SETTLED};
use crate::oracle::pins::Pins;

impl MemOrder {
    /// Compares the output levels of this cycle.
    pub(super) fn compare(&self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        if self.due == Some(self.cycle) {
            pins.expect(&p.op_valid, 1)?;
        }
        let is_ready = self.queue.len() < 2 && self.since_reset > self.scan + 1;
        pins.expect(&p.in_ready, is_ready.into())?;
        let slots = |holds: &dyn Fn(u64) -> bool| {
            let set = self.copies.iter().enumerate().filter(|(_, number)| holds(**number));
            set.fold(0, |mask, (slot, _)| mask | 1 << slot)
        };
        pins.expect(&p.copying, slots(&|number| number != 0))?;
        pins.expect(&p.copies_full, slots(&|number| number == self.most_copies))?;
        let shown = [&p.held, &p.full, &p.parked, &p.picked_pending, &p.epoch, &p.access_limit].map(|pin| pins.get(pin));
        let outstanding = self.outstanding.as_ref().map(|pin| pins.get(pin));
        for (number, warp) in self.warps.iter().enumerate() {
            let [held, full, parked, pending, epoch, limit] = shown.map(|mask| mask >> number & 1);
            let is_quiet = self.cycle > warp.changed + SETTLED && self.cycle > warp.accessed + SETTLED;
            let is_full = warp.parked.len() > 1;
            // The fence has nothing more to wait for. The page leaves open in which cycle the scan
            // ends such a fence.
            let is_over = warp.fence.is_some() && warp.is_empty() && warp.fence == Some([0, 0]);
            let full_hold = is_full || warp.is_pending && warp.was_full_at_pick;
            let wait_holds = warp.pending_holds || warp.parked.iter().any(|op| op.holds);
            let holds = warp.fence.is_some() || full_hold || wait_holds;
            // The page leaves open whether a wait that has taken effect still holds its warp while a younger operation of the warp is
            // parked.
            let is_held_open = is_over || !holds && warp.has_wait;
            let is_parked = !warp.parked.is_empty() || warp.fence.is_some() || warp.is_pending;
            let expected = [
                ("held", held, u64::from(holds), is_held_open),
                ("full", full, u64::from(is_full), false),
                ("parked", parked, u64::from(is_parked), is_over),
                ("picked_pending", pending, u64::from(warp.is_pending), false),
                ("epoch", epoch, warp.epoch, false),
            ];
            for (name, found, expected, is_open) in expected {
                if is_quiet && !is_open && found != expected {
                    return Err(format!("`{name}` of warp {number} is {found}; expected {expected}: {warp:?}"));
                }
            }
            if is_quiet && outstanding.is_some_and(|mask| mask >> number & 1 != u64::from(warp.outstanding() != 0)) {
                return Err(format!("`outstanding` of warp {number} is wrong: {warp:?}"));
            }
            let is_fenced = warp.fence.is_some_and(|owed| owed != [0, 0] || !warp.is_empty());
            if is_fenced && self.cycle > warp.fenced_at + 1 && held == 0 {
                return Err(format!("warp {number} is not `held`, and its fence waits: {warp:?}"));
            }
            let bound = ROUNDS * 8 * self.scan + BOUND_REST;
            let most = if warp.is_access { bound } else { 2 * bound };
            if warp.idle > most {
                return Err(format!(
                    "warp {number} has had nothing to wait for in {} cycles, above the bound of {most}: {warp:?}",
                    warp.idle
                ));
            }
            if self.rising[1] >> number & 1 == 1 && limit == 0 {
                return Err(format!(
                    "`access_limit` of warp {number} is 0; an access two cycles before made its number high: {warp:?}"
                ));
            }
            if limit == 1 && warp.low > bound {
                return Err(format!(
                    "`access_limit` of warp {number} is 1; its number has not been high for {} cycles",
                    warp.low
                ));
            }
        }
        Ok(())
    }
}
