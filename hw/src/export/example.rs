// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `example_bcu_named.v`: an example of how `named` is used, a bench that checks itself, for whoever has the export alone.

use super::set::{generated, Export, LICENCE};
use crate::verilog::{module_name, PREFIX};

/// Its text, for the names of the prefix `bcu`.
const TEXT: &str = include_str!("example_named.v");

/// Its file and text, where the unit has the warps and barriers that it uses.
pub fn named(export: &Export, units: &[&str]) -> Option<(String, String)> {
    let config = export.config;
    if !units.contains(&"named") || config.warps < 2 || config.ids() < 4 {
        return None;
    }
    let module = module_name(export.prefix, "named");
    let text = TEXT
        .replace(&format!("`{}_", PREFIX.to_uppercase()), &format!("`{}_", export.prefix.to_uppercase()))
        .replace(&format!("{PREFIX}_defs.vh"), &export.defs())
        .replace(&module_name(PREFIX, "named"), &module);
    Some((format!("example_{module}.v"), format!("// SPDX-License-Identifier: {LICENCE}\n// {}\n{text}", generated())))
}
