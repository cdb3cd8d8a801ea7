// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What `mbarrier` has to do with beside warps: copy engines, other CTAs of a cluster, shared memory, and the limit of waits.

use super::line::{Line, Offer, Phase};
use super::mbarrier::picture::{Picture, Wish};
use super::network::{self, Network};
use super::shared_memory::SharedMemory;
use super::swarm::Duty;
use super::{Rng, Shape, StimulusError};

const TX: [&str; 4] = ["cta", "object", "count", "bytes"];

pub struct Outside {
    memory: SharedMemory,
    tx: Offer,
    engine: Duty,
    /// What is offered on it, if it makes sense.
    sent: Option<Wish>,
    /// Nothing without clusters.
    network: Option<Network>,
    /// Where the limit of waits stands, what it is drawn from, and how often it changes.
    limit: usize,
    limits: [u64; 2],
    change: u64,
    slots: u64,
    /// Chance per cycle that copy engines may send.
    rate: u64,
    /// Chance that any operation on any object comes.
    wild: u64,
}

impl Outside {
    /// `wild` of a thousand operations make no sense.
    pub fn new(line: &mut Line, shape: Shape, wild: u64) -> Result<Self, StimulusError> {
        let tx = line.channel("tx", &TX)?;
        let ports = if shape.has_network() { Some(network::Ports::find(line)?) } else { None };
        let (memory, limit) = (SharedMemory::new(line)?, line.input("wait_limit")?);
        let rng = &mut line.rng;
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let ticks = (1 << shape.limit_bits) - 1;
        let [engine, sends] = [0; 2].map(|_| Duty::source(rng));
        let absent = one(rng, &[0, 0, 100, 1000]);
        let travel = rng.pick(&[[1, 1], [1, 5], [0, 50], [200, 500]]).unwrap_or([1, 1]);
        let limits = rng.pick(&[[1, 1], [1, 3], [1, 3], [1, ticks], [ticks, ticks]]).unwrap_or([1, 1]);
        let change = one(rng, &[0, 1, 100]);
        let [copies, others] = [0; 2].map(|_| one(rng, &[1000, 100, 10, 0]));
        let loops = rng.chance(400);
        let habits = network::Habits { sends, absent, travel, loops, rate: others, wild, slots: shape.slots };
        Ok(Outside {
            memory,
            tx,
            engine,
            sent: None,
            network: ports.map(|at| Network::new(at, habits)),
            limit,
            limits,
            change,
            slots: shape.slots,
            rate: copies,
            wild,
        })
    }

    /// A copy engine offers something for the CTA of this slot.
    pub fn copies_to(&self, slot: usize) -> bool {
        self.sent.is_some_and(|wish| wish.slot == slot)
    }

    /// The CTA slot of an operation that has left and is not acknowledged, if there is one.
    pub fn away(&self) -> Option<usize> {
        self.network.as_ref().and_then(Network::away)
    }

    /// The next cycle; called before the inputs of the last one change. `live` are the slots in which a CTA is.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64], picture: &mut Picture, live: u64) {
        if line.inputs[self.limit] == 0 || line.rng.chance(self.change) {
            let [least, most] = self.limits;
            line.inputs[self.limit] = line.rng.range(least, most);
        }
        self.memory.drive(line, phase, previous);
        self.network.iter_mut().for_each(|network| network.acknowledge(line, phase, previous));
        let taken = phase == Phase::Run && self.tx.taken(previous);
        let sent = if taken { self.sent.take() } else { None };
        sent.iter().for_each(|wish| picture.note(wish));
        self.network.iter_mut().for_each(|network| network.settle(line, phase, previous, picture));
        match phase {
            Phase::Reset => {
                self.sent = None;
                return line.shake(&mut self.tx);
            }
            Phase::Fresh => line.idle(&mut self.tx),
            Phase::Run => (),
        }
        if self.tx.free() {
            match self.engine.step(&mut line.rng) && line.rng.chance(self.rate) {
                true => self.send(line, picture, live),
                false => line.idle(&mut self.tx),
            }
        }
        self.network.iter_mut().for_each(|network| network.drive(line, picture, live));
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
}
