// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Warps that are suspended in `mbarrier`, and their answers.

use super::item::Suspension;
use super::object::{Key, INIT, INVAL, TEST_WAIT};
use super::Mbarrier;
use crate::oracle::pins::{bits, Pins};

/// Number of cycles of a tick.
const TICK: u64 = 64;

impl Mbarrier {
    /// Checks the suspended warps that get the answer false in this cycle. The reason must be a
    /// time-out, which is for one warp and not too early, or an eviction of the object.
    pub(super) fn refuse_false_answers(&mut self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let warps = pins.get(&p.wake_warps);
        if !pins.is(&p.wake_valid) || pins.is(&p.wake_value) || warps == 0 {
            return Ok(());
        }
        let mut woken = vec![];
        for warp in bits(warps) {
            let suspension = self.suspended.get(&warp);
            woken.push((warp, *suspension.ok_or_else(|| format!("warp {warp} is answered, but is not suspended"))?));
        }
        let Some((first, suspension)) = woken.first().copied() else { return Ok(()) };
        let earliest = suspension.since + TICK * suspension.limit.saturating_sub(1) + first as u64 + 8;
        let is_time_out = woken.len() == 1 && self.cycle >= earliest;
        if !is_time_out && !self.is_dropped(suspension.key, warps) {
            return Err(format!(
                "warps {warps:#x} are answered false in cycle {}, before {earliest}: {suspension:?}",
                self.cycle
            ));
        }
        self.answers += 1;
        self.suspended.retain(|warp, _| warps >> warp & 1 == 0);
        Ok(())
    }

    /// Whether there is a reason to evict the object `key`, and `warps` are all warps that are
    /// suspended on it. A reason is the walk of its CTA, an Init or Inval of it, or an operation
    /// other than a wait on another object of the cache entry.
    fn is_dropped(&self, key: Key, warps: u64) -> bool {
        let waiters = self.suspended.iter().filter(|(_, suspension)| suspension.key == key);
        let is_walked = self.leaving.contains_key(&key.0);
        let index = self.entry_of(key);
        let mut items = self.candidates();
        let is_evicted = items.any(|item| {
            let is_same = item.key == key;
            is_same && matches!(item.kind, INIT | INVAL)
                || !is_same && item.kind < TEST_WAIT && self.entry_of(item.key) == index
        });
        waiters.fold(0, |mask, (warp, _)| mask | 1 << warp) == warps && (is_walked || is_evicted)
    }

    /// Checks `wake`: the warps `woken`, whose phase is complete, are answered true. Checks
    /// `suspended`, and that no warp is suspended for longer than its limit and the bound.
    pub(super) fn answer(&mut self, pins: &Pins, woken: u64) -> Result<(), String> {
        let p = &self.ports;
        if !pins.is(&p.wake_valid) || pins.is(&p.wake_value) {
            pins.expect(&p.wake_warps, woken)?;
        } else if woken != 0 {
            return Err(format!("warps {woken:#x}: expected the answer true"));
        }
        if woken != 0 {
            pins.expect(&p.wake_valid, 1)?;
        }
        self.suspended.retain(|warp, _| woken >> warp & 1 == 0);
        pins.expect(&p.suspended, self.suspended.keys().fold(0, |mask, warp| mask | 1 << warp))?;
        let is_late = |(warp, suspension): &(&usize, &Suspension)| {
            let slack = self.bound() + 16 * (self.answers - suspension.answers) + self.stalls - suspension.stalls;
            self.cycle > suspension.since + TICK * suspension.limit + **warp as u64 + 7 + slack
        };
        match self.suspended.iter().find(is_late) {
            Some((warp, suspension)) => Err(format!("warp {warp} is still suspended: {suspension:?}")),
            None => Ok(()),
        }
    }
}
