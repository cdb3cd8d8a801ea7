// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Answers of the unit to operations on mbarriers.

use super::super::warp::threads::bits;
use super::Sm;

impl Sm<'_> {
    /// Processes the results that the unit outputs; returns whether there are any.
    pub(super) fn answers(&mut self) -> bool {
        let at = self.pins.at.clone();
        let (token, wake) = (self.pins.is_set(at.token_valid), self.pins.is_set(at.wake_valid));
        if token {
            let ports = [at.token_warp, at.token_word, at.token_predicate, at.token_refused];
            let [slot, word, predicate, refused] = ports.map(|port| self.pins.get(port));
            self.answered(slot as usize, (refused == 0).then_some((word, predicate == 1)), false);
        }
        if wake {
            let [warps, value] = [at.wake_warps, at.wake_value].map(|port| self.pins.get(port));
            bits(warps).for_each(|slot| self.answered(slot, Some((0, value == 1)), true));
        }
        token || wake
    }

    /// Gives the warp in slot `slot` the result of its mbarrier operation; `woken`: the warp was suspended until now.
    fn answered(&mut self, slot: usize, result: Option<(u64, bool)>, woken: bool) {
        let Some(index) = self.warp_slots.get(slot).copied().flatten() else { return };
        self.warps[index].has_token(result);
        let issuer = self.issuer(index);
        if let Some((_, answer)) = result.filter(|_| woken) {
            self.record.mbarriers.end_suspension(index, (issuer.cta, issuer.warp), answer, self.cycle);
        }
        if let (Some(races), Some((_, true))) = (&self.races, result) {
            races.borrow_mut().waited(issuer);
        }
    }
}
