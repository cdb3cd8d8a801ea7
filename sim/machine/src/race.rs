// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Data races in the terms of PTX's memory model: two accesses to a byte of shared or global memory, at least one of them a store, that
//! nothing orders.
//!
//! Each lane has a vector clock (FastTrack) of the accesses that are ordered before it ([`known`]). Barriers, mbarriers, fences with strong
//! accesses, meetings of lanes and waits for copies pass these clocks on ([`barriers`], [`mbarriers`], [`words`], [`warps`]). Copies are
//! agents of their own: a copy is ordered before an access only through a wait for it. Shadow memory ([`shadow`]) keeps the accesses to each
//! word with which a later access may race; [`judge`] decides. [`peer_accesses`] are those to the shared memory of other CTAs.
//! docs/guide/races.md has the rules.

mod barriers;
mod clock;
mod copies;
mod event;
mod events;
mod found;
mod judge;
mod known;
mod lane;
mod lifetimes;
mod mbarrier_state;
mod mbarriers;
mod observed;
mod observing;
mod order;
mod peer_accesses;
mod product_groups;
mod products;
mod released;
mod reports;
mod shadow;
mod strong;
mod tensor_core;
mod tensor_use;
mod touching;
mod uses;
mod warps;
mod words;

use super::memory::{Access, AccessEffect, Bank};
use super::report::{Pair, Race, Unordered};
use bcu_program::Place;
use event::{Event, Proxy, Strength};
use events::Events;
pub(super) use lifetimes::EarlyExit;
pub(super) use mbarrier_state::{AnswerUse, Arrival, Decided, Landed, ObjectOp};
use shadow::Shadow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
pub(super) use strong::StrongAccess;
pub(crate) use tensor_use::TensorUse;
pub(crate) use warps::Issuer;
use warps::{Stream, Warp};

/// The races of a run. The multiprocessors share this object, and all report their accesses to it.
pub(super) type SharedRaces = Rc<RefCell<Races>>;

/// The races of a run.
#[derive(Debug, Default)]
pub(super) struct Races {
    /// The warps of the CTAs that have not ended; the key is CTA and warp.
    warps: HashMap<(usize, usize), Warp>,
    /// The number of warps so far.
    count: u32,
    events: Events,
    /// The locations of accesses; each event has the index of its location.
    places: Vec<Place>,
    /// For each location, the instruction, if it is known.
    keys: Vec<Option<InstrKey>>,
    known_places: HashMap<InstrKey, u32>,
    answer_uses: HashMap<InstrKey, AnswerUse>,
    /// Whether the result of an atomic operation is used.
    used_results: HashMap<InstrKey, bool>,
    shadow: Shadow,
    arrivals: released::Arrivals,
    clusters: released::Clusters,
    gateway: released::Gateway,
    objects: mbarrier_state::Objects,
    words: released::Words,
    lifetimes: lifetimes::Lifetimes,
    order: order::Order,
    /// By CTA, the region of its shared memory that is reserved for system software.
    reserved: HashMap<usize, Range<u64>>,
    pub found: Vec<Race>,
}

/// An instruction of a run: the address of its code, the number of its function, and its number in the function.
type InstrKey = (usize, usize, usize);

impl Races {
    /// No accesses. `is_explored`: the pairs of operations that another schedule may reverse are recorded.
    pub fn new(is_explored: bool) -> Races {
        let order = order::Order { pairs_of_run: is_explored.then(order::Pairs::default), ..order::Order::default() };
        Races { order, ..Races::default() }
    }

    /// States the region of the shared memory of a CTA that is reserved for system software. Its libraries pass an order from lane to lane by
    /// exchanges, so unordered accesses to it are no races.
    pub fn reserves(&mut self, cta: usize, region: Range<u64>) {
        self.reserved.insert(cta, region);
    }

    fn warp(&mut self, issuer: Issuer) -> &mut Warp {
        let count = &mut self.count;
        self.warps.entry((issuer.cta, issuer.warp)).or_insert_with(|| {
            *count += 1;
            Warp::new(*count, issuer)
        })
    }

    /// Removes a CTA that has ended, and its shared memory.
    pub fn remove_cta(&mut self, cta: usize) {
        self.check_open_generations(Some(cta));
        self.check_open_phases(Some(cta));
        self.warps.retain(|(of, _), _| *of != cta);
        self.shadow.remove(Bank::Shared(cta));
        self.words.remove(Bank::Shared(cta));
        self.arrivals.remove_cta(cta);
        self.clusters.remove_cta(cta);
        self.gateway.remove_cta(cta);
        self.objects.remove_cta(cta);
        self.lifetimes.remove_cta(cta);
        self.order.remove_cta(cta);
    }

    /// Records the issue of an access by the instruction `at` of the program. `is_polled`: the instruction is a load that a loop repeats
    /// until it returns another value; `is_used`: an instruction reads its result. For a strong access, returns what it releases when it is
    /// performed.
    pub fn access(
        &mut self,
        issuer: Issuer,
        access: &Access,
        (at, place, is_polled, is_used): (InstrKey, impl FnOnce() -> Place, impl FnOnce() -> bool, impl FnOnce() -> bool),
        cycle: u64,
    ) -> Option<Rc<StrongAccess>> {
        let place = self.place(at, place);
        self.warp(issuer);
        self.remove_unused_events();
        let time = access.execution.map_or(0, |execution| execution.time);
        // The result of an atomic operation that no instruction reads is no result.
        let observes = access.is_for_result() && (!access.is_atomic() || *self.used_results.entry(at).or_insert_with(is_used));
        let plain = self.events.next();
        let strength = match access.is_strong() {
            // A load that waits for a flag may be volatile: its loop is the order that the program wants.
            true if access.order.volatile && (access.stores() || !is_polled()) => Strength::Volatile,
            true => Strength::Strong(access.order.scope),
            false => Strength::Weak,
        };
        let is_copy = access.asynchronous();
        let program = Event { time, ..self.event(issuer, access, (place, strength, observes)) };
        if !is_copy {
            self.events.push(program);
        }
        let mut found = vec![];
        for part in &access.parts {
            let uses = uses::uses(access, part);
            self.read_map(issuer, (access, part), program, &mut found);
            if is_copy {
                self.copy(issuer, (access, part), program, &uses, &mut found);
            } else {
                uses.iter().for_each(|used| self.touch(issuer, (access, part), (plain, used), &mut found));
            }
        }
        if let AccessEffect::CopyMap(_, lanes) = access.effect {
            self.warp(issuer).copy_map(lanes);
        }
        found.into_iter().for_each(|found| self.add(&found, cycle));
        self.strong_access(issuer, access, (plain, observes))
    }

    /// Records whether constraints of the schedule are not satisfied.
    pub fn has_constraints(&mut self, has_constraints: bool) {
        self.order.pairs_of_run.iter_mut().for_each(|pairs| pairs.has_constraints(has_constraints));
    }

    /// What another schedule could change. Called once, at the end of the run.
    pub fn unordered(&mut self) -> Vec<Unordered> {
        self.check_open_generations(None);
        self.check_open_phases(None);
        std::mem::take(&mut self.order.found)
    }

    /// The pairs of operations that another schedule may reverse, and whether there are others that a constraint cannot reverse.
    pub fn pairs(&mut self) -> (Vec<Pair>, bool) {
        let pairs = self.order.pairs_of_run.take();
        pairs.map_or((vec![], false), |pairs| {
            let has_others = pairs.has_others;
            (pairs.in_order(), has_others)
        })
    }

    /// Whether some accesses were not compared with each other, because too many accesses to one word were not ordered.
    pub fn has_dropped(&self) -> bool {
        self.shadow.has_dropped
    }

    /// Removes the events to which nothing refers any more, if there are many.
    fn remove_unused_events(&mut self) {
        if self.events.should_shrink() {
            let in_flight = self.objects.in_flight.iter().map(|copy| copy.event);
            self.events.retain(&self.shadow.events().chain(in_flight).collect());
        }
    }

    /// The index of the location of the instruction `at`.
    fn place(&mut self, at: InstrKey, place: impl FnOnce() -> Place) -> u32 {
        *self.known_places.entry(at).or_insert_with(|| {
            self.places.push(place());
            self.keys.push(Some(at));
            self.places.len() as u32 - 1
        })
    }

    /// How the program uses the answer of the instruction `at`, an operation on an mbarrier.
    pub fn answer_use(&mut self, at: InstrKey, uses: impl FnOnce() -> AnswerUse) -> AnswerUse {
        *self.answer_uses.entry(at).or_insert_with(uses)
    }

    /// An access in program order.
    fn event(&self, issuer: Issuer, access: &Access, (place, strength, observes): (u32, Strength, bool)) -> Event {
        Event {
            proxy: if uses::is_async_proxy(access) { Proxy::Async } else { Proxy::Generic },
            strength,
            is_copy: access.asynchronous(),
            is_read_only: access.order.read_only,
            has_values: matches!(access.effect, AccessEffect::Store | AccessEffect::StoreMatrix),
            commuting: uses::commuting(access).filter(|_| !observes),
            ..self.weak_event(issuer, place)
        }
    }

    /// A weak access by the generic proxy, in program order.
    fn weak_event(&self, issuer: Issuer, place: u32) -> Event {
        let warp = &self.warps[&(issuer.cta, issuer.warp)];
        Event {
            source: warp.source(Stream::Program),
            step: warp.step,
            grid: issuer.grid as u32,
            cta: issuer.cta as u32,
            cluster: issuer.cluster as u32,
            warp: issuer.warp as u32,
            place,
            time: 0,
            proxy: Proxy::Generic,
            strength: Strength::Weak,
            is_copy: false,
            is_read_only: false,
            has_values: false,
            commuting: None,
        }
    }
}
