// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Drives a device by its port names, for tests and measurements of a single scenario.

use crate::dut::{ByName, Dut, Input, Pins};

/// The most cycles that a scenario may wait for a channel or a port: far above any latency of a unit.
const PATIENCE: u64 = 10_000;

/// A device with named ports. A name without a port is an error in the scenario and panics.
pub struct Bench<D = Box<dyn Dut>> {
    pins: Pins<D>,
    cycles: u64,
}

impl<D: Dut> Bench<D> {
    /// Starts with all inputs 0, after one cycle of reset.
    pub fn new(dut: D) -> Bench<D> {
        let mut bench = Bench { pins: Pins::new(dut), cycles: 0 };
        bench.reset();
        bench
    }

    /// Applies reset for one cycle; other inputs keep their values.
    pub fn reset(&mut self) {
        self.set("reset", 1);
        self.cycle();
        self.set("reset", 0);
    }

    /// Whether the device has this input.
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

    /// The value driven on an input.
    pub fn input(&self, name: &str) -> u64 {
        self.pins.driven(self.input_at(name))
    }

    /// The value of an output in the last cycle.
    pub fn get(&self, name: &str) -> u64 {
        self.pins.get(self.pins.ports().output(name).unwrap_or_else(|none| panic!("{none}")))
    }

    /// The values of outputs in the last cycle.
    pub fn get_all(&self, names: &[&str]) -> Vec<u64> {
        names.iter().map(|name| self.get(name)).collect()
    }

    /// Runs one clock cycle.
    pub fn cycle(&mut self) {
        self.pins.cycle();
        self.cycles += 1;
    }

    pub fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    /// The number of cycles run so far.
    pub fn cycle_count(&self) -> u64 {
        self.cycles
    }

    /// Offers a payload on a channel; field names omit the channel's name. [`Bench::finish_transfer`] reports the transfer.
    pub fn offer(&mut self, channel: &str, payload: &[(&str, u64)]) {
        self.set(&format!("{channel}_valid"), 1);
        payload.iter().for_each(|(name, value)| self.set(&format!("{channel}_{name}"), *value));
    }

    /// Whether the channel's offer was transferred in the last cycle; a transfer withdraws the offer.
    pub fn finish_transfer(&mut self, channel: &str) -> bool {
        let transferred = self.get(&format!("{channel}_ready")) == 1;
        if transferred {
            self.set(&format!("{channel}_valid"), 0);
        }
        transferred
    }

    /// Offers a payload and runs cycles until its transfer. The last cycle run is the cycle of the transfer.
    pub fn send(&mut self, channel: &str, payload: &[(&str, u64)]) {
        self.offer(channel, payload);
        self.wait(|bench| bench.finish_transfer(channel));
    }

    /// Runs one cycle with this payload on a strobe.
    pub fn strobe(&mut self, name: &str, payload: &[(&str, u64)]) {
        self.offer(name, payload);
        self.cycle();
        self.set(&format!("{name}_valid"), 0);
    }

    /// Runs until the output is not 0, and returns the number of cycles.
    pub fn until(&mut self, port: &str) -> u64 {
        self.wait(|bench| bench.get(port) != 0)
    }

    /// Runs at least one cycle, until this condition holds after a cycle, and returns the number of cycles.
    pub fn wait(&mut self, mut done: impl FnMut(&mut Bench<D>) -> bool) -> u64 {
        for cycles in 1..=PATIENCE {
            self.cycle();
            if done(self) {
                return cycles;
            }
        }
        panic!("no event in {PATIENCE} cycles")
    }
}
