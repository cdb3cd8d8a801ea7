// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Users of a unit that keep its contract: random legal programs, and checks of what the unit does for them.
//!
//! Lockstep compares two readings of the same pages; a user here compares the unit with what its user may expect. Its inputs never break a
//! promise, so every fault, every lost wake-up and every early release is a failure of the unit (or of its pages).

mod bcu;
mod run;
mod units;

pub use run::{campaign, LegalError, EPISODE};

use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;

/// A user of a unit that keeps every sentence which the contract addresses to the user, and checks what the unit does for it.
pub trait LegalUser {
    /// The inputs of this cycle, one value per input port in port order. `outputs` holds the outputs of this same cycle, in port order: no output depends on an input of its cycle.
    fn drive(&mut self, outputs: &[u64]) -> &[u64];
    /// What the unit did wrong up to now: a fault that nobody earned, an effect that is lost, early or wrong, a wait that does not end.
    fn failure(&self) -> Option<&str>;
    /// What was done, as lines `name count`, for the report of a run (barriers completed, accesses, exits, launches, worst waits ...).
    fn figures(&self) -> Vec<(String, u64)>;
}

/// The user of a unit of the given port list and configuration; `None` if there is none for this unit.
pub fn for_unit(unit: &str, ports: &[Port], config: &Config, seed: u64) -> Option<Box<dyn LegalUser>> {
    match unit {
        WHOLE => Some(Box::new(bcu::Core::new(ports, config, seed))),
        // Only a port that is missing leaves a unit without its user.
        _ => units::for_unit(unit, ports, config, seed).ok().flatten(),
    }
}

/// The units of a configuration that have a user.
pub fn users_of(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    bcu_hw::catalog::built(config).filter(|unit| *unit == WHOLE || units::UNITS.contains(unit))
}
