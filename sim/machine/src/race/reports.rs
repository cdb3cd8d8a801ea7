// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reports races: one for each pair of instructions.

use super::event::Event;
use super::found::Found;
use super::judge::Conflict;
use super::order::before::Mark;
use super::shadow::Touch;
use super::touching::execution;
use super::warps::Stream;
use super::{Bank, Races};
use crate::report::{Change, Race, RaceKind, RaceMemory, Toucher};

/// The maximum number of races of one kind that are reported.
const MOST: usize = 20;

/// How far apart the threads of a race are: in one warp, in one CTA, in one grid.
fn distance(Race { first, second, .. }: &Race) -> u32 {
    match (first.cta == second.cta, first.warp == second.warp) {
        (true, true) => 0,
        (true, false) => 1,
        (false, _) => 2,
    }
}

impl Races {
    /// Records a race of cycle `cycle`; of several between the same two instructions, one whose threads are farthest apart.
    pub(super) fn add(&mut self, found: &Found, cycle: u64) {
        let matters = match found.kind {
            Conflict::Order => true,
            Conflict::Race(RaceKind::SameValue | RaceKind::IfDifferent) => found.earlier.0.event != found.touch.event,
            Conflict::Race(RaceKind::ProxyFenceAfterLoad) => self.may_be_in_flight(found),
            Conflict::Race(_) => false,
        };
        if matters {
            self.add_order(found);
        }
        let Conflict::Race(kind) = found.kind else { return };
        let toucher = |touch: &Touch, store: bool| {
            let Event { cta, warp, place, .. } = *self.events.get(touch.event);
            Toucher {
                cta: cta as usize,
                warp: warp as usize,
                lane: touch.lanes.trailing_zeros() as usize,
                store,
                place: self.places[place as usize].clone(),
            }
        };
        // A lane does not race with itself, so in the same warp the earlier access is that of another lane.
        let (touch, (earlier, was_store)) = (found.touch, found.earlier);
        let warp_of = |event: u32| (self.events.get(event).cta, self.events.get(event).warp);
        let own_lanes = if warp_of(earlier.event) == warp_of(touch.event) { touch.lanes } else { 0 };
        let others = earlier.lanes & !own_lanes;
        let first = toucher(&Touch { lanes: if others == 0 { earlier.lanes } else { others }, ..earlier }, was_store);
        let second = toucher(&touch, found.stores);
        let same = |race: &Race| (&race.first.place, &race.second.place, race.kind) == (&first.place, &second.place, kind);
        let known = self.found.iter().position(same);
        let of_kind = self.found.iter().filter(|race| race.kind == kind).count();
        if known.is_none() && of_kind >= MOST {
            return;
        }
        let memory = match found.bank {
            Bank::Shared(cta) => RaceMemory::Shared { cta },
            Bank::Global | Bank::Local(..) => RaceMemory::Global,
        };
        let race = Race { memory, address: found.at, variable: None, cycle, first, second, kind };
        match known.map(|at| &mut self.found[at]) {
            None => self.found.push(race),
            // What orders the threads that are farther apart also orders the others.
            Some(known) if distance(&race) > distance(known) => *known = race,
            Some(_) => {}
        }
    }
    /// Whether a load may still be in flight when a bulk copy of its warp overwrites the bytes: a copy waits for no access.
    fn may_be_in_flight(&self, found: &Found) -> bool {
        let [load, copy] = [found.earlier.0.event, found.touch.event].map(|event| self.events.get(event));
        let warp = self.warps.get(&(copy.cta as usize, copy.warp as usize));
        warp.is_some_and(|warp| load.source == warp.source(Stream::Program) && load.step > warp.performed)
    }

    /// Records that another schedule may reverse two accesses.
    fn add_order(&mut self, found: &Found) {
        let mark = |touch: &Touch| {
            let event = self.events.get(touch.event);
            let Event { cta, warp, place, source, step, .. } = *event;
            let (cta, warp) = (cta as usize, warp as usize);
            let execution = execution(&self.keys, event);
            let place = self.places[place as usize].clone();
            Mark { cta, warp, source, lanes: touch.lanes, width: 0, step, place, execution }
        };
        let (operation, earlier) = (mark(&found.touch), mark(&found.earlier.0));
        let change = Change::of_accesses(found.earlier.1, found.stores);
        self.order.add(change, &operation, (Some(&earlier), false));
    }
}
