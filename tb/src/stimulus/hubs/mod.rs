// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The environment of the whole unit: hubs, the other CTAs of clusters, and grids. It also chooses the cluster and grid of each CTA that is
//! launched on this multiprocessor.

mod clusters;
mod grids;

pub use clusters::{Clusters, Seat};
pub use grids::Grids;

use super::error::StimulusError;
use super::shape::Shape;
use crate::stimulus::abstract_state::AbstractState;
use crate::stimulus::driver::{Driver, Phase, Sink};
use crate::stimulus::transaction::{Launch, Place};
use crate::stimulus::Rng;

pub struct Hubs {
    /// The two hubs, each with the sink of the unit's messages; `None` if the configuration has no clusters or no grids.
    clusters: Option<(Clusters, Sink)>,
    grids: Option<(Grids, Sink)>,
    /// In thousandths: the probability that a CTA has no cluster.
    alone: u64,
    /// In thousandths: the probability that a CTA belongs to a grid.
    of_grid: u64,
    /// For each CTA slot: its CTA, if the CTA belongs to a cluster and the unit still holds state of it.
    members: Vec<Option<Member>>,
    /// Ports of the strobe `launched`: `valid`, CTA slot, size of the cluster, warps. Ports of `retired`: `valid`, CTA slot.
    launched: [usize; 4],
    retired: [usize; 2],
    /// The CTA slot of a launch that was transferred in the previous cycle and not refused.
    launched_slot: Option<u64>,
    /// The grid of a CTA whose launch is on offer.
    offered: Option<u64>,
}

/// A CTA of a cluster.
#[derive(Clone, Copy, Debug)]
struct Member {
    warps: u64,
}

impl Hubs {
    pub fn new(driver: &mut Driver, shape: Shape) -> Result<Self, StimulusError> {
        let clusters = match shape.has_clusters() {
            true => Some((Clusters::new(driver, shape)?, driver.sink("cluster_out")?)),
            false => None,
        };
        let grids = match shape.has_grids {
            true => Some((Grids::new(driver, shape, "grid_opened")?, driver.sink("grid_out")?)),
            false => None,
        };
        // In seeds whose warps do not use clusters and grids, membership only delays the end of CTAs, so it is rare.
        let Driver { rng, swarm, .. } = &mut *driver;
        let alone = match (swarm.clusters, swarm.objects) {
            (0, 0) => rng.pick(&[500, 1000, 1000, 1000]),
            (0, _) => rng.pick(&[0, 300, 1000, 1000]),
            _ => rng.pick(&[0, 0, 300, 1000]),
        };
        let of_grid = if swarm.grids == 0 { rng.pick(&[0, 0, 0, 500]) } else { rng.pick(&[0, 500, 1000, 1000]) };
        let (alone, of_grid) = (alone.unwrap_or(0), of_grid.unwrap_or(0));
        let launched = ["valid", "cta", "size", "warps"].map(|field| driver.output(&format!("launched_{field}")));
        let [valid, slot, size, warps] = launched;
        let launched = [valid?, slot?, size?, warps?];
        let members = vec![None; shape.slots.next_power_of_two().max(2) as usize];
        let retired = [driver.output("retired_valid")?, driver.output("retired_cta")?];
        Ok(Hubs { clusters, grids, alone, of_grid, members, launched, retired, launched_slot: None, offered: None })
    }

    /// Whether all CTA slots and warp slots of the launch are free of CTAs of clusters. A CTA of a cluster keeps its slots after its
    /// retirement, until all CTAs of the cluster have ended. A launch into these slots would wait for this, and would delay retirements of
    /// the cluster's other CTAs.
    pub fn may_launch(&self, launch: &Launch) -> bool {
        let in_the_way = |(slot, member): (usize, &Option<Member>)| {
            member.as_ref().is_some_and(|member| slot == launch.slot || member.warps & launch.warps != 0)
        };
        !self.members.iter().enumerate().any(in_the_way)
    }

    /// Adds to the launch, each by chance, a position in a cluster and a grid whose CTAs may be launched.
    pub fn placed(&mut self, rng: &mut Rng, launch: Launch, state: &AbstractState) -> Launch {
        let free_slots = state.ctas.iter().filter(|cta| cta.is_none()).count() as u64;
        let alone = Place::alone(rng).seat;
        let joins = self.clusters.as_mut().filter(|_| !rng.chance(self.alone));
        let seat = joins.and_then(|(clusters, _)| clusters.seat(rng, free_slots)).unwrap_or(alone);
        let shown = self.grids.as_ref().map_or(0, |(grids, _)| grids.shown());
        let grid = rng.bit(shown).filter(|_| rng.chance(self.of_grid)).map(|grid| grid as u64);
        self.offered = grid;
        Launch { place: Place { seat, grid }, ..launch }
    }

    /// Accounts for a launch that was transferred. If it was not refused, the strobe `launched` reports it.
    pub fn note_launch(&mut self, launch: &Launch) {
        self.offered = None;
        let Launch { slot, place, warps, .. } = launch;
        let Some((clusters, _)) = &mut self.clusters else { return };
        clusters.take_seat(place.seat);
        if self.launched_slot != Some(*slot as u64) && place.seat[2] > 1 {
            clusters.refused(place.seat);
        } else if let Some(member) = &mut self.members[*slot] {
            // `launched` reports only the warps of the CTA that have not exited before the launch.
            member.warps |= warps;
        }
    }

    /// Tracks launched and retired CTAs.
    fn follow(&mut self, previous: &[u64]) {
        let [retired, retired_cta] = self.retired.map(|output| previous[output]);
        let [launched, launched_cta, size, warps] = self.launched.map(|output| previous[output]);
        if retired == 1 {
            self.members[retired_cta as usize] = None;
        }
        self.launched_slot = (launched == 1).then_some(launched_cta);
        if launched == 1 {
            self.members[launched_cta as usize] = (size > 1).then_some(Member { warps });
        }
    }

    /// Drives the next cycle of both hubs. `driver.inputs` must still hold the inputs of the previous cycle.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], state: &AbstractState) {
        if phase != Phase::Run {
            self.members.fill(None);
            self.launched_slot = None;
            self.offered = None;
        } else {
            self.follow(previous);
        }
        if let Some((clusters, sink)) = &mut self.clusters {
            clusters.drive(driver, phase, previous);
            driver.drain(sink);
        }
        let offered = self.offered;
        let is_there = |grid| offered == Some(grid) || state.ctas.iter().flatten().any(|cta| cta.place.grid == Some(grid));
        if let Some((grids, sink)) = &mut self.grids {
            grids.drive(driver, phase, previous, is_there);
            driver.drain(sink);
        }
    }
}
