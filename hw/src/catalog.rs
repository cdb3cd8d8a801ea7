// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Constructors of the units, for the sizes that are compiled in. Signal widths are const generics, so `build.rs` writes one set of
//! constructors for each size. `build.rs` reads the names of a unit's parameters from the unit's source text, and their values from
//! [`Size::parameters`] by name.

use crate::ports::Unit;
use bcu_isa::config::Config;
use bcu_isa::config::Size;
use bcu_isa::units::{parts, UnitName, SEVERAL, WHOLE};
use rust_hdl::prelude::Block;

/// The outermost unit of a configuration: `gpu` if the configuration has several multiprocessors, else `bcu`.
pub fn outermost(config: &Config) -> &'static str {
    if config.has(UnitName::Gpu) {
        SEVERAL
    } else {
        WHOLE
    }
}

/// Constructor of one compiled-in size: makes the unit of the given name; `None` if no unit has that name.
type Make = fn(&Config, &str) -> Option<Box<dyn Unit>>;

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// Whether the size of the configuration is compiled in.
pub fn is_compiled(config: &Config) -> bool {
    SIZES.iter().any(|(size, _)| size.serves(config))
}

/// The unit `unit` of the configuration `config`, connected and ready to run; `None` if the configuration has no such unit or its size is
/// not compiled in.
pub fn build(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    let (_, make) = SIZES.iter().find(|(size, _)| size.serves(config))?;
    config.has_unit(unit).then(|| make(config, unit)).flatten()
}

/// The units of the configuration `config`; the last is `bcu`, the whole unit.
pub fn built(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    parts().filter(|part| config.has_unit(part)).chain([WHOLE])
}

/// Makes and connects one unit. The function is never inlined, so each unit has a separate stack frame: in one frame, all units together
/// would overflow the stack of a thread.
#[inline(never)]
fn connected<U: Unit + Block + 'static>(config: &Config) -> Box<dyn Unit> {
    let mut unit = Box::new(U::of_config(config));
    unit.connect_all();
    unit
}
