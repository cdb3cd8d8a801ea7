// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which units have a user.

use super::user::LegalUser;
use super::{bcu, units};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;

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
