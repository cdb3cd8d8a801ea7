// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lists which units have a legal user.

use super::user::LegalUser;
use super::{bcu, units};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;

/// The legal user of a unit with the given port list and configuration; `None` if the unit has none.
pub fn for_unit(unit: &str, ports: &[Port], config: &Config, seed: u64) -> Option<Box<dyn LegalUser>> {
    match unit {
        WHOLE => Some(Box::new(bcu::Core::new(ports, config, seed))),
        // A missing port is the only possible error here, and a unit that lacks a port has no legal user.
        _ => units::for_unit(unit, ports, config, seed).ok().flatten(),
    }
}

/// The units of a configuration that have a legal user.
pub fn users_of(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    bcu_hw::catalog::built(config).filter(|unit| *unit == WHOLE || units::UNITS.contains(unit))
}
