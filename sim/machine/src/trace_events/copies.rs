// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tracks of asynchronous copies. A warp has as many tracks of copies as it has copies in flight at the same time.

use super::super::sm::{CopyInFlight, Sm};
use super::event::{Args, Track};
use super::names;
use super::tracks::of_copies;
use super::writer::Writer;
use std::collections::BTreeMap;
use std::io::Write;

/// The number of cycles between two searches for CTAs that have ended.
const CLEANUP: u64 = 1024;

/// A copy in flight.
struct Open {
    track: Track,
    /// The CTA of the copy, and the number of the track in this CTA.
    place: (usize, usize),
    from: u64,
    name: String,
    args: Args,
}

/// A track of copies.
struct Lane {
    warp: usize,
    is_free: bool,
}

#[derive(Default)]
pub(super) struct Copies {
    /// For each multiprocessor, the number of copies so far.
    begun: Vec<u64>,
    /// The copies in flight, by multiprocessor and number.
    open: BTreeMap<(usize, u64), Open>,
    /// The tracks of copies of each CTA.
    lanes: BTreeMap<usize, Vec<Lane>>,
}

impl Copies {
    /// Begins the slices of the copies that were issued in the cycle before `cycle`.
    pub fn begin<W: Write>(&mut self, sms: &[Sm], cycle: u64, out: &mut Writer<W>) {
        self.begun.resize(sms.len(), 0);
        for (sm, begun) in sms.iter().zip(&mut self.begun) {
            let first = std::mem::replace(begun, sm.copies_begun()) + 1;
            for number in first..=*begun {
                let CopyInFlight { warp, bytes, object, is_arrival } = sm.copy_in_flight(number);
                let Some(warp) = warp.and_then(|index| sm.warps.get(index)) else { continue };
                let lanes = self.lanes.entry(warp.cta).or_default();
                let of_warp = |lane: &Lane| lane.warp == warp.warp;
                let free = lanes.iter().position(|lane| of_warp(lane) && lane.is_free);
                let at = free.unwrap_or(lanes.len());
                let track = of_copies(warp.cta, at);
                if free.is_none() {
                    let (name, order) = names::of_copies(warp.warp, lanes.iter().filter(|lane| of_warp(lane)).count());
                    out.name(track.pid, Some(track.tid), &name, order);
                    lanes.push(Lane { warp: warp.warp, is_free: false });
                }
                lanes[at].is_free = false;
                let place = warp.last_place();
                let args = Args::default().at(&place);
                let args = if is_arrival { args } else { args.with("bytes", bytes) };
                let args = match object {
                    Some((cta, address)) => {
                        let of = sms.iter().find(|sm| sm.resident_warps().any(|warp| warp.cta == cta)).unwrap_or(sm);
                        let name = of.record.mbarriers.name(cta, address).unwrap_or_else(|| format!("{address:#x}"));
                        args.with("mbarrier", name).with("mbarrier_cta", cta)
                    }
                    None => args,
                };
                let name = if is_arrival { "arrival after copies".to_string() } else { format!("copy of {bytes} bytes") };
                self.open.insert((sm.number, number), Open { track, place: (warp.cta, at), from: cycle, name, args });
            }
        }
        if cycle.is_multiple_of(CLEANUP) && !self.lanes.is_empty() {
            let is_resident = |cta: usize| sms.iter().any(|sm| sm.resident_warps().any(|warp| warp.cta == cta));
            let has_copies = |cta: usize| self.open.values().any(|open| open.place.0 == cta);
            self.lanes.retain(|cta, _| is_resident(*cta) || has_copies(*cta));
        }
    }

    /// Writes the slices of the copies that were performed in the cycle before `cycle`.
    pub fn end<W: Write>(&mut self, sms: &[Sm], cycle: u64, out: &mut Writer<W>) {
        let is_over = |(sm, number): &(usize, u64)| !sms.get(*sm).is_some_and(|sm| sm.has_copy_in_flight(*number));
        let over: Vec<(usize, u64)> = self.open.keys().filter(|key| is_over(key)).copied().collect();
        for key in over {
            let Some(open) = self.open.remove(&key) else { continue };
            let (cta, at) = open.place;
            self.lanes.get_mut(&cta).and_then(|lanes| lanes.get_mut(at)).into_iter().for_each(|lane| lane.is_free = true);
            out.slice(open.track, [open.from, cycle], &open.name, "copy", open.args);
        }
    }

    /// The track of a copy in flight.
    pub fn track(&self, copy: (usize, u64)) -> Option<Track> {
        self.open.get(&copy).map(|open| open.track)
    }

    /// Ends the slices of all copies in flight at the start of cycle `end`.
    pub fn finish<W: Write>(&mut self, end: u64, out: &mut Writer<W>) {
        for (_, open) in std::mem::take(&mut self.open) {
            out.slice(open.track, [open.from, end], &open.name, "copy", open.args.with("in_flight", "at the end of the run"));
        }
    }
}
