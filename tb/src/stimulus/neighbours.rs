// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is beside the whole unit: hubs, the other CTAs of clusters, and grids; and where the CTAs that come here stand in them.

use super::line::{Line, Phase, Sink};
use super::opener::Opener;
use super::peers::Peers;
use super::picture::Picture;
use super::wish::{Launch, Place};
use super::{Rng, Shape, StimulusError};

pub struct Neighbours {
    /// With clusters, with grids; and what takes the messages of the unit.
    peers: Option<(Peers, Sink)>,
    opener: Option<(Opener, Sink)>,
    /// Chance, in thousandths, that a CTA has no cluster, and that it is of a grid.
    alone: u64,
    of_grid: u64,
}

impl Neighbours {
    pub fn new(line: &mut Line, shape: Shape) -> Result<Self, StimulusError> {
        let peers = match shape.has_clusters() {
            true => Some((Peers::new(line, shape)?, line.sink("cluster_out")?)),
            false => None,
        };
        let opener = match shape.has_grids {
            true => Some((Opener::new(line, shape, "grid_opened")?, line.sink("grid_out")?)),
            false => None,
        };
        // Where warps do nothing about them, clusters and grids only keep CTAs from going.
        let Line { rng, swarm, .. } = line;
        let alone = if swarm.clusters == 0 { rng.pick(&[0, 300, 500, 1000]) } else { rng.pick(&[0, 0, 300, 1000]) };
        let of_grid = if swarm.grids == 0 { rng.pick(&[0, 0, 0, 500]) } else { rng.pick(&[0, 500, 1000, 1000]) };
        let (alone, of_grid) = (alone.unwrap_or(0), of_grid.unwrap_or(0));
        Ok(Neighbours { peers, opener, alone, of_grid })
    }

    /// The launch with a place in a cluster and a grid that have room for it.
    pub fn placed(&mut self, rng: &mut Rng, launch: Launch, picture: &Picture) -> Launch {
        let free = picture.ctas.iter().filter(|cta| cta.is_none()).count() as u64;
        let alone = [rng.draw(), rng.below(16), rng.below(2)];
        let joins = self.peers.as_mut().filter(|_| !rng.chance(self.alone));
        let seat = joins.and_then(|(peers, _)| peers.seat(rng, free)).unwrap_or(alone);
        let shown = self.opener.as_ref().map_or(0, |(opener, _)| opener.shown());
        let grid = rng.bit(shown).filter(|_| rng.chance(self.of_grid)).map(|grid| grid as u64);
        Launch { place: Place { seat, grid }, ..launch }
    }

    /// A CTA has come to its place.
    pub fn comes(&mut self, launch: &Launch) {
        self.peers.iter_mut().for_each(|(peers, _)| peers.comes(launch.place.seat));
    }

    /// The next cycle of all of them; called before the inputs of the last one change.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64], picture: &Picture) {
        if let Some((peers, sink)) = &mut self.peers {
            peers.drive(line, phase, previous);
            line.drain(sink);
        }
        let is_there = |grid| picture.ctas.iter().flatten().any(|cta| cta.place.grid == Some(grid));
        if let Some((opener, sink)) = &mut self.opener {
            opener.drive(line, phase, previous, is_there);
            line.drain(sink);
        }
    }
}
