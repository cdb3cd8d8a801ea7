// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `example_bcu_named.v`: a self-checking bench that shows the use of `named`, for users who have only the export.

use super::set::{generated, Export, LICENCE};
use crate::verilog::{module_name, PREFIX};

/// The text of the bench, with the names of the prefix `bcu`.
const TEXT: &str = include_str!("example_named.v");

/// File name and text of the bench; `None` if `units` has no `named`, or the configuration has fewer warps or barriers than the bench
/// uses.
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
    let text = if export.reset.is_async_low { text.replace(".reset(reset)", ".reset_n(!reset)") } else { text };
    Some((format!("example_{module}.v"), format!("// SPDX-License-Identifier: {LICENCE}\n// {}\n{text}", generated())))
}
