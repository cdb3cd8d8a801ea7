// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The asynchronous copies over time, from the issue of an instruction until all its bytes are written and signalled.

use crate::report::ObjectName;
use crate::sm::Sm;
use crate::window::Window;
use bcu_program::Place;
use std::collections::BTreeMap;

/// An asynchronous copy, or an arrival that waits for copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyInterval {
    pub cta: usize,
    pub warp: usize,
    pub from: u64,
    /// The first cycle after the copy.
    pub to: u64,
    /// Whether the copy is performed.
    pub is_done: bool,
    pub bytes: u64,
    pub place: Place,
    /// The mbarriers that the copy signals, each with its CTA.
    pub signals: Vec<(usize, ObjectName)>,
}

/// Records the copies of all multiprocessors.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// The copies in flight, by multiprocessor and number.
    open: BTreeMap<(usize, u64), CopyInterval>,
    /// For each multiprocessor, the number of copies begun so far.
    begun: BTreeMap<usize, u64>,
    done: Vec<CopyInterval>,
}

impl Copies {
    /// Records the copies of a multiprocessor in a cycle; returns the number of copies that have ended.
    pub fn cycle(&mut self, sm: &Sm, cycle: u64, window: &Window) -> usize {
        let mut ended = vec![];
        let of_sm = self.open.range((sm.number, 0)..=(sm.number, u64::MAX));
        ended.extend(of_sm.map(|(key, _)| *key).filter(|(_, number)| !sm.is_copy_in_flight(*number)));
        let count = ended.len();
        for key in ended {
            let copy = self.open.remove(&key).map(|copy| CopyInterval { to: cycle, is_done: true, ..copy });
            self.done.extend(copy.filter(|copy| window.meets(copy.from, copy.to)));
        }
        let begun = self.begun.entry(sm.number).or_default();
        for (number, index, at) in sm.copies_after(*begun) {
            *begun = number;
            let Some(warp) = sm.warps.get(index) else { continue };
            let (bytes, signalled) = sm.copied_bytes(number);
            let signals = signalled.into_iter().map(|(cta, address)| (cta, sm.record.mbarriers.named(cta, address))).collect();
            let (cta, warp, place) = (warp.cta, warp.warp, warp.place_of(at));
            let copy = CopyInterval { cta, warp, from: cycle, to: cycle, is_done: false, bytes, place, signals };
            self.open.insert((sm.number, number), copy);
        }
        count
    }

    /// Ends the recording in cycle `end`.
    pub fn finish(self, end: u64, window: &Window) -> Vec<CopyInterval> {
        let open = self.open.into_values().map(|copy| CopyInterval { to: end, ..copy });
        let mut copies: Vec<CopyInterval> = self.done.into_iter().chain(open).collect();
        copies.retain(|copy| copy.from < copy.to && window.meets(copy.from, copy.to));
        copies.sort_by_key(|copy| (copy.from, copy.cta, copy.warp));
        copies
    }
}
