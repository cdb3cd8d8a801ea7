// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events of mbarriers other than operations: fences that make mbarriers visible to copies, copies that signal them, accesses to their
//! bytes, and the end of their CTA.

use super::super::report::{Misuse, UNEXPECTED};
use super::history::FirstExpect;
use super::mbarrier_log::{Entry, MbarrierLog};
use bcu_program::Place;
use std::ops::Range;

/// The number of bytes of an mbarrier object.
const BYTES: u64 = 8;

/// An access of a warp to shared memory that is not an operation on an mbarrier.
#[derive(Clone, Debug)]
pub(in super::super) struct Touched<'p> {
    pub warp: usize,
    pub bytes: Range<u64>,
    pub stores: bool,
    pub place: &'p Place,
    pub cycle: u64,
}

impl MbarrierLog {
    /// Whether CTA `cta` has an mbarrier with a byte in `bytes`.
    pub fn has(&self, cta: usize, bytes: Range<u64>) -> bool {
        self.in_bytes(cta, bytes).next().is_some()
    }

    /// The mbarriers of a CTA that have a byte in `bytes`.
    fn in_bytes(&self, cta: usize, bytes: Range<u64>) -> impl Iterator<Item = (u32, &Entry)> {
        let end = u32::try_from(bytes.end).unwrap_or(u32::MAX);
        let first = u32::try_from(bytes.start.saturating_sub(BYTES - 1)).unwrap_or(u32::MAX);
        self.entries.range((cta, first)..(cta, end.max(first))).map(|((_, at), entry)| (*at, entry))
    }

    /// Records a fence of a warp, which makes the mbarriers that the warp initialised visible to copies.
    pub fn fenced(&mut self, cta: usize, warp: usize, cycle: u64) {
        self.last_proxy_fence.insert((cta, warp), cycle);
        let own_entries = self.entries.range_mut((cta, 0)..=(cta, u32::MAX)).filter(|(_, entry)| entry.init.0 == warp);
        own_entries.for_each(|(_, entry)| entry.fenced = true);
    }

    /// Records a release of a CTA to other CTAs. CTAs that synchronise with this release may use the mbarriers of the CTA.
    pub fn releases(&mut self, cta: usize, cycle: u64) {
        self.last_release.insert(cta, cycle);
        let own_entries = self.entries.range_mut((cta, 0)..=(cta, u32::MAX));
        own_entries.for_each(|(_, entry)| entry.released_at = entry.released_at.or(Some(cycle)));
    }

    /// Records that an operation of CTA `sender`, accepted in cycle `taken_at`, has reached an mbarrier. If the CTA of the mbarrier had not
    /// released to other CTAs before that cycle, the init is not ordered before the operation.
    pub fn used_remotely(&mut self, key: (usize, u32), sender: usize, taken_at: u64, cycle: u64) {
        let (object, state) = (self.named(key.0, key.1), self.state(key.0, key.1));
        let early = |entry: &&mut Entry| entry.released_at.is_none_or(|at| at >= taken_at);
        let Some(entry) = self.entries.get_mut(&key).filter(early) else { return };
        entry.released_at = Some(0);
        let (warp, place) = entry.init.clone();
        let sentence = format!(
            "CTA {sender} uses {object} of CTA {}, but the init of this mbarrier is not visible to CTA {sender}: neither `fence.mbarrier_init.release.cluster` nor a barrier of the cluster with `.release` precedes this use{state}",
            key.0
        );
        let (code, cta, warp, place) = ("mbarrier_not_visible", key.0, Some(warp), Some(place));
        self.report(Misuse { code, cta, warp, cycle, place, sentence, related: None });
    }

    /// Records that a warp starts a copy that signals the mbarrier `key`.
    pub fn copies(&mut self, key: (usize, u32), (warp, place): (usize, Place), cycle: u64) {
        let (object, state) = (self.named(key.0, key.1), self.state(key.0, key.1));
        self.entries.entry(key).and_modify(|entry| _ = entry.history.arrivers.insert(warp));
        let Some(entry) = self.entries.get_mut(&key).filter(|entry| !entry.fenced) else { return };
        entry.fenced = true;
        let related = Some(describe_init(entry));
        let sentence =
            format!("a copy signals {object}, but no fence after the init has made this mbarrier visible to copies{state}");
        let (code, cta) = ("mbarrier_not_fenced", key.0);
        self.report(Misuse { code, cta, warp: Some(warp), cycle, place: Some(place), sentence, related });
    }

    /// Records that a warp accesses bytes of shared memory; returns whether some of these bytes belong to an mbarrier.
    pub fn touches(&mut self, cta: usize, touched: Touched) -> bool {
        let Touched { warp, bytes, stores, place, cycle } = touched;
        let met = self.in_bytes(cta, bytes.clone()).next();
        let Some((at, related)) = met.map(|(at, entry)| (at, describe_init(entry))) else { return false };
        let (object, state) = (self.named(cta, at), self.state(cta, at));
        let (from, to) = (bytes.start, bytes.end - 1);
        let (code, sentence) = match stores {
            true => (
                "mbarrier_overlaid",
                format!("warp {warp} stores data at {from:#x} to {to:#x}, where {object} is{state}"),
            ),
            false => (
                "mbarrier_loaded",
                format!(
                    "warp {warp} loads data at {from:#x} to {to:#x}, where {object} is: memory may hold an older word of this mbarrier{state}"
                ),
            ),
        };
        let (place, related) = (Some(place.clone()), Some(related));
        self.report(Misuse { code, cta, warp: Some(warp), cycle, place, sentence, related });
        true
    }

    /// Records the end of a CTA. The arrivals and bytes in the open phases of its mbarriers are lost, so they are reported as misuses.
    pub fn end_cta(&mut self, cta: usize, cycle: u64) {
        let of_cta: Vec<u32> = self.entries.range((cta, 0)..=(cta, u32::MAX)).map(|((_, at), _)| *at).collect();
        for at in of_cta {
            let (object, state) = (self.named(cta, at), self.state(cta, at));
            let Some(entry) = self.entries.remove(&(cta, at)) else { continue };
            self.forget((cta, at), Some(entry.clone()));
            let final_object = entry.object;
            let (code, sentence) = match (final_object.tx, final_object.pending < final_object.expected) {
                (0, false) => continue,
                (0, true) => {
                    let come = final_object.expected - final_object.pending;
                    let expected = final_object.expected;
                    ("mbarrier_left_open", format!("the CTA ends with {come} of {expected} arrivals at {object}{state}"))
                }
                (bytes, _) if bytes > 0 => {
                    ("mbarrier_bytes_left", format!("the CTA ends while {object} waits for {bytes} bytes{state}"))
                }
                (bytes, _) => (
                    "mbarrier_bytes_left",
                    format!("the CTA ends after {object} has received {} bytes {UNEXPECTED}{state}", -bytes),
                ),
            };
            let last = entry.arrived.iter().rev().find_map(|arrival| Some((arrival.warp?, arrival.place.clone()?)));
            // Bytes that no thread has expected came because an expect before was for fewer bytes than were copied.
            let expect = entry.history.first_expect.clone().filter(|_| final_object.tx < 0);
            let related = (last.is_some() || expect.is_some()).then(|| describe_init(&entry));
            let (warp, place, cycle, sentence) = match (expect, last) {
                (Some(FirstExpect { warp, place, cycle, bytes, phase }), _) => {
                    let sentence = format!("{sentence}; the expect of {bytes} bytes for phase {phase} is here");
                    (warp, place, cycle, sentence)
                }
                (None, Some((warp, place))) => (warp, place, cycle, sentence),
                (None, None) => (entry.init.0, entry.init.1, cycle, sentence),
            };
            self.report(Misuse { code, cta, warp: Some(warp), cycle, place: Some(place), sentence, related });
        }
    }
}

/// Warp and location of the init of an mbarrier, with a note.
fn describe_init(entry: &Entry) -> (usize, Place, String) {
    let (warp, place) = entry.init.clone();
    (warp, place, "the mbarrier was initialised here".to_string())
}
