// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The environment of the cluster barrier: a hub over links of some delay, and the CTAs of each cluster on other multiprocessors.

use crate::stimulus::driver::{Driver, Phase};
use crate::stimulus::error::StimulusError;
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_hw::unit::cluster::ports::{ClusterMessageKind, HubKind};
use std::collections::VecDeque;

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    /// Maximum CTAs of a cluster.
    size: u64,
    /// Probability that a CTA of another multiprocessor arrives.
    arrives: u64,
    /// Probability that a CTA of another multiprocessor ends.
    end_rate: u64,
    /// Probability that Closed is sent for a cluster that has no CTA on this multiprocessor.
    stray_closed_rate: u64,
    /// Delay of a message in cycles, to the hub and from the hub.
    links: [u64; 2],
}

/// The hub's state of a cluster; sets of ranks are bit masks.
struct Known {
    ranks: u64,
    /// The ranks on this multiprocessor.
    local_ranks: u64,
    /// The ranks on this multiprocessor that are still to be launched.
    due: u64,
    arrived: u64,
    gone_ranks: u64,
    closed: bool,
}

impl Known {
    /// Receives a message of the unit.
    fn hear(&mut self, kind: u64, rank: u64) {
        let bit = 1 << rank;
        if kind == ClusterMessageKind::Arrived as u64 {
            self.arrived |= bit;
        } else if [ClusterMessageKind::Gone, ClusterMessageKind::GoneOdd].iter().any(|gone| kind == *gone as u64) {
            (self.gone_ranks, self.arrived) = (self.gone_ranks | bit, self.arrived & !bit);
        }
    }
}

/// The position of a CTA in a cluster: the cluster slot, the CTA's rank, and the number of CTAs of the cluster.
pub type Seat = [u64; 3];

pub struct Clusters {
    profile: Profile,
    slots: u64,
    /// Input ports of the hub's messages: `valid`, `kind`, `cluster`.
    cluster_in: [usize; 3],
    /// Ports of the unit's messages: `valid`, `ready` (an input), `kind`, `cluster`, `rank`.
    out: [usize; 5],
    clusters: Vec<Option<Known>>,
    /// The position of a CTA whose launch is on offer.
    offered: Option<Seat>,
    /// Messages in flight to the hub: cycles until arrival, then kind, cluster, rank.
    up: VecDeque<(u64, [u64; 3])>,
    /// Messages in flight from the hub: cycles until arrival, then kind, cluster.
    down: VecDeque<(u64, [u64; 2])>,
}

impl Clusters {
    pub fn new(driver: &mut Driver, shape: Shape) -> Result<Self, StimulusError> {
        let cluster_in =
            [driver.input("cluster_in_valid")?, driver.input("cluster_in_kind")?, driver.input("cluster_in_cluster")?];
        let out = [
            driver.output("cluster_out_valid")?,
            driver.input("cluster_out_ready")?,
            driver.output("cluster_out_kind")?,
            driver.output("cluster_out_cluster")?,
            driver.output("cluster_out_rank")?,
        ];
        let mut pick = |choices: &[u64]| driver.rng.pick(choices).unwrap_or(0);
        Ok(Clusters {
            profile: Profile {
                size: pick(&[2, 2, 3, 5, shape.cluster_size]).min(shape.cluster_size),
                arrives: pick(&[5, 50, 500, 1000]),
                end_rate: pick(&[1, 5, 50, 300]),
                stray_closed_rate: pick(&[0, 10, 100]),
                links: [pick(&[0, 0, 0, 1, 5, 50]), pick(&[0, 0, 0, 1, 5, 50])],
            },
            slots: shape.cluster_slots,
            cluster_in,
            out,
            clusters: (0..shape.cluster_slots).map(|_| None).collect(),
            offered: None,
            up: VecDeque::new(),
            down: VecDeque::new(),
        })
    }

    /// Creates a cluster in a free cluster slot, with at most `most` CTAs on this multiprocessor. Returns the positions of these CTAs.
    pub fn found(&mut self, rng: &mut Rng, most: u64) -> Vec<Seat> {
        let number = rng.below(self.slots);
        if self.clusters[number as usize].is_some() || most == 0 {
            return vec![];
        }
        let size = rng.range(2, self.profile.size);
        let local_count = rng.range(1, size.min(most));
        let local_ranks = rng.subset((1 << size) - 1, local_count);
        self.clusters[number as usize] =
            Some(Known { ranks: (1 << size) - 1, local_ranks, due: local_ranks, arrived: 0, gone_ranks: 0, closed: false });
        (0..size).filter(|rank| local_ranks >> rank & 1 == 1).map(|rank| [number, rank, size]).collect()
    }

    /// A position for a launch that is offered from now on: in a cluster that expects CTAs on this multiprocessor, or else in a new
    /// cluster.
    pub fn seat(&mut self, rng: &mut Rng, most: u64) -> Option<Seat> {
        let waiting = |(number, known): (usize, &Option<Known>)| {
            let known = known.as_ref().filter(|known| known.due & !known.gone_ranks != 0 && !known.closed)?;
            Some([number as u64, u64::from(known.due.trailing_zeros()), u64::from(known.ranks.count_ones())])
        };
        let seat = self.clusters.iter().enumerate().find_map(waiting);
        self.offered = seat.or_else(|| self.found(rng, most).first().copied());
        self.offered
    }

    /// Accounts for the launch of a CTA with this position.
    pub fn take_seat(&mut self, [number, rank, size]: Seat) {
        self.offered = None;
        let known = self.clusters.get_mut(number as usize).and_then(Option::as_mut);
        if let Some(known) = known.filter(|_| size > 1) {
            known.due &= !(1 << rank);
        }
    }

    /// Accounts for the refused launch of a CTA with this position. The hub treats the CTA as ended, so that the other CTAs of the
    /// cluster do not wait for it.
    pub fn refused(&mut self, [number, rank, _]: Seat) {
        let known = self.clusters.get_mut(number as usize).and_then(Option::as_mut);
        known.into_iter().for_each(|known| known.gone_ranks |= 1 << rank);
    }

    /// Receives the unit's messages of the previous cycle and drives the hub's next message. `driver.inputs` must still hold the
    /// inputs of the previous cycle.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        if phase != Phase::Run {
            self.clusters.iter_mut().for_each(|cluster| *cluster = None);
            (self.up, self.down, self.offered) = Default::default();
            driver.inputs[self.cluster_in[0]] = 0;
            return;
        }
        if previous[self.out[0]] == 1 && driver.inputs[self.out[1]] == 1 {
            let message = [2, 3, 4].map(|field| previous[self.out[field]]);
            self.up.push_back((self.profile.links[0], message));
        }
        self.serve(&mut driver.rng);
        let Driver { rng, swarm, inputs, .. } = driver;
        let is_offered = self.down.front().is_some_and(|(left, _)| *left == 0);
        let message = if is_offered { self.down.pop_front() } else { None };
        let [valid, kind, cluster] = self.cluster_in;
        inputs[valid] = u64::from(message.is_some());
        if let Some((_, [what, number])) = message {
            (inputs[kind], inputs[cluster]) = (what, number);
            if what == HubKind::Closed as u64 {
                self.clusters[number as usize] = None;
            }
        } else if swarm.noise {
            (inputs[kind], inputs[cluster]) = (rng.below(2), rng.below(self.slots));
        }
    }

    /// Simulates the hub and the CTAs of other multiprocessors.
    fn serve(&mut self, rng: &mut Rng) {
        self.up.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        self.down.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        if self.up.front().is_some_and(|(left, _)| *left == 0) {
            if let Some((_, [kind, number, rank])) = self.up.pop_front() {
                if let Some(known) = &mut self.clusters[number as usize] {
                    known.hear(kind, rank);
                }
            }
        }
        for (number, known) in self.clusters.iter_mut().enumerate() {
            let Some(known) = known.as_mut().filter(|known| !known.closed) else { continue };
            // When all launched CTAs of a cluster on this multiprocessor have ended, the CTAs on other multiprocessors end soon, and the
            // CTAs that are not yet launched are launched on other multiprocessors.
            let launched_ranks = known.local_ranks & !known.due;
            let is_offered = self.offered.is_some_and(|[cluster, ..]| cluster == number as u64);
            let alone = launched_ranks != 0 && launched_ranks & !known.gone_ranks == 0 && !is_offered;
            if alone {
                (known.local_ranks, known.due) = (launched_ranks, 0);
            }
            let others = known.ranks & !known.local_ranks & !known.gone_ranks;
            if rng.chance(self.profile.arrives) {
                known.arrived |= rng.subset(others & !known.arrived, 1);
            }
            let gone_now = match alone {
                true if rng.chance(300) => others,
                false if rng.chance(self.profile.end_rate) => rng.subset(others, 1),
                _ => 0,
            };
            (known.gone_ranks, known.arrived) = (known.gone_ranks | gone_now, known.arrived & !gone_now);
            let link = self.profile.links[1];
            if known.arrived != 0 && known.arrived | known.gone_ranks == known.ranks {
                known.arrived = 0;
                self.down.push_back((link, [HubKind::Complete as u64, number as u64]));
            } else if known.gone_ranks == known.ranks {
                known.closed = true;
                self.down.push_back((link, [HubKind::Closed as u64, number as u64]));
            }
        }
        if rng.chance(self.profile.stray_closed_rate) {
            let number = rng.below(self.slots);
            if self.clusters[number as usize].is_none() {
                self.down.push_back((self.profile.links[1], [HubKind::Closed as u64, number]));
                let nobody = Known { ranks: 0, local_ranks: 0, due: 0, arrived: 0, gone_ranks: 0, closed: true };
                self.clusters[number as usize] = Some(nobody);
            }
        }
    }
}
