// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A device driven by the names of its ports, for tests and measurements that play one scene.

use crate::dut::{ByName, Dut, Input, Pins};

/// How many cycles a channel or a port may keep a scene waiting: far above any latency of a unit.
const PATIENCE: u64 = 10_000;

/// A device under names. A name that is no port is a mistake in the scene: it panics.
pub struct Bench<D = Box<dyn Dut>> {
    pins: Pins<D>,
    cycles: u64,
}

impl<D: Dut> Bench<D> {
    /// All inputs 0, after one cycle of reset.
    pub fn new(dut: D) -> Bench<D> {
        let mut bench = Bench { pins: Pins::new(dut), cycles: 0 };
        bench.reset();
        bench
    }

    /// One cycle of reset; other inputs stay as they are.
    pub fn reset(&mut self) {
        self.set("reset", 1);
        self.cycle();
        self.set("reset", 0);
    }

    /// Whether there is such an input.
    pub fn has_input(&self, name: &str) -> bool {
        self.pins.ports().input(name).is_ok()
    }

    fn input_at(&self, name: &str) -> Input {
        self.pins.ports().input(name).unwrap_or_else(|none| panic!("{none}"))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        self.pins.set(self.input_at(name), value);
    }

    pub fn set_all(&mut self, values: &[(&str, u64)]) {
        values.iter().for_each(|(name, value)| self.set(name, *value));
    }

    /// What an input is driven with.
    pub fn input(&self, name: &str) -> u64 {
        self.pins.driven(self.input_at(name))
    }

    /// An output in the last cycle.
    pub fn get(&self, name: &str) -> u64 {
        self.pins.get(self.pins.ports().output(name).unwrap_or_else(|none| panic!("{none}")))
    }

    /// Outputs in the last cycle.
    pub fn all(&self, names: &[&str]) -> Vec<u64> {
        names.iter().map(|name| self.get(name)).collect()
    }

    /// One clock cycle.
    pub fn cycle(&mut self) {
        self.pins.cycle();
        self.cycles += 1;
    }

    pub fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    /// Cycles made so far.
    pub fn now(&self) -> u64 {
        self.cycles
    }

    /// Offers a payload on a channel, its fields named without the channel; [`Bench::taken`] tells when it was taken.
    pub fn offer(&mut self, channel: &str, payload: &[(&str, u64)]) {
        self.set(&format!("{channel}_valid"), 1);
        payload.iter().for_each(|(name, value)| self.set(&format!("{channel}_{name}"), *value));
    }

    /// Whether the channel's offer was taken in the last cycle; it is withdrawn then.
    pub fn taken(&mut self, channel: &str) -> bool {
        let taken = self.get(&format!("{channel}_ready")) == 1;
        if taken {
            self.set(&format!("{channel}_valid"), 0);
        }
        taken
    }

    /// Offers a payload until it is taken; the last cycle is the transfer's.
    pub fn send(&mut self, channel: &str, payload: &[(&str, u64)]) {
        self.offer(channel, payload);
        self.wait(|bench| bench.taken(channel));
    }

    /// One cycle with this on a strobe.
    pub fn strobe(&mut self, name: &str, payload: &[(&str, u64)]) {
        self.offer(name, payload);
        self.cycle();
        self.set(&format!("{name}_valid"), 0);
    }

    /// Cycles from the last one to the one in which the output is not 0.
    pub fn until(&mut self, port: &str) -> u64 {
        self.wait(|bench| bench.get(port) != 0)
    }

    /// Cycles, at least one, to the first after which this holds.
    pub fn wait(&mut self, mut done: impl FnMut(&mut Bench<D>) -> bool) -> u64 {
        for cycles in 1..=PATIENCE {
            self.cycle();
            if done(self) {
                return cycles;
            }
        }
        panic!("nothing comes in {PATIENCE} cycles")
    }
}
