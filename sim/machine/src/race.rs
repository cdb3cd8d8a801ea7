// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Data races on shared memory: two accesses to a byte, at least one of them a store, without synchronisation between them.
//!
//! Each warp has a clock for every warp of the run, and each lane has a clock for every lane of its warp (vector clocks, as in FastTrack).
//! An arrival at a barrier releases the clocks of its warp to the waiting warps; a meeting of lanes does so among the lanes. Atomic and
//! other strong accesses release and acquire clocks at their address, so that accesses under a lock do not race. An asynchronous copy
//! counts as performed when its thread has waited for it. Only accesses of warps of one CTA are compared, but the order between them may
//! come through another CTA.

mod barriers;
pub mod clocks;
mod cluster;
mod gateway;
mod objects;
mod strong;
mod vector;

use super::memory::{Access, Bank, Part};
use super::report::{Race, Toucher};
use super::warp::Group;
pub(super) use barriers::{Decided, Landed, ObjectOp};
use bcu_program::Place;
use clocks::{Clocks, Thread, Touch, NEVER};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
pub(super) use vector::VectorClock;

/// The maximum number of races that are reported.
const MOST: usize = 20;

/// The races of a run. The multiprocessors share this object, and all report their accesses to it.
pub(super) type SharedRaces = Rc<RefCell<Races>>;

/// The races of a run.
#[derive(Debug, Default)]
pub(super) struct Races {
    /// The clocks of each CTA that has not ended.
    ctas: HashMap<usize, Clocks>,
    /// The clocks that strong accesses have released; the key is memory and word number.
    strong: HashMap<(Bank, u64), VectorClock>,
    /// The clocks that operations in flight to mbarriers of other CTAs have released; the key is sending CTA, receiving CTA and address.
    remote: HashMap<(usize, usize, u32), VecDeque<Option<VectorClock>>>,
    /// The locations of accesses; each access contains the index of its location.
    places: Vec<Place>,
    /// The number of accesses issued so far.
    issues: u64,
    pub found: Vec<Race>,
}

/// The bytes that a lane reads or writes in the shared memory of its own CTA, as pieces: first byte, number of bytes, and number of the
/// first element.
fn touched(access: &Access, part: &Part) -> Vec<(u64, u64, usize)> {
    let own_bank = Bank::Shared(access.cta);
    if part.signal.is_some() && part.to != own_bank {
        return vec![];
    }
    if part.signal.is_some() {
        // For a copy that signals an mbarrier only the destination counts: the copy stores to these
        // bytes.
        let to = part.to();
        return vec![(to.start, to.end - to.start, 0)];
    }
    let shared = part.bank == own_bank;
    let known = access.pieces(part).filter_map(|(at, bytes, first)| Some((at?, bytes, first)));
    known.filter(|_| shared).collect()
}

impl Races {
    fn cta(&mut self, thread: Thread) -> &mut Clocks {
        self.ctas.entry(thread.cta).or_insert_with(|| Clocks::new(thread))
    }

    /// Removes a CTA that has ended, and its shared memory.
    pub fn remove_cta(&mut self, cta: usize) {
        self.ctas.remove(&cta);
        self.ctas.values_mut().flat_map(|clocks| &mut clocks.warps).for_each(|clock| clock.forget(cta));
        self.strong.retain(|(bank, _), _| *bank != Bank::Shared(cta));
        self.strong.values_mut().for_each(|clock| clock.forget(cta));
        self.remote.retain(|(from, to, _), _| *from != cta && *to != cta);
    }

    /// Records the issue of an access, and returns the clocks that it releases when it is performed. Strong accesses do not race with each
    /// other.
    pub fn access(&mut self, thread: Thread, access: &Access, place: &Place, cycle: u64) -> Option<Rc<VectorClock>> {
        let strong = access.is_strong();
        self.issues += 1;
        let issue = self.issues;
        let number = self.places.iter().position(|known| known == place).unwrap_or_else(|| {
            self.places.push(place.clone());
            self.places.len() - 1
        });
        let store = access.stores() || access.parts.iter().any(|part| part.signal.is_some());
        let copies = access.asynchronous();
        let mut races = vec![];
        let clocks = self.cta(thread);
        for part in &access.parts {
            if let Some(object) = part.signal.filter(|_| part.to == Bank::Shared(access.cta)) {
                let to = part.to();
                clocks.copy_in_flight(object, to.clone(), issue);
            }
            for (at, bytes, first) in touched(access, part) {
                let touch = Touch {
                    warp: thread.warp,
                    lane: part.lane,
                    clock: if copies { NEVER } else { clocks.clock(thread.warp) },
                    lane_clock: clocks.lanes[thread.warp][part.lane][part.lane],
                    place: number,
                    strong,
                    issue,
                    group: copies.then_some(part.group).filter(|_| part.signal.is_none()),
                    value: None,
                };
                for (i, at) in (at..at.saturating_add(bytes)).enumerate() {
                    let size = access.ty.bytes().max(1);
                    let stored = access.stored(part, first + i / size);
                    let touch = Touch { value: stored.map(|value| (value >> (8 * (i % size))) as u8), ..touch };
                    if let Some(before) = clocks.touch(at, touch, store) {
                        races.push((at, before, touch));
                    }
                }
            }
        }
        for (at, (before, wrote), touch) in races {
            self.add(thread.cta, at, (before, wrote), (touch, store), cycle);
        }
        self.releases(thread, access)
    }

    fn add(&mut self, cta: usize, address: u64, (before, wrote): (Touch, bool), (touch, store): (Touch, bool), cycle: u64) {
        let toucher = |touch: Touch, store: bool| Toucher {
            warp: touch.warp,
            lane: touch.lane,
            store,
            place: self.places[touch.place].clone(),
        };
        let (first, second) = (toucher(before, wrote), toucher(touch, store));
        let same = |race: &Race| (&race.first.place, &race.second.place) == (&first.place, &second.place);
        if self.found.len() < MOST && !self.found.iter().any(same) {
            let copy = before.clock == NEVER;
            self.found.push(Race { cta, address, cycle, first, second, copy });
        }
    }

    /// Records that lanes of a warp arrive at a barrier. If the lanes of the warp arrive in several
    /// groups, these groups form one arrival of the warp.
    pub fn arrives(&mut self, thread: Thread, id: u8, lanes: u64) {
        let clocks = self.cta(thread);
        let clock = clocks.warps[thread.warp].clone();
        let arrivals = clocks.arrivals.entry((id, thread.warp)).or_default();
        match arrivals.back_mut().filter(|(before, _)| before & lanes == 0) {
            Some((before, known)) => {
                *before |= lanes;
                known.join(&clock);
            }
            None => arrivals.push_back((lanes, clock)),
        }
        clocks.tick(thread.warp);
    }

    /// Records that a generation of a barrier completes: the waiting warps acquire the clocks of all arrived warps.
    pub fn released(&mut self, cta: usize, id: u8, arrived: &[usize], waiting: &[usize]) {
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let mut joined = VectorClock::default();
        for warp in arrived {
            let arrival = clocks.arrivals.get_mut(&(id, *warp)).and_then(VecDeque::pop_front);
            arrival.iter().for_each(|(_, clock)| joined.join(clock));
        }
        for warp in waiting {
            clocks.warps[*warp].join(&joined);
            clocks.meet_all(*warp);
        }
    }

    /// Records that lanes of a warp have met.
    pub fn meets(&mut self, thread: Thread, lanes: u64) {
        self.cta(thread).meet(thread.warp, lanes);
    }

    /// Records that lanes have waited for copies. `lanes` gives for each lane the first copy group
    /// that the lane has not waited for.
    pub fn copied(&mut self, thread: Thread, lanes: &[(usize, Group)]) {
        let clocks = self.cta(thread);
        let clock = clocks.clock(thread.warp);
        for byte in clocks.bytes.values_mut() {
            let is_own = |touch: &&mut Touch| touch.clock == NEVER && touch.warp == thread.warp;
            for touch in byte.write.iter_mut().chain(&mut byte.reads).filter(is_own) {
                let before = |end: &Group| touch.group.is_some_and(|group| group.bulk == end.bulk && group.number < end.number);
                if lanes.iter().any(|(lane, end)| *lane == touch.lane && before(end)) {
                    touch.clock = clock;
                    touch.lane_clock = clocks.lanes[thread.warp][touch.lane][touch.lane];
                }
            }
        }
    }
}
