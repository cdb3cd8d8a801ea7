// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu` in a run: idle cycles are only counted, and the unit catches up when its inputs change or when something happens in it.

use super::bcu::{Bcu, BcuIn, BcuOut};
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};

/// The first number of cycles with unchanged inputs after which the unit is examined; later examinations follow at doubled numbers.
const FIRST_EXAMINATION: u32 = 2;

/// `bcu`, which sleeps in idle cycles. In every cycle its outputs are those of `bcu`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sleeper {
    bcu: Bcu,
    /// The inputs of the last cycle.
    inputs: BcuIn,
    outputs: BcuOut,
    /// The number of cycles before this one with these inputs.
    unchanged: u32,
    /// The idle cycles that `bcu` has not made up for.
    slept: u64,
    /// The number of further cycles that are idle while the inputs do not change.
    idle: u64,
    /// The state before the last examined cycle; kept so that no examination allocates memory.
    before: Bcu,
}

impl Sleeper {
    /// The unit. While it sleeps, its state lacks only what advances in idle cycles.
    pub fn bcu(&self) -> &Bcu {
        &self.bcu
    }

    /// The number of cycles that are idle while the inputs do not change.
    pub fn idle_cycles(&self) -> u64 {
        self.idle
    }

    /// Advances by `cycles` idle cycles, at most [`Sleeper::idle_cycles`].
    pub fn sleep(&mut self, cycles: u64) {
        self.slept += cycles;
        self.idle -= cycles;
    }

    /// Whether the inputs are those of the last cycle. Without a fault, `fault_ready` has no effect.
    fn is_unchanged(&self, inputs: &BcuIn) -> bool {
        let fault_ready = if self.outputs.fault_valid { inputs.fault_ready } else { self.inputs.fault_ready };
        BcuIn { fault_ready, ..*inputs } == self.inputs
    }
}

impl Clocked for Sleeper {
    type Inputs = BcuIn;
    type Outputs = BcuOut;

    fn new(sizes: Sizes) -> Sleeper {
        let bcu = Bcu::new(sizes);
        let outputs = bcu.outputs();
        let before = bcu.clone();
        Sleeper { bcu, inputs: BcuIn::default(), outputs, unchanged: 0, slept: 0, idle: 0, before }
    }

    fn ports(inputs: &mut BcuIn, outputs: &mut BcuOut, at: &mut Walk<impl PortAction>) {
        Bcu::ports(inputs, outputs, at);
    }

    fn outputs(&self) -> BcuOut {
        self.outputs
    }

    fn continue_sleep(&mut self) -> bool {
        let sleeps = self.idle > 0;
        self.sleep(u64::from(sleeps));
        sleeps
    }

    fn clock(&mut self, inputs: &BcuIn) {
        let is_unchanged = self.is_unchanged(inputs);
        if is_unchanged && self.idle > 0 {
            self.sleep(1);
            return;
        }
        self.bcu.idle(std::mem::take(&mut self.slept));
        self.idle = 0;
        self.unchanged = if is_unchanged { self.unchanged.saturating_add(1) } else { 0 };
        let is_examined = self.unchanged >= FIRST_EXAMINATION && self.unchanged.is_power_of_two();
        if is_examined {
            self.before.clone_from(&self.bcu);
        }
        self.bcu.clock(inputs);
        self.inputs = *inputs;
        self.outputs = self.bcu.outputs();
        self.idle = if is_examined { self.bcu.idle_cycles(&mut self.before) } else { 0 };
    }
}
