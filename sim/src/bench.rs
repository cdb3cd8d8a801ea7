// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A device driven by the names of its ports, for tests and measurements that play one scene.

use crate::dut::Dut;
use bcu_hw::ports::Dir;

/// How many cycles a channel or a port may keep a scene waiting: far above any latency of a unit.
const PATIENCE: u64 = 10_000;

/// A device whose inputs keep their values until they are set anew. A name that is no port is a mistake in the scene: it panics.
pub struct Bench {
    dut: Box<dyn Dut>,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    cycles: u64,
}

impl Bench {
    /// All inputs 0, after one cycle of reset.
    pub fn new(dut: Box<dyn Dut>) -> Bench {
        let count = |dir| dut.ports().iter().filter(|p| p.dir == dir).count();
        let (inputs, outputs) = (vec![0; count(Dir::In)], vec![0; count(Dir::Out)]);
        let mut bench = Bench { dut, inputs, outputs, cycles: 0 };
        bench.reset();
        bench
    }

    /// One cycle of reset; other inputs stay as they are.
    pub fn reset(&mut self) {
        self.set("reset", 1);
        self.cycle();
        self.set("reset", 0);
    }

    /// Whether there is such a port.
    pub fn has(&self, name: &str) -> bool {
        self.dut.ports().iter().any(|p| p.name == name)
    }

    fn index(&self, dir: Dir, name: &str) -> usize {
        let mut ports = self.dut.ports().iter().filter(|p| p.dir == dir);
        ports.position(|p| p.name == name).unwrap_or_else(|| panic!("no {dir:?} port {name}"))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let index = self.index(Dir::In, name);
        self.inputs[index] = value;
    }

    pub fn set_all(&mut self, values: &[(&str, u64)]) {
        values.iter().for_each(|(name, value)| self.set(name, *value));
    }

    /// What an input is driven with.
    pub fn input(&self, name: &str) -> u64 {
        self.inputs[self.index(Dir::In, name)]
    }

    /// An output in the last cycle.
    pub fn get(&self, name: &str) -> u64 {
        self.outputs[self.index(Dir::Out, name)]
    }

    /// Outputs in the last cycle.
    pub fn all(&self, names: &[&str]) -> Vec<u64> {
        names.iter().map(|name| self.get(name)).collect()
    }

    /// One clock cycle.
    pub fn cycle(&mut self) {
        self.dut.cycle(&self.inputs, &mut self.outputs);
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

    /// Cycles from the last one to the one in which the output is not 0.
    pub fn until(&mut self, port: &str) -> u64 {
        self.wait(|bench| bench.get(port) != 0)
    }

    /// Cycles, at least one, to the first after which this holds.
    pub fn wait(&mut self, mut done: impl FnMut(&mut Bench) -> bool) -> u64 {
        for cycles in 1..=PATIENCE {
            self.cycle();
            if done(self) {
                return cycles;
            }
        }
        panic!("nothing comes in {PATIENCE} cycles")
    }
}
