// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A unit whose ports are driven and read by name, and a seeded source of random numbers.

use bcu_hw::ports::Dir;
use bcu_sim::dut::Dut;
use bcu_sim::model::{by_name, Sizes};

pub struct Bench {
    dut: Box<dyn Dut>,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl Bench {
    /// A unit after one cycle of reset, all inputs 0.
    pub fn new(unit: &str, sizes: Sizes) -> Bench {
        let dut = by_name(unit, sizes).unwrap();
        let count = |dir| dut.ports().iter().filter(|p| p.dir == dir).count();
        let (inputs, outputs) = (vec![0; count(Dir::In)], vec![0; count(Dir::Out)]);
        let mut bench = Bench { dut, inputs, outputs };
        bench.reset();
        bench
    }

    /// One cycle of reset; other inputs stay as they are.
    pub fn reset(&mut self) {
        self.set("reset", 1);
        self.cycle();
        self.set("reset", 0);
    }

    fn index(&self, dir: Dir, name: &str) -> usize {
        let mut ports = self.dut.ports().iter().filter(|p| p.dir == dir);
        ports.position(|p| p.name == name).unwrap_or_else(|| panic!("no {dir:?} port {name}"))
    }

    pub fn set(&mut self, name: &str, value: u64) {
        let index = self.index(Dir::In, name);
        self.inputs[index] = value;
    }

    /// What an input is driven with.
    pub fn input(&self, name: &str) -> u64 {
        self.inputs[self.index(Dir::In, name)]
    }

    pub fn set_all(&mut self, values: &[(&str, u64)]) {
        values.iter().for_each(|(name, value)| self.set(name, *value));
    }

    /// One clock cycle; afterwards [`Bench::get`] has what stood at the outputs in it.
    pub fn cycle(&mut self) {
        self.dut.cycle(&self.inputs, &mut self.outputs);
    }

    pub fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    /// An output in the last cycle.
    pub fn get(&self, name: &str) -> u64 {
        self.outputs[self.index(Dir::Out, name)]
    }

    pub fn all(&self, names: &[&str]) -> Vec<u64> {
        names.iter().map(|name| self.get(name)).collect()
    }

    /// Cycles until the output is 1, the one in which it is counted; gives up after 2000.
    pub fn until(&mut self, name: &str) -> u64 {
        (1..=2000)
            .find(|_| {
                self.cycle();
                self.get(name) == 1
            })
            .unwrap_or_else(|| panic!("{name} stays 0"))
    }

    /// Drives the channel with these payload values until the cycle of its transfer, then takes `valid` back.
    pub fn send(&mut self, channel: &str, payload: &[(&str, u64)]) {
        payload.iter().for_each(|(name, value)| self.set(&format!("{channel}_{name}"), *value));
        self.set(&format!("{channel}_valid"), 1);
        self.until(&format!("{channel}_ready"));
        self.set(&format!("{channel}_valid"), 0);
    }
}

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True once in `of` times.
    pub fn one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

/// The seed of the only run asked for with `BCU_SEED`, or `count` seeds; a failing run prints how to repeat it.
pub fn for_seeds(test: &str, count: u64, run: impl Fn(u64) + std::panic::RefUnwindSafe) {
    let seeds = match std::env::var("BCU_SEED") {
        Ok(seed) => vec![seed.parse().expect("BCU_SEED: expected a decimal number")],
        Err(_) => (1..=count).collect(),
    };
    for seed in seeds {
        if let Err(cause) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("seed {seed}; repeat with: BCU_SEED={seed} cargo test -p bcu-sim --test model {test}");
            std::panic::resume_unwind(cause);
        }
    }
}

pub fn tiny() -> Sizes {
    Sizes::new(4, 4, 1, 4, 4, 3).unwrap()
}

pub fn small() -> Sizes {
    Sizes::new(8, 4, 2, 8, 4, 3).unwrap()
}

pub fn default_sizes() -> Sizes {
    Sizes::new(32, 32, 8, 16, 4, 15).unwrap()
}

pub fn large() -> Sizes {
    Sizes::new(64, 32, 32, 16, 4, 15).unwrap()
}
