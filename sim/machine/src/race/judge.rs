// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether two accesses to a byte race (PTX, *Data races*): one of them stores, neither is ordered before the other, and they are not both
//! strong with scopes that include each other.

use super::event::{Event, Proxy, Strength};
use super::released::Words;
use super::shadow::{Judged, Touch};
use super::warps::Warp;
use crate::memory::Bank;
use crate::report::RaceKind;
use crate::warp::threads::bits;

/// Why two accesses are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    Race(RaceKind),
    /// The accesses are strong and not ordered, and another schedule may reverse them.
    Order,
}

/// The access that is made now.
pub(super) struct Now<'a> {
    pub(super) event: &'a Event,
    pub(super) number: u32,
    /// The lanes that make the access together, as a mask: what is ordered before one of them is ordered before the access.
    pub(super) lanes: u64,
    pub(super) warp: &'a Warp,
    /// `known::SHARED`, `known::GLOBAL` or `known::MAP`.
    pub(super) space: usize,
    pub(super) stores: bool,
    pub(super) is_atomic: bool,
    pub(super) words: &'a Words,
    pub(super) bank: Bank,
}

impl Now<'_> {
    /// The order between an earlier access `touch` to byte `at`, of event `earlier`, and this one, which stores `value`.
    pub(super) fn judge(
        &self,
        at: u64,
        (earlier, touch, was_store): (&Event, &Touch, bool),
        value: Option<u32>,
    ) -> Judged<Conflict> {
        let is_conflict = self.stores || was_store;
        let differs = |other: Option<u32>| other.zip(value).is_some_and(|(one, other)| one != other);
        if touch.event == self.number {
            // The lanes of one instruction are not ordered among each other.
            let others = touch.lanes & !self.lanes;
            if self.is_atomic && others != 0 {
                return self.unordered(earlier);
            }
            return match was_store && self.stores && others != 0 {
                true if differs(touch.value) => Judged::RaceOfBoth(Conflict::Race(RaceKind::SameInstruction)),
                true if touch.value.is_some() && touch.value == value => {
                    Judged::RaceOfBoth(Conflict::Race(RaceKind::SameValue))
                }
                _ => Judged::Permitted,
            };
        }
        // The order between grids is checked where grids overlap (`memory::overlap`).
        if earlier.grid != self.event.grid {
            return Judged::Ordered;
        }
        // Such a load may return an old value whatever the order.
        if earlier.is_read_only && self.stores || self.event.is_read_only && was_store {
            return Judged::Race(Conflict::Race(RaceKind::ReadOnly));
        }
        // An order between two loads only saves memory, so one lane is enough.
        let lanes = if is_conflict { self.lanes } else { self.lanes & self.lanes.wrapping_neg() };
        let sees = |lane: usize| bits(lanes).any(|by| self.warp.sees(by, earlier.source, lane, earlier.step));
        if touch.lane_numbers().all(sees) {
            let crosses = self.event.proxy != Proxy::Generic && earlier.proxy == Proxy::Generic;
            let fenced = |by: usize, lane: usize| self.warp.sees_fenced(by, self.space, earlier.source, lane, earlier.step);
            let is_fenced = |lane: usize| bits(lanes).any(|by| fenced(by, lane));
            return match crosses && !touch.lane_numbers().all(is_fenced) {
                true if !is_conflict => Judged::Permitted,
                true if self.event.proxy == Proxy::TensorMap => Judged::Race(Conflict::Race(RaceKind::MapFence)),
                true if was_store => Judged::Race(Conflict::Race(RaceKind::ProxyFence)),
                true => Judged::Race(Conflict::Race(RaceKind::ProxyFenceAfterLoad)),
                // A third access may race with the earlier access, whose scope is smaller, even if it does not race with this one. So the
                // earlier access is kept.
                false if earlier.strength.scope() < self.event.strength.scope() => Judged::Permitted,
                // A third access that commutes with this one may not commute with the earlier access.
                false if self.event.commuting.is_some() && earlier.commuting != self.event.commuting => Judged::Permitted,
                // A store races with the earlier load even if it is ordered after this one.
                false if earlier.is_read_only && !self.event.is_read_only => Judged::Permitted,
                false => Judged::Ordered,
            };
        }
        if !is_conflict {
            return Judged::Permitted;
        }
        if let (Some(one), Some(other), true) =
            (earlier.strength.scope(), self.event.strength.scope(), earlier.proxy == self.event.proxy)
        {
            let needed = self.event.common_scope(earlier);
            let are_volatile = earlier.strength == Strength::Volatile && self.event.strength == Strength::Volatile;
            let is_observed = || was_store && self.has_observed(at, earlier, touch);
            return match one >= needed && other >= needed {
                false if is_observed() => Judged::Ordered,
                true if are_volatile && was_store != self.stores => Judged::Race(Conflict::Race(RaceKind::Volatile)),
                true => self.unordered(earlier),
                false => Judged::Race(Conflict::Race(RaceKind::Scope)),
            };
        }
        if was_store && self.has_observed(at, earlier, touch) {
            return Judged::Ordered;
        }
        let are_stores = was_store && self.stores;
        let is_same = are_stores && touch.value.is_some() && touch.value == value;
        let is_unknown =
            are_stores && earlier.has_values && self.event.has_values && (touch.value.is_none() || value.is_none());
        let is_relaxed = earlier.strength != Strength::Weak || self.event.strength != Strength::Weak;
        match (is_same, earlier.is_copy) {
            (true, _) => Judged::RaceOfBoth(Conflict::Race(RaceKind::SameValue)),
            (false, true) => Judged::Race(Conflict::Race(RaceKind::Copy)),
            (false, false) if is_unknown && !is_relaxed => Judged::RaceOfBoth(Conflict::Race(RaceKind::IfDifferent)),
            (false, false) if is_relaxed => Judged::Race(Conflict::Race(RaceKind::WeakAndStrong)),
            (false, false) => Judged::Race(Conflict::Race(RaceKind::Unordered)),
        }
    }

    /// Whether the earlier store of byte `at` is ordered before this access because a read that is ordered before this access has observed it.
    fn has_observed(&self, at: u64, earlier: &Event, touch: &Touch) -> bool {
        let is_generic = |event: &Event| event.proxy == Proxy::Generic && !event.is_copy;
        let is_possible = earlier.strength != Strength::Weak && is_generic(earlier) && is_generic(self.event);
        is_possible && self.words.has_observed((self.bank, at), (touch.event, touch.lanes), self.warp, self.lanes)
    }

    /// Two strong accesses, or two lanes of one atomic operation, that nothing orders.
    fn unordered(&self, earlier: &Event) -> Judged<Conflict> {
        match self.event.commuting.is_some() && self.event.commuting == earlier.commuting {
            true => Judged::Permitted,
            false => Judged::RaceOfBoth(Conflict::Order),
        }
    }
}
