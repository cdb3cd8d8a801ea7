// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `cluster`: CTAs of clusters launch and retire, their warps arrive and wait, and the hub answers over a link of any
//! delay.

mod checks;
mod hub;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Drain, Offer, Pace, Shown};
use super::residents::Residents;
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, NoPort, Output};
use hub::Hub;

#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    arrivals: u64,
    /// Number of the warp's arrivals for which it has also waited.
    waits: u64,
    /// An operation of the warp is offered or in flight.
    is_busy: bool,
    /// The warp has sent a wait and is not released yet.
    is_waiting: bool,
    /// The cycle in which the warp's wait was transferred.
    wait_cycle: u64,
    /// The number of cycles for which the unit could have released the warp and has not done so.
    late: u64,
}

/// A CTA's cluster slot and rank, with the size of its cluster.
#[derive(Clone, Copy, Debug)]
struct Place {
    cluster: u64,
    rank: u64,
    size: u64,
    /// Number of cycles for which a message of the CTA has been due.
    idle: u64,
}

pub struct ClusterUser {
    rng: Rng,
    shape: Shape,
    base: Base,
    residents: Residents,
    places: Vec<Option<Place>>,
    warps: Vec<Warp>,
    /// CTAs of open clusters that are still to be launched: cluster, rank, size.
    due: Vec<(u64, u64, u64)>,
    hub: Hub,
    op: Offer,
    offered: (usize, usize, u64),
    launch: Offer,
    message: Offer,
    closing: Option<u64>,
    fault: Drain<3>,
    out: Drain<4>,
    /// The message that is offered on `cluster_out` and not yet transferred.
    standing: Option<[u64; 4]>,
    out_pace: Pace,
    pace: Pace,
    commit: Shown<2>,
    expected_commit: Option<[u64; 2]>,
    release: Shown<1>,
    closed: Shown<1>,
    waiting: Output,
    freed: Output,
    exits: u64,
    kills: u64,
    most_warps: u64,
}

impl ClusterUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<ClusterUser, NoPort> {
        let mut rng = Rng::new(seed, "legal cluster");
        Ok(ClusterUser {
            base: Base::new(ports, &mut rng)?,
            residents: Residents::new(ports, shape)?,
            places: vec![None; shape.slots as usize],
            warps: vec![Warp::default(); 64],
            due: vec![],
            hub: Hub::new(&mut rng, shape.cluster_slots),
            op: Offer::new(ports, "op", &["kind", "fault", "warp", "cta"])?,
            offered: (0, 0, 0),
            launch: Offer::strobe(ports, "launch", &["cta", "cluster", "rank", "size"])?,
            message: Offer::strobe(ports, "cluster_in", &["kind", "cluster"])?,
            closing: None,
            fault: Drain::new(ports, "fault", ["code", "warp", "cta"])?,
            out: Drain::new(ports, "cluster_out", ["kind", "cluster", "rank", "size"])?,
            standing: None,
            out_pace: Pace::draw(&mut rng),
            pace: Pace::draw(&mut rng),
            commit: Shown::new(ports, "commit", ["warps", "refused"])?,
            expected_commit: None,
            release: Shown::new(ports, "release", ["warps"])?,
            closed: Shown::new(ports, "closed", ["cluster"])?,
            waiting: ports.output("waiting")?,
            freed: ports.output("freed")?,
            exits: rng.pick(&[1, 10, 100]).unwrap_or(1),
            kills: rng.pick(&[0, 0, 2]).unwrap_or(0),
            most_warps: rng.pick(&[1, 3, shape.warps]).unwrap_or(1).min(shape.warps),
            shape,
            rng,
        })
    }

    /// Launches a CTA: one without a cluster, one of an open cluster, or the first of a new cluster.
    fn launches(&mut self, outputs: &[u64]) {
        self.launch.take(&[]);
        self.launch.begin(&mut self.base.pins);
        let cycle = self.base.ledger.cycle;
        let (free_warps, slots) = self.residents.free_slots(self.freed.read(outputs));
        if free_warps == 0 || slots.is_empty() || !self.rng.chance(100) {
            return;
        }
        let numbers: Vec<usize> = (0..self.hub.clusters.len()).collect();
        let is_free =
            |number: &usize| self.hub.clusters[*number].as_ref().is_none_or(|c| c.closed.is_some_and(|at| at < cycle));
        // A cluster slot that was closed may be used again even if CTA slots of its old cluster are not free yet.
        let unused: Vec<usize> = numbers.into_iter().filter(is_free).collect();
        let mut place = None;
        if self.due.is_empty() && self.rng.chance(700) {
            if let Some(number) = self.rng.pick(&unused) {
                let size = self.rng.range(2, self.shape.cluster_size);
                let most_ctas = (slots.len() as u64).min(u64::from(free_warps.count_ones())).min(size);
                let wanted = self.rng.range(1, most_ctas);
                let local_ranks = self.rng.subset((1 << size) - 1, wanted);
                for old in
                    self.places.iter_mut().filter(|place| place.is_some_and(|p| p.size > 1 && p.cluster == number as u64))
                {
                    *old = None;
                }
                self.hub.open(&mut self.rng, number, size, local_ranks, cycle);
                self.due =
                    (0..size).filter(|rank| local_ranks >> rank & 1 == 1).map(|rank| (number as u64, rank, size)).collect();
                self.base.ledger.count("clusters");
            }
        } else if self.due.is_empty() {
            place = Some((self.rng.below(self.shape.cluster_slots), 0, self.rng.below(2)));
        }
        if !self.due.is_empty() {
            place = self.due.pop();
        }
        let (Some((cluster, rank, size)), Some(slot)) = (place, self.rng.pick(&slots)) else { return };
        // Each CTA of the cluster that is still to be launched needs a warp, so this launch leaves one warp free for each of them.
        let most = self.most_warps.min(u64::from(free_warps.count_ones()) - self.due.len() as u64).max(1);
        let warps = self.residents.launch(&mut self.rng, slot, free_warps, most, cycle);
        for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
            self.warps[warp] = Warp::default();
        }
        self.places[slot] = Some(Place { cluster, rank, size, idle: 0 });
        self.launch.put(&mut self.base.pins, &[slot as u64, cluster, rank, size]);
        self.base.ledger.count("launches");
    }

    /// Drives the operations and exits of the warps.
    fn warps(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        self.op.begin(&mut self.base.pins);
        let live_slots: Vec<usize> = (0..self.places.len())
            .filter(|slot| self.residents.slots[*slot].is_some_and(|cta| cta.live != 0 && cta.from <= cycle))
            .collect();
        if let (false, true, Some(slot)) =
            (self.op.is_pending(), self.pace.allows_event(&mut self.rng), self.rng.pick(&live_slots))
        {
            let live = self.residents.slots[slot].map_or(0, |cta| cta.live);
            let able =
                (0..64).filter(|warp| live >> warp & 1 == 1 && !self.warps[*warp].is_busy && !self.warps[*warp].is_waiting);
            let able: Vec<usize> = able.collect();
            if let Some(warp) = self.rng.pick(&able) {
                let state = &mut self.warps[warp];
                if self.rng.chance(self.exits) {
                    self.residents.exit(&mut self.rng, slot, 1 << warp, cycle);
                    self.base.ledger.count("exits");
                } else {
                    let kind = u64::from(state.arrivals > state.waits);
                    state.is_busy = true;
                    self.offered = (warp, slot, kind);
                    self.op.put(&mut self.base.pins, &[kind, 0, warp as u64, slot as u64]);
                }
            }
        }
        if self.op.take(outputs) {
            let (warp, _, kind) = self.offered;
            let state = &mut self.warps[warp];
            match kind {
                0 => state.arrivals += 1,
                _ => (state.waits, state.is_waiting, state.wait_cycle) = (state.waits + 1, true, cycle),
            }
            self.expected_commit = Some([1 << warp, 0]);
            self.base.ledger.count("operations");
        }
        // A CTA may be retired while its warps wait.
        if let Some(slot) = self.rng.pick(&live_slots).filter(|_| self.rng.chance(self.kills)) {
            let live = self.residents.slots[slot].map_or(0, |cta| cta.live);
            if (0..64).filter(|warp| live >> warp & 1 == 1).all(|warp| !self.warps[warp].is_busy) {
                self.residents.exit(&mut self.rng, slot, live, cycle);
                self.base.ledger.count("CTAs taken away");
            }
        }
        for slot in 0..self.places.len() {
            if let Some(cta) = self.residents.slots[slot].as_mut().filter(|cta| cta.ended < cycle) {
                cta.is_gone = true;
            }
        }
    }
}

impl UnitUser for ClusterUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        let ready = self.rng.chance(500);
        self.fault.drive(&mut self.base.pins, outputs, ready);
        self.messages(outputs);
        self.message.take(&[]);
        self.message.begin(&mut self.base.pins);
        if let Some([kind, cluster]) = self.hub.drive(&mut self.rng, self.base.ledger.cycle) {
            self.message.put(&mut self.base.pins, &[kind, cluster]);
            self.closing = (kind == 1).then_some(cluster);
            self.base.ledger.count("messages of the hub");
        }
        self.launches(outputs);
        self.warps(outputs);
        self.residents.drive(&mut self.base.pins, self.base.ledger.cycle);
    }
}
