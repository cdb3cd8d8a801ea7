// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of every legal user of a single unit: the unit's input ports, a ledger, and an initial reset of a few cycles.

use super::ledger::Ledger;
use super::pins::Pins;
use crate::legal::user::LegalUser;
use crate::stimulus::Rng;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort};

pub struct Base {
    pub pins: Pins,
    pub ledger: Ledger,
    reset: Input,
    /// Remaining cycles of the reset.
    resets: u64,
}

impl Base {
    /// # Errors
    /// If the unit has no port `reset`.
    pub fn new(ports: &[Port], rng: &mut Rng) -> Result<Base, NoPort> {
        let reset = ports.input("reset")?;
        Ok(Base { pins: Pins::new(ports), ledger: Ledger::default(), reset, resets: rng.range(1, 3) })
    }
}

/// A legal user of a single unit; the implementation of [`LegalUser`] for it adds the initial reset.
pub trait UnitUser {
    fn base(&self) -> &Base;
    fn base_mut(&mut self) -> &mut Base;
    /// Checks the outputs of a cycle and sets the inputs of the same cycle.
    fn play_cycle(&mut self, outputs: &[u64]);
    /// Called in every cycle before `play_cycle`, and also in cycles of the reset, in which `play_cycle` is not called.
    fn prepare(&mut self, _is_reset: bool) {}
}

impl<U: UnitUser> LegalUser for U {
    fn drive(&mut self, outputs: &[u64]) -> &[u64] {
        let base = self.base_mut();
        let is_reset = base.ledger.cycle < base.resets;
        base.pins.set(base.reset, is_reset.into());
        self.prepare(is_reset);
        if !is_reset {
            self.play_cycle(outputs);
        }
        let base = self.base_mut();
        base.ledger.cycle += 1;
        &base.pins.inputs
    }

    fn failure(&self) -> Option<&str> {
        self.base().ledger.failure()
    }

    fn figures(&self) -> Vec<(String, u64)> {
        self.base().ledger.figures()
    }
}

/// The accessors of a user's [`Base`], equal for all users.
macro_rules! has_base {
    () => {
        fn base(&self) -> &super::base::Base {
            &self.base
        }

        fn base_mut(&mut self) -> &mut super::base::Base {
            &mut self.base
        }
    };
}

pub(super) use has_base;
