// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `cluster_hub`: CTAs of clusters launch, arrive, resume when the hub's message arrives, and end. They are on several
//! multiprocessors, whose links have different delays.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::shape::Shape;
use super::{Rng, Stimulus};
use bcu_hw::unit::cluster::ports::{ClusterMessageKind, HubKind};
use std::collections::VecDeque;

const FIELDS: [&str; 5] = ["valid", "kind", "cluster", "rank", "size"];

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    /// Number of cluster slots in use.
    slots: u64,
    /// Maximum number of CTAs of a cluster.
    size: u64,
    begins: u64,
    present_rate: u64,
    arrives: u64,
    end_rate: u64,
    /// Probability that all CTAs of a cluster arrive in the same cycle; a quarter of it is the probability that all of them end.
    together: u64,
}

impl Profile {
    fn draw(rng: &mut Rng, shape: Shape) -> Self {
        let mut pick = |choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            slots: pick(&[1, 2, shape.cluster_slots, shape.cluster_slots]).min(shape.cluster_slots),
            size: pick(&[2, 2, 3, 4, shape.cluster_size]).min(shape.cluster_size),
            begins: pick(&[5, 100, 1000]),
            present_rate: pick(&[20, 300, 1000]),
            arrives: pick(&[20, 200, 1000]),
            end_rate: pick(&[0, 2, 20, 200]),
            together: pick(&[0, 5, 50]),
        }
    }
}

/// The state of a CTA of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Absent,
    Open,
    Arrived,
    Ended,
}

/// A CTA and its multiprocessor.
#[derive(Clone, Copy, Debug)]
struct Rank {
    sm: usize,
    state: State,
    /// Whether the CTA has sent an odd number of Arrived messages.
    odd: bool,
}

/// A cluster that is not yet closed at every multiprocessor that has CTAs of it.
struct Running {
    ranks: Vec<Rank>,
    /// Multiprocessors that have not received the cluster's Closed; one bit per multiprocessor.
    open: u64,
}

/// A link: its delay in cycles, and the messages in flight.
#[derive(Default)]
struct Link<const N: usize> {
    length: u64,
    way: VecDeque<(u64, [u64; N])>,
}

impl<const N: usize> Link<N> {
    fn put(&mut self, message: [u64; N]) {
        self.way.push_back((self.length, message));
    }

    /// Advances one cycle; returns the message that arrives, if any.
    fn advance(&mut self) -> Option<[u64; N]> {
        self.way.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        if self.way.front().is_some_and(|(left, _)| *left == 0) {
            return self.way.pop_front().map(|(_, message)| message);
        }
        None
    }
}

pub struct ClusterHub {
    driver: Driver,
    shape: Shape,
    profile: Profile,
    reset: usize,
    from: Vec<[usize; 5]>,
    /// Output ports to each multiprocessor: `valid`, `kind`, `cluster`.
    to: Vec<[usize; 3]>,
    clusters: Vec<Option<Running>>,
    /// For each multiprocessor, the link to the hub, with kind, cluster, rank and size.
    up: Vec<Link<4>>,
    /// For each multiprocessor, the link from the hub, with kind and cluster.
    down: Vec<Link<2>>,
}

impl ClusterHub {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let (mut from, mut to) = (vec![], vec![]);
        for sm in 0..shape.sms {
            let mut ports = [0; 5];
            for (port, field) in ports.iter_mut().zip(FIELDS) {
                *port = driver.input(&format!("from_{sm}_{field}"))?;
            }
            from.push(ports);
            let output = |field: &str| driver.output(&format!("to_{sm}_{field}"));
            to.push([output("valid")?, output("kind")?, output("cluster")?]);
        }
        let longest = driver.rng.pick(&[0, 1, 4, 50]).unwrap_or(0);
        let mut length = || driver.rng.range(0, longest);
        Ok(ClusterHub {
            up: (0..shape.sms).map(|_| Link { length: length(), ..Default::default() }).collect(),
            down: (0..shape.sms).map(|_| Link { length: length(), ..Default::default() }).collect(),
            reset: driver.input("reset")?,
            from,
            to,
            profile: Profile::draw(&mut driver.rng, shape),
            clusters: (0..shape.cluster_slots).map(|_| None).collect(),
            shape,
            driver,
        })
    }

    fn forget(&mut self) {
        self.clusters.iter_mut().for_each(|cluster| *cluster = None);
        self.up.iter_mut().for_each(|link| link.way.clear());
        self.down.iter_mut().for_each(|link| link.way.clear());
    }

    /// Delivers the hub's messages that arrive at the ends of the links.
    fn hear(&mut self, previous: &[u64]) {
        for sm in 0..self.to.len() {
            let [valid, kind, cluster] = self.to[sm].map(|port| previous[port]);
            if valid == 1 {
                self.down[sm].put([kind, cluster]);
            }
            let Some([kind, number]) = self.down[sm].advance() else { continue };
            let Some(running) = &mut self.clusters[number as usize] else { continue };
            if kind == HubKind::Closed as u64 {
                running.open &= !(1 << sm);
                if running.open == 0 {
                    self.clusters[number as usize] = None;
                }
            } else {
                let waiting = running.ranks.iter_mut().filter(|rank| rank.sm == sm && rank.state == State::Arrived);
                waiting.for_each(|rank| rank.state = State::Open);
            }
        }
    }

    /// Starts a cluster in a cluster slot that no CTA uses any more.
    fn begin(&mut self) {
        let Driver { rng, .. } = &mut self.driver;
        let number = rng.below(self.profile.slots) as usize;
        if self.clusters[number].is_some() || !rng.chance(self.profile.begins) {
            return;
        }
        let size = rng.range(2, self.profile.size);
        // The cluster uses a few or all multiprocessors.
        let width = rng.range(1, self.shape.sms);
        let ranks: Vec<_> =
            (0..size).map(|_| Rank { sm: rng.below(width) as usize, state: State::Absent, odd: false }).collect();
        let open = ranks.iter().fold(0, |open, rank| open | 1 << rank.sm);
        self.clusters[number] = Some(Running { ranks, open });
    }

    /// Draws the next step of each CTA, and sends the message about it.
    fn go_on(&mut self) {
        let Driver { rng, .. } = &mut self.driver;
        let Profile { present_rate, arrives, end_rate, together, .. } = self.profile;
        for (number, running) in self.clusters.iter_mut().enumerate() {
            let Some(running) = running else { continue };
            let size = running.ranks.len() as u64;
            let (all_arrive, all_end) = (rng.chance(together), rng.chance(together / 4));
            for (number_of_rank, rank) in running.ranks.iter_mut().enumerate() {
                let gone_kind = if rank.odd { ClusterMessageKind::GoneOdd } else { ClusterMessageKind::Gone };
                let next = match rank.state {
                    State::Absent => rng.chance(present_rate).then_some((ClusterMessageKind::Present, State::Open)),
                    State::Ended => None,
                    _ if all_end || rng.chance(end_rate) => Some((gone_kind, State::Ended)),
                    State::Open if all_arrive || rng.chance(arrives) => Some((ClusterMessageKind::Arrived, State::Arrived)),
                    _ => None,
                };
                if let Some((kind, state)) = next {
                    rank.state = state;
                    rank.odd ^= kind == ClusterMessageKind::Arrived;
                    self.up[rank.sm].put([kind as u64, number as u64, number_of_rank as u64, size]);
                }
            }
        }
    }

    /// Drives the messages that arrive at the hub over the links.
    fn drive(&mut self, silent: bool) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        for (ports, link) in self.from.iter().zip(&mut self.up) {
            let message = if silent { None } else { link.advance() };
            let broken = !silent && rng.chance(swarm.broken);
            let any = [rng.below(4), rng.below(self.shape.cluster_slots), rng.below(16), rng.below(17)];
            let [valid, fields @ ..] = ports;
            inputs[*valid] = u64::from(message.is_some() || broken);
            let shown = if broken || message.is_none() && swarm.noise { Some(any) } else { message };
            if let Some(values) = shown {
                fields.iter().zip(values).for_each(|(field, value)| inputs[*field] = value);
            }
        }
    }
}

impl Stimulus for ClusterHub {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        if phase == Phase::Run {
            self.hear(previous);
            self.begin();
            self.go_on();
        } else {
            self.forget();
        }
        self.drive(phase != Phase::Run);
        &self.driver.inputs
    }
}
