// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether two accesses to a byte race (PTX, *Data races*): one of them stores, neither is ordered before the other, and they are not both
//! strong with scopes that include each other.

use super::event::{Event, Proxy, Strength};
use super::shadow::{Judged, Touch};
use super::warps::Warp;
use crate::report::RaceKind;
use crate::warp::threads::bits;

/// The access that is made now.
pub(super) struct Now<'a> {
    pub(super) event: &'a Event,
    pub(super) number: u32,
    /// The lanes that make the access together, as a mask: what is ordered before one of them is ordered before the access.
    pub(super) lanes: u64,
    pub(super) warp: &'a Warp,
    /// `known::SHARED` or `known::GLOBAL`.
    pub(super) space: usize,
    pub(super) stores: bool,
    pub(super) is_atomic: bool,
}

impl Now<'_> {
    /// The order between an earlier access `touch`, of event `earlier`, and this one, which stores `value`.
    pub(super) fn judge(&self, (earlier, touch, was_store): (&Event, &Touch, bool), value: Option<u32>) -> Judged<RaceKind> {
        let is_conflict = self.stores || was_store;
        let differs = |other: Option<u32>| other.zip(value).is_some_and(|(one, other)| one != other);
        if touch.event == self.number {
            // The lanes of one instruction are not ordered among each other.
            let others = touch.lanes & !self.lanes;
            return match was_store && self.stores && !self.is_atomic && others != 0 {
                true if differs(touch.value) => Judged::RaceOfBoth(RaceKind::SameInstruction),
                true if touch.value.is_some() && touch.value == value => Judged::RaceOfBoth(RaceKind::SameValue),
                _ => Judged::Permitted,
            };
        }
        // The order between grids is checked where grids overlap (`memory::overlap`).
        if earlier.grid != self.event.grid {
            return Judged::Ordered;
        }
        // Such a load may return an old value whatever the order.
        if earlier.is_read_only && self.stores || self.event.is_read_only && was_store {
            return Judged::Race(RaceKind::ReadOnly);
        }
        // An order between two loads only saves memory, so one lane is enough.
        let lanes = if is_conflict { self.lanes } else { self.lanes & self.lanes.wrapping_neg() };
        let sees = |lane: usize| bits(lanes).any(|by| self.warp.sees(by, earlier.source, lane, earlier.step));
        if touch.lane_numbers().all(sees) {
            let crosses = self.event.proxy == Proxy::Async && earlier.proxy == Proxy::Generic;
            let fenced = |by: usize, lane: usize| self.warp.sees_fenced(by, self.space, earlier.source, lane, earlier.step);
            let is_fenced = |lane: usize| bits(lanes).any(|by| fenced(by, lane));
            return match crosses && !touch.lane_numbers().all(is_fenced) {
                true if !is_conflict => Judged::Permitted,
                true if was_store => Judged::Race(RaceKind::ProxyFence),
                true => Judged::Race(RaceKind::ProxyFenceAfterLoad),
                // A third access may race with the earlier access, whose scope is smaller, even if it does not race with this one. So the
                // earlier access is kept.
                false if earlier.strength.scope() < self.event.strength.scope() => Judged::Permitted,
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
            return match one >= needed && other >= needed {
                true if are_volatile && was_store != self.stores => Judged::Race(RaceKind::Volatile),
                true => Judged::Permitted,
                false => Judged::Race(RaceKind::Scope),
            };
        }
        let is_same = was_store && self.stores && touch.value.is_some() && touch.value == value;
        let is_relaxed = earlier.strength != Strength::Weak || self.event.strength != Strength::Weak;
        match (is_same, earlier.is_copy) {
            (true, _) => Judged::RaceOfBoth(RaceKind::SameValue),
            (false, true) => Judged::Race(RaceKind::Copy),
            (false, false) if is_relaxed => Judged::Race(RaceKind::WeakAndStrong),
            (false, false) => Judged::Race(RaceKind::Unordered),
        }
    }
}
