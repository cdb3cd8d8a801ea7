// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The other CTAs of a cluster as `mbarrier` observes them: the operations that they send, and the replies to operations on their objects.
//! In some seeds they are CTAs of the same unit: a sent operation returns after some time, and is acknowledged when it has taken effect.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::mbarrier::abstract_state::{AbstractState, Transaction};
use super::swarm::Duty;

const NET_IN: [&str; 6] = ["cta", "object", "kind", "count", "bytes", "source"];

/// Indices of the ports of the network.
pub struct Ports {
    net_in: Offer,
    net_out: Sink,
    /// Ports of sent operations: `valid`, `ready`, CTA slot.
    leaving: [usize; 3],
    /// Ports of sent operations: object, kind, count, bytes.
    request_ports: [usize; 4],
    /// Ports of the acknowledgement: `valid`, CTA slot, `absent`.
    ack: [usize; 3],
    /// Ports of the reply: `valid`, `source`, `absent`.
    reply: [usize; 3],
}

impl Ports {
    pub fn find(driver: &mut Driver) -> Result<Ports, StimulusError> {
        let [ack, acked, absent] = ["valid", "cta", "absent"].map(|part| driver.input(&format!("net_ack_{part}")));
        Ok(Ports {
            net_in: driver.channel("net_in", &NET_IN)?,
            net_out: driver.sink("net_out")?,
            leaving: [driver.output("net_out_valid")?, driver.input("net_out_ready")?, driver.output("net_out_cta")?],
            request_ports: [
                driver.output("net_out_object")?,
                driver.output("net_out_kind")?,
                driver.output("net_out_count")?,
                driver.output("net_out_bytes")?,
            ],
            ack: [ack?, acked?, absent?],
            reply: [driver.output("net_reply_valid")?, driver.output("net_reply_source")?, driver.output("net_reply_absent")?],
        })
    }
}

/// The parameters of a seed; probabilities are in thousandths per cycle.
pub struct Profile {
    pub sends: Duty,
    /// Probability that the target CTA is absent.
    pub absent: u64,
    /// Minimum and maximum number of cycles until the acknowledgement.
    pub travel: [u64; 2],
    /// Whether every other rank is a CTA of the same unit, so that sent operations return into the unit.
    pub loops: bool,
    /// Probability that an operation of another CTA is offered.
    pub rate: u64,
    /// Probability that an operation and its object are drawn at random.
    pub wild: u64,
    pub slots: u64,
}

pub struct Network {
    at: Ports,
    profile: Profile,
    /// The operation on offer; `None` if no operation is offered or the operation was not drawn as legal.
    arriving: Option<Transaction>,
    /// Sent operations that are acknowledged without being delivered: the minimum number of cycles until the acknowledgement, and the CTA
    /// slot of the sender.
    away: Vec<(u64, u64)>,
    /// Operations on their way back into the unit: the minimum number of cycles until arrival, the CTA slot that sent them, and object,
    /// kind, count and bytes.
    travelling: Vec<(u64, u64, [u64; 4])>,
    /// For operations offered on `net_in`, the CTA slot that sent them, indexed by `source`. The source 255 belongs to no sender.
    senders: [Option<u64>; 255],
}

impl Network {
    pub fn new(at: Ports, profile: Profile) -> Network {
        Network { at, profile, arriving: None, away: vec![], travelling: vec![], senders: [None; 255] }
    }

    /// The CTA slot that sent some operation which is not yet acknowledged, if any.
    pub fn away(&self) -> Option<usize> {
        let travels = self.travelling.first().map(|(_, cta, _)| *cta);
        let inside = self.senders.iter().flatten().next().copied();
        self.away.first().map(|(_, cta)| *cta).or(travels).or(inside).map(|cta| cta as usize)
    }

    /// Drives acknowledgements of sent operations, in any order.
    pub fn acknowledge(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        let [offered, ready, cta_port] = self.at.leaving;
        if phase != Phase::Run {
            self.away.clear();
            self.travelling.clear();
            self.senders = [None; 255];
        } else if previous[offered] == 1 && driver.inputs[ready] == 1 {
            let [least, most] = self.profile.travel;
            let (time, cta) = (driver.rng.range(least, most), previous[cta_port]);
            match self.profile.loops {
                true => self.travelling.push((time, cta, self.at.request_ports.map(|port| previous[port]))),
                false => self.away.push((time, cta)),
            }
        }
        let [replies, source, found] = self.at.reply;
        let back = if phase == Phase::Run && previous[replies] == 1 { previous[source] as usize } else { 255 };
        let answered = self.senders.get_mut(back).and_then(Option::take);
        driver.drain(&mut self.at.net_out);
        let Driver { rng, inputs, .. } = driver;
        self.away.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        let due = self.away.iter().position(|(left, _)| *left == 0);
        let [valid, cta, absent] = self.at.ack;
        self.travelling.iter_mut().for_each(|(left, ..)| *left = left.saturating_sub(1));
        if let Some(source_cta) = answered {
            (inputs[valid], inputs[cta], inputs[absent]) = (1, source_cta, previous[found]);
            return;
        }
        inputs[valid] = u64::from(due.is_some() || phase == Phase::Reset && rng.chance(500));
        if let Some(at) = due {
            inputs[cta] = self.away.remove(at).1;
            inputs[absent] = u64::from(rng.chance(self.profile.absent));
        }
    }

    /// Accounts for the offer of the previous cycle if it was transferred. A reset drops the offer.
    pub fn settle(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], state: &mut AbstractState) {
        match phase {
            Phase::Reset => {
                self.arriving = None;
                driver.shake(&mut self.at.net_in);
            }
            Phase::Fresh => driver.idle(&mut self.at.net_in),
            Phase::Run => {
                let arrived = self.at.net_in.was_taken(previous).then(|| self.arriving.take()).flatten();
                arrived.iter().for_each(|transaction| state.note(transaction));
            }
        }
    }

    /// Drives the operations of other CTAs; `live` are the CTA slots that have a CTA.
    pub fn drive(&mut self, driver: &mut Driver, state: &AbstractState, live: u64) {
        if self.at.net_in.is_free() {
            if self.comes_back(driver) {
                return;
            }
            match self.profile.sends.allows_event(&mut driver.rng) && driver.rng.chance(self.profile.rate) {
                true => self.arrive(driver, state, live),
                false => driver.idle(&mut self.at.net_in),
            }
        }
    }

    /// Offers a sent operation that is due to return, for any CTA slot. Returns false if there is none.
    fn comes_back(&mut self, driver: &mut Driver) -> bool {
        let due = self.travelling.iter().position(|(left, ..)| *left == 0);
        let place = self.senders.iter().position(Option::is_none);
        let (Some(due), Some(place)) = (due, place) else { return false };
        let (_, cta, [object, kind, count, bytes]) = self.travelling.remove(due);
        self.senders[place] = Some(cta);
        self.arriving = None;
        let slot = driver.rng.below(self.profile.slots);
        driver.offer(&mut self.at.net_in, &[slot, object, kind, count, bytes, place as u64]);
        true
    }

    fn arrive(&mut self, driver: &mut Driver, state: &AbstractState, live: u64) {
        let (rng, wild) = (&mut driver.rng, self.profile.wild);
        let slot = rng.below(self.profile.slots);
        if live >> slot & 1 == 0 && !rng.chance(wild / 10) {
            return driver.idle(&mut self.at.net_in);
        }
        let wild = rng.chance(wild);
        let transaction = if wild { state.any(rng, slot as usize) } else { state.transaction(rng, slot as usize) };
        let transaction = if transaction.travels() { transaction } else { state.transfer(rng, slot as usize, 0) };
        // If sent operations return, the sources below 255 are reserved for them.
        let source = if self.profile.loops { 255 } else { rng.draw() };
        let values = [slot, transaction.object, transaction.kind as u64, transaction.count, transaction.bytes, source];
        self.arriving = Some(transaction);
        driver.offer(&mut self.at.net_in, &values);
    }
}
