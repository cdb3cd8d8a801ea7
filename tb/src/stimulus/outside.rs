// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The environment of `mbarrier` without its warps: copy engines, other CTAs of a cluster, shared memory, and the limit of waits.

use super::driver::{Driver, Offer, Phase};
use super::error::StimulusError;
use super::mbarrier::abstract_state::{AbstractState, Transaction};
use super::network::{self, Network};
use super::shape::Shape;
use super::shared_memory::SharedMemory;
use super::swarm::Duty;
use super::Rng;

const TX: [&str; 4] = ["cta", "object", "count", "bytes"];

pub struct Outside {
    memory: SharedMemory,
    tx: Offer,
    engine: Duty,
    /// The operation on offer on `tx`; `None` if no operation is offered or the operation was not drawn as legal.
    offered: Option<Transaction>,
    /// Ports of `tx_done`: `valid`, CTA slot.
    done: [usize; 2],
    /// For each CTA slot, the number of transfers on `tx` that `tx_done` has not reported yet.
    under_way: Vec<u64>,
    /// `None` in a configuration without clusters.
    network: Option<Network>,
    /// The port `wait_limit`.
    limit: usize,
    /// The smallest and the largest value at `wait_limit`.
    limits: [u64; 2],
    /// The probability, in thousandths per cycle, that the value at `wait_limit` changes.
    change: u64,
    slots: u64,
    /// Probability, in thousandths per cycle, that copy engines offer a transfer.
    rate: u64,
    /// Probability, in thousandths, that an operation and its object are drawn at random.
    wild: u64,
}

impl Outside {
    /// Creates the environment; `wild` is the probability of the field of that name, in thousandths.
    pub fn new(driver: &mut Driver, shape: Shape, wild: u64) -> Result<Self, StimulusError> {
        let tx = driver.channel("tx", &TX)?;
        let done = [driver.output("tx_done_valid")?, driver.output("tx_done_cta")?];
        let ports = if shape.has_network() { Some(network::Ports::find(driver)?) } else { None };
        let (memory, limit) = (SharedMemory::new(driver)?, driver.input("wait_limit")?);
        let rng = &mut driver.rng;
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        let ticks = (1 << shape.limit_bits) - 1;
        let [engine, sends] = [0; 2].map(|_| Duty::source(rng));
        let absent = pick(rng, &[0, 0, 100, 1000]);
        let travel = rng.pick(&[[1, 1], [1, 5], [0, 50], [200, 500]]).unwrap_or([1, 1]);
        let limits = rng.pick(&[[1, 1], [1, 3], [1, 3], [1, ticks], [ticks, ticks]]).unwrap_or([1, 1]);
        let change = pick(rng, &[0, 1, 100]);
        let [copies, others] = [0; 2].map(|_| pick(rng, &[1000, 100, 10, 0]));
        let loops = rng.chance(400);
        let profile = network::Profile { sends, absent, travel, loops, rate: others, wild, slots: shape.slots };
        Ok(Outside {
            memory,
            tx,
            engine,
            offered: None,
            done,
            under_way: vec![0; shape.slots as usize],
            network: ports.map(|at| Network::new(at, profile)),
            limit,
            limits,
            change,
            slots: shape.slots,
            rate: copies,
            wild,
        })
    }

    /// Whether a copy engine has an offer for the CTA in `slot`.
    pub fn copies_to(&self, slot: usize) -> bool {
        self.offered.is_some_and(|transaction| transaction.slot == slot)
    }

    /// Whether a copy engine has an offer for the CTA in `slot`, or a transfer to that CTA has not taken effect.
    pub fn sent_to(&self, slot: usize) -> bool {
        self.copies_to(slot) || self.under_way.get(slot).is_some_and(|under_way| *under_way > 0)
    }

    /// Evaluates the outputs of the previous cycle that concern copy engines. Returns the operation on `tx` that was transferred in that
    /// cycle, if any.
    fn settle(&mut self, phase: Phase, previous: &[u64]) -> Option<Transaction> {
        if phase != Phase::Run {
            self.under_way.fill(0);
            return None;
        }
        let [done, done_cta] = self.done.map(|port| previous[port]);
        if let Some(under_way) = self.under_way.get_mut(done_cta as usize).filter(|_| done == 1) {
            *under_way = under_way.saturating_sub(1);
        }
        let transferred = if self.tx.was_taken(previous) { self.offered.take() } else { None };
        let slot = transferred.and_then(|transaction| self.under_way.get_mut(transaction.slot));
        slot.into_iter().for_each(|under_way| *under_way += 1);
        transferred
    }

    /// The CTA slot that sent some operation which is not yet acknowledged, if any.
    pub fn away(&self) -> Option<usize> {
        self.network.as_ref().and_then(Network::away)
    }

    /// Drives the inputs of the next cycle. `driver.inputs` must still hold the inputs of the previous cycle. `live` are the CTA slots that
    /// have a CTA.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], state: &mut AbstractState, live: u64) {
        if driver.inputs[self.limit] == 0 || driver.rng.chance(self.change) {
            let [least, most] = self.limits;
            driver.inputs[self.limit] = driver.rng.range(least, most);
        }
        self.memory.drive(driver, phase, previous);
        self.network.iter_mut().for_each(|network| network.acknowledge(driver, phase, previous));
        let transferred = self.settle(phase, previous);
        transferred.iter().for_each(|transaction| state.note(transaction));
        self.network.iter_mut().for_each(|network| network.settle(driver, phase, previous, state));
        match phase {
            Phase::Reset => {
                self.offered = None;
                return driver.shake(&mut self.tx);
            }
            Phase::Fresh => driver.idle(&mut self.tx),
            Phase::Run => (),
        }
        if self.tx.is_free() {
            match self.engine.allows_event(&mut driver.rng) && driver.rng.chance(self.rate) {
                true => self.send(driver, state, live),
                false => driver.idle(&mut self.tx),
            }
        }
        self.network.iter_mut().for_each(|network| network.drive(driver, state, live));
    }

    /// Offers a transfer of a copy engine.
    fn send(&mut self, driver: &mut Driver, state: &AbstractState, live: u64) {
        let slot = driver.rng.below(self.slots);
        if live >> slot & 1 == 0 && !driver.rng.chance(self.wild / 10) {
            return driver.idle(&mut self.tx);
        }
        let transaction = state.transfer(&mut driver.rng, slot as usize, self.wild);
        self.offered = Some(transaction);
        driver.offer(&mut self.tx, &[slot, transaction.object, transaction.count, transaction.bytes]);
    }
}
