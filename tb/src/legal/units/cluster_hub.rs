// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `cluster_hub`: CTAs of clusters on several multiprocessors. Each multiprocessor has a link with a delay of its own,
//! which keeps messages in order.

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Shown};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::NoPort;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, Default)]
struct Cta {
    sm: usize,
    is_sent: bool,
    /// The hub has received the CTA's first message.
    is_present: bool,
    /// `arrivals`: number of arrivals that the CTA has sent. `arrived`: number of these that the hub has received.
    arrivals: u64,
    arrived: u64,
    /// `is_leaving`: the CTA has sent its end. `is_gone`: the hub has received it.
    is_leaving: bool,
    is_gone: bool,
    phases_left: u64,
}

#[derive(Clone, Debug, Default)]
struct Cluster {
    ctas: Vec<Cta>,
    /// Number of phases that the hub has completed.
    over: u64,
    /// For each multiprocessor, the number of Complete messages that it has received.
    completes_seen: Vec<u64>,
    /// For each multiprocessor, whether it has received Closed.
    closed: Vec<bool>,
    is_closed: bool,
    /// Number of cycles for which Complete or Closed has been due. Complete is due when the hub has received the last message that the
    /// phase needs, Closed when it has received the end of the last CTA.
    idle: u64,
}

impl Cluster {
    fn members(&self) -> u64 {
        self.ctas.iter().filter(|cta| cta.is_present).fold(0, |mask, cta| mask | 1 << cta.sm)
    }

    fn is_over(&self) -> bool {
        self.ctas.iter().all(|cta| cta.is_gone || cta.arrived > self.over)
    }

    fn all_gone(&self) -> bool {
        self.ctas.iter().all(|cta| cta.is_gone)
    }
}

/// Both directions of a link: the messages in flight, with the cycles in which they arrive.
#[derive(Clone, Debug, Default)]
struct Link {
    up: VecDeque<(u64, [u64; 4])>,
    down: VecDeque<(u64, [u64; 2])>,
    latency: u64,
}

pub struct ClusterHubUser {
    rng: Rng,
    base: Base,
    shape: Shape,
    from: Vec<Offer>,
    to: Vec<Shown<2>>,
    links: Vec<Link>,
    clusters: Vec<Option<Cluster>>,
    activity: u64,
    /// Messages that the hub has received, with the cycles from which on their effects may be visible.
    incoming: VecDeque<(u64, [u64; 4])>,
}

impl ClusterHubUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<ClusterHubUser, NoPort> {
        let mut rng = Rng::new(seed, "legal cluster_hub");
        let from = (0..shape.sms).map(|sm| Offer::strobe(ports, &format!("from_{sm}"), &["kind", "cluster", "rank", "size"]));
        let to = (0..shape.sms).map(|sm| Shown::new(ports, &format!("to_{sm}"), ["kind", "cluster"]));
        let link = |rng: &mut Rng| Link { latency: rng.pick(&[0, 1, 5, 60]).unwrap_or(0), ..Link::default() };
        Ok(ClusterHubUser {
            base: Base::new(ports, &mut rng)?,
            from: from.collect::<Result<_, _>>()?,
            to: to.collect::<Result<_, _>>()?,
            links: (0..shape.sms).map(|_| link(&mut rng)).collect(),
            clusters: vec![None; shape.cluster_slots as usize],
            activity: rng.pick(&[20, 200, 800]).unwrap_or(20),
            incoming: [].into(),
            shape,
            rng,
        })
    }

    /// Checks the messages that the hub sends to all members at the same time.
    fn check(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        while let Some((_, message)) = self.incoming.pop_front_if(|(at, _)| *at <= cycle) {
            self.apply_message(message);
        }
        let shown: Vec<Option<[u64; 2]>> = self.to.iter().map(|to| to.read(outputs)).collect();
        let receivers =
            shown.iter().enumerate().filter(|(_, message)| message.is_some()).fold(0u64, |mask, (sm, _)| mask | 1 << sm);
        if let Some([kind, slot]) = shown.iter().flatten().next().copied() {
            let differs = shown.iter().flatten().any(|message| *message != [kind, slot]);
            let Some(cluster) = self.clusters[slot as usize].as_mut().filter(|_| !differs) else {
                return self.base.ledger.fail(|| format!("messages differ, or name a cluster that is not open: {shown:?}"));
            };
            let is_right = if kind == 0 { cluster.is_over() } else { cluster.all_gone() };
            if !is_right || cluster.is_closed || receivers != cluster.members() {
                let (over, members) = (cluster.over, cluster.members());
                self.base.ledger.fail(|| format!("message {kind} of cluster {slot} to {receivers:#x}, members {members:#x}, after {over} phases, due: {is_right}"));
            }
            self.base.ledger.most("worst cycles until a message", cluster.idle);
            cluster.idle = 0;
            match kind {
                0 => cluster.over += 1,
                _ => cluster.is_closed = true,
            }
            self.base.ledger.count(if kind == 0 { "phases" } else { "clusters closed" });
            for link in self.links.iter_mut().enumerate().filter(|(sm, _)| receivers >> sm & 1 == 1).map(|(_, link)| link) {
                let due = cycle + self.rng.below(link.latency + 1);
                link.down.push_back((due, [kind, slot]));
            }
        }
        let bound = self.shape.cluster_slots + 8;
        for (slot, cluster) in self.clusters.iter_mut().enumerate() {
            let Some(cluster) = cluster.as_mut().filter(|cluster| !cluster.is_closed) else { continue };
            cluster.idle = if cluster.is_over() { cluster.idle + 1 } else { 0 };
            if cluster.idle > bound {
                let over = cluster.over;
                self.base
                    .ledger
                    .fail(|| format!("cluster {slot}: a message has been due for {bound} cycles after {over} phases"));
            }
        }
    }

    /// Applies a message to the CTA that sent it.
    fn apply_message(&mut self, [kind, slot, rank, _]: [u64; 4]) {
        let Some(cta) = self.clusters[slot as usize].as_mut().map(|cluster| &mut cluster.ctas[rank as usize]) else { return };
        match kind {
            0 => cta.is_present = true,
            1 => cta.arrived += 1,
            _ => cta.is_gone = true,
        }
    }

    /// Simulates the CTAs: they launch, arrive and end, and send the messages about these events.
    fn ctas(&mut self) {
        let cycle = self.base.ledger.cycle;
        for (slot, cluster) in self.clusters.iter_mut().enumerate() {
            let Some(cluster) = cluster.as_mut() else { continue };
            let size = cluster.ctas.len() as u64;
            for (rank, cta) in cluster.ctas.iter_mut().enumerate() {
                if cta.is_leaving || !self.rng.chance(self.activity) {
                    continue;
                }
                let may_arrive = cta.arrivals == cluster.completes_seen[cta.sm];
                let kind = match () {
                    () if !cta.is_sent => 0,
                    // A CTA may also end after it has arrived.
                    () if cta.phases_left == 0 || self.rng.chance(20) => 2 + cta.arrivals % 2,
                    () if may_arrive => 1,
                    () => continue,
                };
                cta.is_sent = true;
                cta.is_leaving = kind >= 2;
                if kind == 1 {
                    cta.arrivals += 1;
                    cta.phases_left = cta.phases_left.saturating_sub(1);
                }
                let link = &mut self.links[cta.sm];
                link.up.push_back((cycle + self.rng.below(link.latency + 1), [kind, slot as u64, rank as u64, size]));
            }
        }
    }

    /// Delivers the messages of the links in order.
    fn carry(&mut self) {
        let cycle = self.base.ledger.cycle;
        for sm in 0..self.links.len() {
            self.from[sm].take(&[]);
            self.from[sm].begin(&mut self.base.pins);
            let link = &mut self.links[sm];
            if let Some((_, message)) = link.up.pop_front_if(|(due, _)| *due <= cycle) {
                self.from[sm].put(&mut self.base.pins, &message);
                self.incoming.push_back((cycle + 3, message));
                self.base.ledger.count("messages");
            }
            if let Some((_, [kind, slot])) = link.down.pop_front_if(|(due, _)| *due <= cycle) {
                if let Some(cluster) = self.clusters[slot as usize].as_mut() {
                    match kind {
                        0 => cluster.completes_seen[sm] += 1,
                        _ => cluster.closed[sm] = true,
                    }
                }
            }
        }
        let slot = self.rng.below(self.clusters.len() as u64) as usize;
        let sms = self.shape.sms;
        let is_free = self.clusters[slot].as_ref().is_none_or(|cluster| {
            cluster.is_closed && (0..sms as usize).all(|sm| cluster.closed[sm] || cluster.members() >> sm & 1 == 0)
        });
        if is_free && self.rng.chance(200) {
            let size = self.rng.range(2, self.shape.cluster_size);
            let few = self.rng.range(1, sms);
            let rng = &mut self.rng;
            let ctas =
                (0..size).map(|_| Cta { sm: rng.below(few) as usize, phases_left: rng.below(10), ..Cta::default() }).collect();
            let (completes_seen, closed) = (vec![0; sms as usize], vec![false; sms as usize]);
            self.clusters[slot] = Some(Cluster { ctas, completes_seen, closed, ..Cluster::default() });
            self.base.ledger.count("clusters");
        }
    }
}

impl UnitUser for ClusterHubUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        self.ctas();
        self.carry();
    }
}
