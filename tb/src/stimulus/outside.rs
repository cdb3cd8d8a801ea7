// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `mbarrier` has to do with beside warps: copy engines, other CTAs of a cluster, shared memory, and the limit of waits.

use super::line::{Line, Offer, Phase, Sink};
use super::mbarrier::picture::{Picture, Wish};
use super::shared_memory::SharedMemory;
use super::swarm::Duty;
use super::{Rng, Shape, StimulusError};

const TX: [&str; 4] = ["cta", "object", "count", "bytes"];
const NET_IN: [&str; 6] = ["cta", "object", "kind", "count", "bytes", "source"];

pub struct Outside {
    memory: SharedMemory,
    tx: Offer,
    engine: Duty,
    net_in: Offer,
    network: Duty,
    /// What is offered on these, if it makes sense.
    sent: Option<Wish>,
    arriving: Option<Wish>,
    net_out: Sink,
    /// valid, ready, CTA slot.
    leaving: [usize; 3],
    /// valid, CTA slot, absent.
    ack: [usize; 3],
    /// Operations that have left: cycles that are left at least, and the CTA slot.
    away: Vec<(u64, u64)>,
    /// In thousandths: chance that nobody is there; least and most cycles to the answer.
    absent: u64,
    travel: [u64; 2],
    /// Where the limit of waits stands, what it is drawn from, and how often it changes.
    limit: usize,
    limits: [u64; 2],
    change: u64,
    slots: u64,
    /// Chance per cycle that copy engines, and the network, may send.
    rates: [u64; 2],
    /// Chance that any operation on any object comes.
    wild: u64,
}

impl Outside {
    /// `wild` of a thousand operations make no sense.
    pub fn new(line: &mut Line, shape: Shape, wild: u64) -> Result<Self, StimulusError> {
        let [ack, acked, absent] = ["valid", "cta", "absent"].map(|part| line.input(&format!("net_ack_{part}")));
        let (tx, net_in, net_out) = (line.channel("tx", &TX)?, line.channel("net_in", &NET_IN)?, line.sink("net_out")?);
        let leaving = [line.output("net_out_valid")?, line.input("net_out_ready")?, line.output("net_out_cta")?];
        let (memory, limit) = (SharedMemory::new(line)?, line.input("wait_limit")?);
        let rng = &mut line.rng;
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let ticks = (1 << shape.limit_bits) - 1;
        Ok(Outside {
            memory,
            tx,
            engine: Duty::source(rng),
            net_in,
            network: Duty::source(rng),
            sent: None,
            arriving: None,
            net_out,
            leaving,
            ack: [ack?, acked?, absent?],
            away: vec![],
            absent: one(rng, &[0, 0, 100, 1000]),
            travel: rng.pick(&[[1, 1], [1, 5], [5, 60], [200, 500]]).unwrap_or([1, 1]),
            limit,
            limits: rng.pick(&[[1, 1], [1, 3], [1, 3], [1, ticks], [ticks, ticks]]).unwrap_or([1, 1]),
            change: one(rng, &[0, 1, 100]),
            slots: shape.slots,
            rates: [0; 2].map(|_| one(rng, &[1000, 100, 10, 0])),
            wild,
        })
    }

    /// A copy engine offers something for the CTA of this slot.
    pub fn copies_to(&self, slot: usize) -> bool {
        self.sent.is_some_and(|wish| wish.slot == slot)
    }

    /// The CTA slot of an operation that has left and is not acknowledged, if there is one.
    pub fn away(&self) -> Option<usize> {
        self.away.first().map(|(_, cta)| *cta as usize)
    }

    /// The next cycle; called before the inputs of the last one change. `live` are the slots in which a CTA is.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64], picture: &mut Picture, live: u64) {
        if line.inputs[self.limit] == 0 || line.rng.chance(self.change) {
            let [least, most] = self.limits;
            line.inputs[self.limit] = line.rng.range(least, most);
        }
        self.memory.drive(line, phase, previous);
        self.acknowledge(line, phase, previous);
        match phase {
            Phase::Reset => {
                (self.sent, self.arriving) = (None, None);
                line.shake(&mut self.net_in);
                return line.shake(&mut self.tx);
            }
            Phase::Fresh => {
                line.idle(&mut self.net_in);
                line.idle(&mut self.tx);
            }
            Phase::Run => {
                let taken = [(&mut self.tx, &mut self.sent), (&mut self.net_in, &mut self.arriving)];
                for wish in taken.into_iter().filter_map(|(channel, wish)| channel.taken(previous).then(|| wish.take())?) {
                    picture.note(&wish);
                }
            }
        }
        if self.tx.free() {
            match self.engine.step(&mut line.rng) && line.rng.chance(self.rates[0]) {
                true => self.send(line, picture, live),
                false => line.idle(&mut self.tx),
            }
        }
        if self.net_in.free() {
            match self.network.step(&mut line.rng) && line.rng.chance(self.rates[1]) {
                true => self.arrive(line, picture, live),
                false => line.idle(&mut self.net_in),
            }
        }
    }

    /// Acknowledgements of the network, in any order.
    fn acknowledge(&mut self, line: &mut Line, phase: Phase, previous: &[u64]) {
        let [offered, taken, of] = self.leaving;
        if phase != Phase::Run {
            self.away.clear();
        } else if previous[offered] == 1 && line.inputs[taken] == 1 {
            let [least, most] = self.travel;
            self.away.push((line.rng.range(least, most), previous[of]));
        }
        line.drain(&mut self.net_out);
        let Line { rng, inputs, .. } = line;
        self.away.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        let due = self.away.iter().position(|(left, _)| *left == 0);
        let [valid, cta, absent] = self.ack;
        inputs[valid] = u64::from(due.is_some() || phase == Phase::Reset && rng.chance(500));
        if let Some(at) = due {
            inputs[cta] = self.away.remove(at).1;
            inputs[absent] = u64::from(rng.chance(self.absent));
        }
    }

    /// What a copy engine sends.
    fn send(&mut self, line: &mut Line, picture: &Picture, live: u64) {
        let slot = line.rng.below(self.slots);
        if live >> slot & 1 == 0 && !line.rng.chance(self.wild / 10) {
            return line.idle(&mut self.tx);
        }
        let wish = picture.transfer(&mut line.rng, slot as usize, self.wild);
        self.sent = Some(wish);
        line.offer(&mut self.tx, &[slot, wish.object, wish.count, wish.bytes]);
    }

    /// What other CTAs of the cluster send.
    fn arrive(&mut self, line: &mut Line, picture: &Picture, live: u64) {
        let rng = &mut line.rng;
        let slot = rng.below(self.slots);
        if live >> slot & 1 == 0 && !rng.chance(self.wild / 10) {
            return line.idle(&mut self.net_in);
        }
        let wild = rng.chance(self.wild);
        let wish = if wild { picture.any(rng, slot as usize) } else { picture.wish(rng, slot as usize) };
        let wish = if wish.travels() { wish } else { picture.transfer(rng, slot as usize, 0) };
        let values = [slot, wish.object, wish.kind as u64, wish.count, wish.bytes, rng.draw()];
        self.arriving = Some(wish);
        line.offer(&mut self.net_in, &values);
    }
}
