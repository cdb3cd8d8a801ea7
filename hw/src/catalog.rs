// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How each unit is made, in the sizes that are compiled in: widths of signals are const generics, so `build.rs` writes for each size what makes the units in it.
//! It has the parameters of a unit from the unit's own text, and their values from [`Size::parameters`] by name.

use crate::ports::Unit;
use bcu_isa::config::Config;
use bcu_isa::config::Size;
use bcu_isa::units::{parts, UnitName, SEVERAL, WHOLE};
use rust_hdl::prelude::Block;

/// The unit of a configuration that contains all others that are built into something: several multiprocessors where it has them.
pub fn outermost(config: &Config) -> &'static str {
    if config.has(UnitName::Gpu) {
        SEVERAL
    } else {
        WHOLE
    }
}

/// Makes the unit of a name.
type Make = fn(&Config, &str) -> Option<Box<dyn Unit>>;

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// Whether the size of the configuration is compiled in.
pub fn is_compiled(config: &Config) -> bool {
    SIZES.iter().any(|(size, _)| size.serves(config))
}

/// The unit of this name in this configuration, or nothing if there is none; connected and ready to run.
pub fn build(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    let (_, make) = SIZES.iter().find(|(size, _)| size.serves(config))?;
    config.has_unit(unit).then(|| make(config, unit)).flatten()
}

/// The units that a configuration has, the whole one last.
pub fn built(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    parts().filter(|part| config.has_unit(part)).chain([WHOLE])
}

/// Each unit is made in a frame of its own: together they would not fit the stack of a thread.
#[inline(never)]
fn connected<U: Unit + Block + 'static>(config: &Config) -> Box<dyn Unit> {
    let mut unit = Box::new(U::of_config(config));
    unit.connect_all();
    unit
}
