// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Other CTAs of a cluster, as `mbarrier` sees them: what they send, and what becomes of operations on their objects. In some seeds they are
//! CTAs of the same unit: what leaves comes back after some time, and is acknowledged when it has had its effect.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::mbarrier::abstract_state::{AbstractState, Transaction};
use super::swarm::Duty;

const NET_IN: [&str; 6] = ["cta", "object", "kind", "count", "bytes", "source"];

/// Where its ports are.
pub struct Ports {
    net_in: Offer,
    net_out: Sink,
    /// valid, ready, CTA slot.
    leaving: [usize; 3],
    /// Object, kind, count and bytes of what leaves.
    asked: [usize; 4],
    /// valid, CTA slot, absent.
    ack: [usize; 3],
    /// valid, source, absent.
    reply: [usize; 3],
}

impl Ports {
    pub fn find(driver: &mut Driver) -> Result<Ports, StimulusError> {
        let [ack, acked, absent] = ["valid", "cta", "absent"].map(|part| driver.input(&format!("net_ack_{part}")));
        Ok(Ports {
            net_in: driver.channel("net_in", &NET_IN)?,
            net_out: driver.sink("net_out")?,
            leaving: [driver.output("net_out_valid")?, driver.input("net_out_ready")?, driver.output("net_out_cta")?],
            asked: [
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

/// What a seed does; chances are in thousandths per cycle.
pub struct Profile {
    pub sends: Duty,
    /// Chance that nobody is there; least and most cycles to the answer.
    pub absent: u64,
    pub travel: [u64; 2],
    /// What leaves comes back: every other rank is a CTA of the same unit.
    pub loops: bool,
    /// Chance that something may come.
    pub rate: u64,
    /// Chance that any operation on any object comes.
    pub wild: u64,
    pub slots: u64,
}

pub struct Network {
    at: Ports,
    profile: Profile,
    /// What is offered, if it makes sense.
    arriving: Option<Transaction>,
    /// Operations that have left and are answered without having come anywhere: cycles that are left at least, and the CTA slot.
    away: Vec<(u64, u64)>,
    /// Operations that are on their way back into the unit: cycles that are left at least, the CTA slot that sent them, and object, kind, count
    /// and bytes.
    travelling: Vec<(u64, u64, [u64; 4])>,
    /// The CTA slots that sent what was offered on `net_in`, by what stands in `source`; 255 is nobody's.
    sent: [Option<u64>; 255],
}

impl Network {
    pub fn new(at: Ports, profile: Profile) -> Network {
        Network { at, profile, arriving: None, away: vec![], travelling: vec![], sent: [None; 255] }
    }

    /// The CTA slot of an operation that has left and is not acknowledged, if there is one.
    pub fn away(&self) -> Option<usize> {
        let travels = self.travelling.first().map(|(_, cta, _)| *cta);
        let inside = self.sent.iter().flatten().next().copied();
        self.away.first().map(|(_, cta)| *cta).or(travels).or(inside).map(|cta| cta as usize)
    }

    /// Acknowledgements, in any order.
    pub fn acknowledge(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        let [offered, taken, of] = self.at.leaving;
        if phase != Phase::Run {
            self.away.clear();
            self.travelling.clear();
            self.sent = [None; 255];
        } else if previous[offered] == 1 && driver.inputs[taken] == 1 {
            let [least, most] = self.profile.travel;
            let (time, cta) = (driver.rng.range(least, most), previous[of]);
            match self.profile.loops {
                true => self.travelling.push((time, cta, self.at.asked.map(|port| previous[port]))),
                false => self.away.push((time, cta)),
            }
        }
        let [replies, source, found] = self.at.reply;
        let back = if phase == Phase::Run && previous[replies] == 1 { previous[source] as usize } else { 255 };
        let answered = self.sent.get_mut(back).and_then(Option::take);
        driver.drain(&mut self.at.net_out);
        let Driver { rng, inputs, .. } = driver;
        self.away.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        let due = self.away.iter().position(|(left, _)| *left == 0);
        let [valid, cta, absent] = self.at.ack;
        self.travelling.iter_mut().for_each(|(left, ..)| *left = left.saturating_sub(1));
        if let Some(of) = answered {
            (inputs[valid], inputs[cta], inputs[absent]) = (1, of, previous[found]);
            return;
        }
        inputs[valid] = u64::from(due.is_some() || phase == Phase::Reset && rng.chance(500));
        if let Some(at) = due {
            inputs[cta] = self.away.remove(at).1;
            inputs[absent] = u64::from(rng.chance(self.profile.absent));
        }
    }

    /// What was offered in the cycle before may be taken, or forgotten.
    pub fn settle(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], state: &mut AbstractState) {
        match phase {
            Phase::Reset => {
                self.arriving = None;
                driver.shake(&mut self.at.net_in);
            }
            Phase::Fresh => driver.idle(&mut self.at.net_in),
            Phase::Run => {
                let taken = self.at.net_in.taken(previous).then(|| self.arriving.take()).flatten();
                taken.iter().for_each(|transaction| state.note(transaction));
            }
        }
    }

    /// What others send; `live` are the slots in which a CTA is.
    pub fn drive(&mut self, driver: &mut Driver, state: &AbstractState, live: u64) {
        if self.at.net_in.free() {
            if self.comes_back(driver) {
                return;
            }
            match self.profile.sends.step(&mut driver.rng) && driver.rng.chance(self.profile.rate) {
                true => self.arrive(driver, state, live),
                false => driver.idle(&mut self.at.net_in),
            }
        }
    }

    /// Offers what left some time ago, to any slot.
    fn comes_back(&mut self, driver: &mut Driver) -> bool {
        let due = self.travelling.iter().position(|(left, ..)| *left == 0);
        let place = self.sent.iter().position(Option::is_none);
        let (Some(due), Some(place)) = (due, place) else { return false };
        let (_, cta, [object, kind, count, bytes]) = self.travelling.remove(due);
        self.sent[place] = Some(cta);
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
        // Where operations come back, these numbers are theirs.
        let source = if self.profile.loops { 255 } else { rng.draw() };
        let values = [slot, transaction.object, transaction.kind as u64, transaction.count, transaction.bytes, source];
        self.arriving = Some(transaction);
        driver.offer(&mut self.at.net_in, &values);
    }
}
