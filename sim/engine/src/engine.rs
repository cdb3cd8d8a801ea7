// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a rust-hdl unit cycle by cycle on the calling thread.
//!
//! A cycle is: clock low with the new inputs, settle, sample, clock high, settle. Inputs never change together with the rising edge,
//! because a register inside a submodule would then take the old value while a register of the unit itself takes the new one. A cycle
//! allocates no memory.

use bcu_hw::ports::Unit;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;
use rust_hdl::core::prelude::{Atom, Block, Probe};
use std::fmt;

/// A unit that did not settle: its signals still change after as many passes as any loop-free circuit of its size needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Unsettled {
    /// Name of the unit.
    pub unit: &'static str,
    /// The cycle in which the unit did not settle, from 0.
    pub cycle: u64,
    /// Level of the clock in the half of that cycle in which the unit did not settle; true: high.
    pub clock: bool,
    /// Passes that were made over the circuit before the engine gave up.
    pub passes: usize,
    /// Paths of the signals that changed in a few further passes.
    pub signals: Vec<String>,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = if self.clock { "high" } else { "low" };
        write!(f, "unit `{}` does not settle in cycle {} with the clock {level}: ", self.unit, self.cycle)?;
        write!(f, "after {} passes these signals still change, look for a combinational loop through them: ", self.passes)?;
        write!(f, "{}", self.signals.join(", "))
    }
}

/// Called in every cycle with the settled unit before the rising edge.
type Watcher = Box<dyn FnMut(&dyn Block)>;

/// A rust-hdl unit as a device under test.
pub struct Engine {
    unit: Box<dyn Unit>,
    ports: Vec<Port>,
    inputs: usize,
    limit: usize,
    cycles: u64,
    passes: u64,
    failure: Option<Box<Unsettled>>,
    watcher: Option<Watcher>,
}

impl Engine {
    /// Connects the unit and takes ownership. The registers hold their power-up values until the first reset.
    pub fn new(mut unit: Box<dyn Unit>) -> Self {
        unit.block_mut().connect_all();
        let mut signals = CountSignals(0);
        unit.block().accept(unit.name(), &mut signals);
        let ports = unit.ports();
        let inputs = ports.iter().filter(|p| p.dir == Dir::In).count();
        // Each pass settles at least one more signal of a loop-free circuit. The signals settle twice in a cycle: before the edge and after
        // it.
        let limit = 2 * signals.0 + 16;
        Engine { unit, ports, inputs, limit, cycles: 0, passes: 0, failure: None, watcher: None }
    }

    /// The unit in its present state.
    pub fn unit(&self) -> &dyn Unit {
        &*self.unit
    }

    /// Registers `watcher`, which is called in every cycle with the settled block before the rising edge, when all signals have the values
    /// of this cycle; for example [`UnitVcd::capture`](crate::UnitVcd::capture).
    pub fn watch(&mut self, watcher: impl FnMut(&dyn Block) + 'static) {
        self.watcher = Some(Box::new(watcher));
    }

    /// Cycles executed so far.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Passes over the circuit so far. Run time grows with this number.
    pub fn passes(&self) -> u64 {
        self.passes
    }

    /// Why the engine stopped; set once, by the cycle in which the unit did not settle. From then on [`Dut::cycle`] changes neither the
    /// unit nor the outputs.
    pub fn failure(&self) -> Option<&Unsettled> {
        self.failure.as_deref()
    }

    fn settle(&mut self, clock: bool) -> bool {
        self.unit.set_clock(clock);
        let block = self.unit.block_mut();
        for pass in 1..=self.limit {
            block.update_all();
            if !block.has_changed() {
                self.passes += pass as u64;
                return true;
            }
        }
        let mut names = ChangingSignals::default();
        // One pass changes only some signals of a loop, so a few more passes are sampled.
        for _ in 0..8 {
            self.unit.block_mut().update_all();
            self.unit.block().accept(self.unit.name(), &mut names);
        }
        self.failure = Some(Box::new(Unsettled {
            unit: self.unit.name(),
            cycle: self.cycles,
            clock,
            passes: self.limit,
            signals: names.found,
        }));
        false
    }
}

impl Dut for Engine {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn cycle(&mut self, inputs: &[u64], outputs: &mut [u64]) {
        assert_eq!(inputs.len(), self.inputs, "expected one value per input port");
        assert_eq!(outputs.len(), self.ports.len() - self.inputs, "expected one value per output port");
        if self.failure.is_some() {
            return;
        }
        self.unit.drive(inputs);
        if !self.settle(false) {
            return;
        }
        self.unit.sample(outputs);
        if let Some(watcher) = &mut self.watcher {
            watcher(self.unit.block());
        }
        if self.settle(true) {
            self.cycles += 1;
        }
    }
}

struct CountSignals(usize);

impl Probe for CountSignals {
    fn visit_atom(&mut self, _: &str, _: &dyn Atom) {
        self.0 += 1;
    }
}

#[derive(Default)]
struct ChangingSignals {
    scopes: Vec<String>,
    found: Vec<String>,
}

impl Probe for ChangingSignals {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        self.scopes.push(name.to_string());
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.scopes.push(name.to_string());
    }
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        if signal.changed() {
            let path = format!("{}.{name}", self.scopes.join("."));
            if !self.found.contains(&path) {
                self.found.push(path);
            }
        }
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.scopes.pop();
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.scopes.pop();
    }
}
