// SPDX-License-Identifier: Apache-2.0 OR MIT
//! In which order operations pass inside of the unit, taken from its model, which runs beside it on the same inputs.
//!
//! An operation that waits for memory is overtaken by those of other warps, and no port says by which: it follows from the cycles
//! of `docs/interface.md`. What the operations mean the book of arrivals works out itself.

use crate::model::op::{Code, Kind, Operation};
use crate::model::sizes::{Parts, SizeError};
use crate::model::{Bcu, Model, Sizes};
use bcu_hw::config::Config;

/// What an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Instruction,
    Exit,
    Launch,
    Release,
    Deadlock,
}

/// An operation that was transferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub what: What,
    /// Warp slot.
    pub warp: usize,
    /// CTA slot.
    pub cta: usize,
}

impl Passed {
    fn new(op: &Operation) -> Passed {
        let what = match op.kind {
            Kind::Launch if op.fault == Code::Deadlock => What::Deadlock,
            Kind::Launch => What::Launch,
            Kind::Release => What::Release,
            Kind::Exit => What::Exit,
            _ => What::Instruction,
        };
        Passed { what, warp: op.warp.into(), cta: op.cta.into() }
    }
}

/// The model of the unit beside the unit.
pub(super) struct Beside {
    model: Model<Bcu>,
}

impl Beside {
    pub fn new(sizes: &Config) -> Result<Beside, SizeError> {
        let [warps, lanes, slots, barriers] = [sizes.warps, sizes.lanes, sizes.cta_slots, sizes.barriers].map(|n| n as u32);
        let Config { reductions, faults, state_words, .. } = *sizes;
        let size = Sizes::new(warps, lanes, slots, barriers, sizes.pack_lsb as u32, sizes.max_outstanding as u32)?;
        let model = Model::new(size.with(Parts { reductions, faults, state_words }));
        Ok(Beside { model })
    }

    /// One cycle with the inputs of the unit; gives what entered `gather` and what entered `named`.
    pub fn cycle(&mut self, inputs: &[u64]) -> [Option<Passed>; 2] {
        let passing = self.model.unit().passing();
        self.model.clock(inputs);
        passing.map(|op| op.map(|op| Passed::new(&op)))
    }
}
