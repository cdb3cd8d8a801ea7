// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by named barriers, by meetings of lanes, by fences, by the barrier of a cluster, and by Intel's gateway.

use super::known::Known;
use super::order::before::{Before, Mark};
use super::released::{Arrival, ClusterArrival, ClusterPhase};
use super::warps::{Issuer, Stream};
use super::Races;
use crate::report::Change;
use crate::schedule_file::Execution;
use crate::warp::Group;
use bcu_program::{Fence, Place, Scope};
use std::collections::{HashMap, VecDeque};

impl Races {
    /// Records that lanes of a warp arrive at a barrier. Several groups of lanes form one arrival of the warp.
    pub fn arrives(&mut self, issuer: Issuer, id: u8, lanes: u64, at: (&Place, Option<Execution>)) {
        let warp = self.warp(issuer);
        let before = Before::new(warp, lanes, at);
        let released = warp.release(lanes);
        let arrivals = self.arrivals.arrivals.entry((issuer.cta, id, issuer.warp)).or_default();
        match arrivals.back_mut().filter(|earlier| earlier.lanes & lanes == 0) {
            Some(earlier) => {
                earlier.lanes |= lanes;
                earlier.released.join(&released);
                earlier.operations.push(before);
            }
            None => arrivals.push_back(Arrival { lanes, released, operations: vec![before] }),
        }
    }

    /// Records that a generation of a barrier completes: the lanes that wait acquire what all arrived lanes have released.
    pub fn released(&mut self, cta: usize, id: u8, arrived: &[usize], waiting: &[usize]) {
        let mut joined = Known::default();
        let mut lanes_of = HashMap::new();
        let mut complete = vec![];
        for warp in arrived {
            let arrival = self.arrivals.arrivals.get_mut(&(cta, id, *warp)).and_then(VecDeque::pop_front);
            if let Some(arrival) = arrival {
                joined.join(&arrival.released);
                lanes_of.insert(*warp, arrival.lanes);
                self.order.arrives((cta, id), &arrival);
                complete.extend(arrival.operations.into_iter().map(|operation| operation.mark));
            }
        }
        self.order.generations.complete((cta, id), complete);
        for number in waiting {
            if let Some(warp) = self.warps.get_mut(&(cta, *number)) {
                let lanes = lanes_of.get(number).copied().unwrap_or(warp.all());
                warp.acquire(lanes, &joined);
                // The warp has executed nothing since its arrival, which has waited for its accesses.
                warp.performed = warp.step - 1;
            }
        }
    }

    /// Checks the order of the arrivals in generations that are not complete: of one CTA, or of all if `cta` is `None`.
    pub(super) fn check_open_generations(&mut self, cta: Option<usize>) {
        for ((of, id, _), arrivals) in &self.arrivals.arrivals {
            if cta.is_none_or(|cta| cta == *of) {
                arrivals.iter().for_each(|arrival| self.order.arrives((*of, *id), arrival));
            }
        }
    }

    /// Records that lanes of a warp have met.
    pub fn meets(&mut self, issuer: Issuer, lanes: u64) {
        self.warp(issuer).meet(lanes);
    }

    /// Records that each lane has waited for its copies up to a copy group, or only until their sources were read.
    pub fn copied(&mut self, issuer: Issuer, lanes: &[(usize, Group)], only_read: bool) {
        let warp = self.warp(issuer);
        lanes.iter().for_each(|(lane, end)| warp.waited_for(*lane, *end, only_read));
    }

    /// Records that lanes execute a fence.
    pub fn fence(&mut self, issuer: Issuer, lanes: u64, fence: &Fence) {
        let events = self.events.next();
        self.warp(issuer).fence(lanes, fence, events);
    }

    /// Records that lanes of a warp arrive at the barrier of its cluster. Several groups of lanes form one arrival of the warp. The arrival
    /// takes effect later, and releases nothing that the warp does until then.
    pub fn arrives_at_cluster(&mut self, issuer: Issuer, lanes: u64, releases: bool) {
        let warp = self.warp(issuer);
        let (source, width, step) = (warp.source(Stream::Program), issuer.width, warp.step);
        let (to_all, to_cta) = match releases {
            true => (warp.release(lanes), Known::default()),
            false => (warp.relaxed_release(lanes, Scope::Cluster), warp.fenced_release(lanes, Scope::Cta)),
        };
        warp.step = step + 1;
        let arrivals = self.clusters.arrivals.entry((issuer.cta, issuer.warp)).or_default();
        if arrivals.back().is_none_or(|earlier| earlier.lanes & lanes != 0) {
            arrivals.push_back(ClusterArrival::default());
        }
        if let Some(arrival) = arrivals.back_mut() {
            arrival.lanes |= lanes;
            arrival.to_all.join(&to_all);
            arrival.to_cta.join(&to_cta);
            arrival.arrived.raise(source, (lanes, width), |_| step);
        }
    }

    /// Records that the oldest arrival of a warp takes effect in phase `phase` of the barrier of its cluster; `None`: it is refused.
    pub fn at_cluster(&mut self, issuer: Issuer, phase: Option<u64>) {
        let arrivals = self.clusters.arrivals.get_mut(&(issuer.cta, issuer.warp));
        let Some((arrival, phase)) = arrivals.and_then(VecDeque::pop_front).zip(phase) else { return };
        let phases = &mut self.clusters.phases;
        let released = phases.entry((issuer.cluster, phase)).or_default();
        released.to_all.join(&arrival.to_all);
        released.arrived.join(&arrival.arrived);
        released.to_cta.entry(issuer.cta).or_default().join(&arrival.to_cta);
        // A warp is at most one phase late, so older phases are no longer needed.
        phases.remove(&(issuer.cluster, phase.saturating_sub(2)));
    }

    /// Records that a warp has waited for phase `phase` of the barrier of its cluster.
    pub fn after_cluster(&mut self, issuer: Issuer, phase: u64) {
        let Some(ClusterPhase { to_all, to_cta, arrived }) = self.clusters.phases.get(&(issuer.cluster, phase)) else { return };
        self.lifetimes.wait(issuer.cta, arrived);
        let mut released = to_all.clone();
        to_cta.get(&issuer.cta).into_iter().for_each(|to_cta| released.join(to_cta));
        self.follow_exits(issuer, phase);
        let warp = self.warp(issuer);
        warp.acquire(warp.all(), &released);
    }

    /// Records an access of a warp that another schedule may perform before its CTA has waited for the earlier grids.
    pub fn before_wait_for_grids(&mut self, warp: (usize, usize), place: &Place) {
        self.order.add(Change::WaitForGrids, &Mark::of_warp(warp, place), (None, true));
    }

    /// Records a fence that waits for the accesses of its warp, in a unit with a gateway.
    pub fn fences(&mut self, issuer: Issuer) {
        let warp = self.warp(issuer);
        let released = warp.release(warp.all());
        self.gateway.fenced.insert((issuer.cta, issuer.warp), released);
    }

    /// Records that the unit accepts a signal of a warp. A signal does not wait for accesses, so it releases only what its warp did before
    /// its last fence, and what the warp has acquired from other warps.
    pub fn sends(&mut self, issuer: Issuer) {
        self.warp(issuer);
        let key = (issuer.cta, issuer.warp);
        let released = self.gateway.fenced.get(&key).cloned().unwrap_or_default();
        self.gateway.signals_in_flight.entry(key).or_default().push_back(released);
    }

    /// Records that the oldest signal in flight of a warp counts at barrier `id`, or is refused if `id` is `None`.
    pub fn signals(&mut self, cta: usize, warp: usize, id: Option<u8>) {
        let released = self.gateway.signals_in_flight.get_mut(&(cta, warp)).and_then(VecDeque::pop_front);
        let Some((released, id)) = released.zip(id) else { return };
        self.gateway.phases.entry((cta, id)).or_default().join(&released);
    }

    /// Records that a phase is complete: the warps `woken` resume, and the consumers `notified` have not waited yet.
    pub fn completes(&mut self, cta: usize, id: u8, woken: &[usize], notified: &[usize]) {
        let Some(released) = self.gateway.phases.remove(&(cta, id)) else { return };
        woken.iter().for_each(|warp| self.acquire_at_gateway(cta, *warp, &released));
        self.gateway.notified.extend(notified.iter().map(|warp| ((cta, id, *warp), released.clone())));
    }

    /// Records that a wait consumes the notification of its warp.
    pub fn takes(&mut self, cta: usize, warp: usize, id: u8) {
        if let Some(released) = self.gateway.notified.remove(&(cta, id, warp)) {
            self.acquire_at_gateway(cta, warp, &released);
        }
    }

    /// Records that a warp acquires what other warps have released. These accesses are already in memory, so the warp's next signals also
    /// release them.
    fn acquire_at_gateway(&mut self, cta: usize, number: usize, released: &Known) {
        let Some(warp) = self.warps.get_mut(&(cta, number)) else { return };
        warp.meet(warp.all());
        warp.acquire(warp.all(), released);
        self.gateway.fenced.entry((cta, number)).or_default().join(released);
    }
}
