// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A unit that the test clocks, with access to its ports by name.

use bcu_hw::ports::Unit;
use bcu_hw::{catalog, config};
use bcu_isa::ports::Dir;

pub struct Bench {
    unit: Box<dyn Unit>,
    inputs: Vec<(String, u64)>,
    outputs: Vec<(String, u64)>,
}

impl Bench {
    /// The unit in configuration `tiny` after a reset, with `op_ready` 1 if it has that port.
    pub fn new(unit: &str) -> Self {
        Bench::with_config("tiny", unit)
    }

    pub fn with_config(config: &str, unit: &str) -> Self {
        let unit = catalog::build(&config::by_name(config).unwrap(), unit).unwrap();
        let (inputs, outputs): (Vec<_>, Vec<_>) = unit.ports().into_iter().partition(|p| p.dir == Dir::In);
        let zeros = |ports: Vec<bcu_isa::ports::Port>| ports.into_iter().map(|p| (p.name, 0)).collect();
        let mut bench = Bench { unit, inputs: zeros(inputs), outputs: zeros(outputs) };
        bench.set(&[("reset", 1)]);
        bench.inputs.iter_mut().filter(|i| i.0 == "op_ready").for_each(|i| i.1 = 1);
        bench.cycle();
        bench.set(&[("reset", 0)]);
        bench.cycle();
        bench
    }

    pub fn set(&mut self, values: &[(&str, u64)]) {
        for (name, value) in values {
            self.inputs.iter_mut().find(|i| i.0 == *name).unwrap_or_else(|| panic!("no input {name}")).1 = *value;
        }
    }

    /// The value of an output in the last cycle.
    pub fn get(&self, name: &str) -> u64 {
        self.outputs.iter().find(|o| o.0 == name).unwrap_or_else(|| panic!("no output {name}")).1
    }

    pub fn get_all(&self, names: &[&str]) -> Vec<u64> {
        names.iter().map(|n| self.get(n)).collect()
    }

    fn settle(&mut self, clock: bool) {
        self.unit.set_clock(clock);
        for _ in 0..1000 {
            self.unit.block_mut().update_all();
            if !self.unit.block().has_changed() {
                return;
            }
        }
        panic!("the unit does not settle");
    }

    pub fn cycle(&mut self) {
        let values: Vec<u64> = self.inputs.iter().map(|i| i.1).collect();
        self.unit.drive(&values);
        self.settle(false);
        let mut outputs = vec![0; self.outputs.len()];
        self.unit.sample(&mut outputs);
        self.outputs.iter_mut().zip(outputs).for_each(|(o, value)| o.1 = value);
        self.settle(true);
    }

    pub fn cycles(&mut self, number: usize) {
        (0..number).for_each(|_| self.cycle());
    }

    /// Whether the offer of the last cycle was taken.
    pub fn takes(&self) -> bool {
        if self.outputs.iter().all(|o| o.0 != "entry_waits") {
            return self.get("in_ready") == 1;
        }
        let op_ready = self.inputs.iter().any(|(name, value)| name == "op_ready" && *value == 1);
        self.get("entry_waits") == 0 && (self.get("full") == 0 || op_ready)
    }

    /// Offers an operation until it is taken. The last cycle is the cycle of the transfer. All unnamed fields are 0.
    pub fn send(&mut self, fields: &[(&str, u64)]) {
        for (name, value) in self.inputs.iter_mut().filter(|i| i.0.starts_with("in_")) {
            *value = fields.iter().find(|f| format!("in_{}", f.0) == *name).map_or(0, |f| f.1);
        }
        self.set(&[("in_valid", 1)]);
        for _ in 0..20 {
            self.cycle();
            if self.takes() {
                self.set(&[("in_valid", 0)]);
                return;
            }
        }
        panic!("the operation is not taken");
    }

    /// Runs at most 20 cycles, until the output `name` is 1.
    pub fn until(&mut self, name: &str) {
        for _ in 0..20 {
            self.cycle();
            if self.get(name) == 1 {
                return;
            }
        }
        panic!("{name} does not become 1");
    }
}
