// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is beside the whole unit: hubs, the other CTAs of clusters, and grids; and where the CTAs that come here stand in them.

mod clusters;
mod grids;

pub use clusters::{Clusters, Seat};
pub use grids::Grids;

use crate::stimulus::line::{Line, Phase, Sink};
use crate::stimulus::picture::Picture;
use crate::stimulus::wish::{Launch, Place};
use crate::stimulus::{Rng, Shape, StimulusError};

pub struct Hubs {
    /// With clusters, with grids; and what takes the messages of the unit.
    clusters: Option<(Clusters, Sink)>,
    grids: Option<(Grids, Sink)>,
    /// Chance, in thousandths, that a CTA has no cluster, and that it is of a grid.
    alone: u64,
    of_grid: u64,
    /// By slot, the CTA of a cluster that is there, until nothing of it is left.
    members: Vec<Option<Member>>,
    /// Of the strobes: valid, slot, size of the cluster and warps; valid and slot.
    launched: [usize; 4],
    retired: [usize; 2],
    launch_ready: usize,
    /// The grid of a CTA whose launch is offered.
    offered: Option<u64>,
}

/// A CTA of a cluster.
#[derive(Clone, Copy, Debug)]
struct Member {
    seat: Option<Seat>,
    warps: u64,
    /// Cycles with a free launch channel after which it would have been shown if it had not been refused; 0 if it was.
    under_way: u8,
}

/// Cycles from a launch that is handled to its strobe, and some more.
const UNDER_WAY: u8 = 4;

impl Hubs {
    pub fn new(line: &mut Line, shape: Shape) -> Result<Self, StimulusError> {
        let clusters = match shape.has_clusters() {
            true => Some((Clusters::new(line, shape)?, line.sink("cluster_out")?)),
            false => None,
        };
        let grids = match shape.has_grids {
            true => Some((Grids::new(line, shape, "grid_opened")?, line.sink("grid_out")?)),
            false => None,
        };
        // Where warps do nothing about them, clusters and grids only keep CTAs from going.
        let Line { rng, swarm, .. } = &mut *line;
        let alone = match (swarm.clusters, swarm.objects) {
            (0, 0) => rng.pick(&[500, 1000, 1000, 1000]),
            (0, _) => rng.pick(&[0, 300, 1000, 1000]),
            _ => rng.pick(&[0, 0, 300, 1000]),
        };
        let of_grid = if swarm.grids == 0 { rng.pick(&[0, 0, 0, 500]) } else { rng.pick(&[0, 500, 1000, 1000]) };
        let (alone, of_grid) = (alone.unwrap_or(0), of_grid.unwrap_or(0));
        let launched = ["valid", "cta", "size", "warps"].map(|field| line.output(&format!("launched_{field}")));
        let [valid, slot, size, warps] = launched;
        let launched = [valid?, slot?, size?, warps?];
        let members = vec![None; 1 << shape.slots.ilog2().max(1)];
        let retired = [line.output("retired_valid")?, line.output("retired_cta")?];
        let launch_ready = line.output("launch_ready")?;
        Ok(Hubs { clusters, grids, alone, of_grid, members, launched, retired, launch_ready, offered: None })
    }

    /// No slot of this launch is that of a CTA of a cluster: it stays, if it leaves, until all of its cluster have gone, and requests that end
    /// others of the cluster would wait behind those that follow the launch.
    pub fn may_launch(&self, launch: &Launch) -> bool {
        let in_the_way = |(slot, member): (usize, &Option<Member>)| {
            member.as_ref().is_some_and(|member| slot == launch.slot || member.warps & launch.warps != 0)
        };
        !self.members.iter().enumerate().any(in_the_way)
    }

    /// The launch with a place in a cluster and a grid that have room for it.
    pub fn placed(&mut self, rng: &mut Rng, launch: Launch, picture: &Picture) -> Launch {
        let free = picture.ctas.iter().filter(|cta| cta.is_none()).count() as u64;
        let alone = Place::alone(rng).seat;
        let joins = self.clusters.as_mut().filter(|_| !rng.chance(self.alone));
        let seat = joins.and_then(|(clusters, _)| clusters.seat(rng, free)).unwrap_or(alone);
        let shown = self.grids.as_ref().map_or(0, |(grids, _)| grids.shown());
        let grid = rng.bit(shown).filter(|_| rng.chance(self.of_grid)).map(|grid| grid as u64);
        self.offered = grid;
        Launch { place: Place { seat, grid }, ..launch }
    }

    /// A CTA has come to its place.
    pub fn comes(&mut self, launch: &Launch) {
        self.offered = None;
        if launch.place.seat[2] > 1 && self.clusters.is_some() {
            self.members[launch.slot] =
                Some(Member { seat: Some(launch.place.seat), warps: launch.warps, under_way: UNDER_WAY });
        }
        self.clusters.iter_mut().for_each(|(clusters, _)| clusters.comes(launch.place.seat));
    }

    /// Who has come and gone.
    fn follow(&mut self, previous: &[u64]) {
        let [retired, retired_cta] = self.retired.map(|output| previous[output]);
        let [launched, launched_cta, size, warps] = self.launched.map(|output| previous[output]);
        for (slot, member) in (0..).zip(&mut self.members) {
            if launched == 1 && launched_cta == slot {
                // Of the warps only those are shown that have not exited already.
                let warps = member.map_or(warps, |member| member.warps | warps);
                *member = (size > 1).then_some(Member { seat: None, warps, under_way: 0 });
                continue;
            }
            *member = match *member {
                // While the channel is not free it may wait there.
                Some(Member { under_way: 1.., .. }) if previous[self.launch_ready] == 0 => *member,
                Some(Member { under_way: 1, seat, .. }) => {
                    let clusters = self.clusters.iter_mut().map(|(clusters, _)| clusters);
                    clusters.zip(seat).for_each(|(clusters, seat)| clusters.refused(seat));
                    None
                }
                Some(Member { under_way: left @ 2.., .. }) => member.map(|member| Member { under_way: left - 1, ..member }),
                _ if retired == 1 && retired_cta == slot => None,
                member => member,
            };
        }
    }

    /// The next cycle of all of them; called before the inputs of the last one change.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64], picture: &Picture) {
        if phase != Phase::Run {
            self.members.fill(None);
            self.offered = None;
        } else {
            self.follow(previous);
        }
        if let Some((clusters, sink)) = &mut self.clusters {
            clusters.drive(line, phase, previous);
            line.drain(sink);
        }
        let offered = self.offered;
        let is_there = |grid| offered == Some(grid) || picture.ctas.iter().flatten().any(|cta| cta.place.grid == Some(grid));
        if let Some((grids, sink)) = &mut self.grids {
            grids.drive(line, phase, previous, is_there);
            line.drain(sink);
        }
    }
}
