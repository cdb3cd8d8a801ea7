// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads the configurations of the project and of users, and checks that the size of a configuration is compiled in.

use crate::catalog;
use bcu_isa::config::{read, Config, NAMED};
use bcu_isa::diag::Diagnostic;

// `ADDED`: the configurations of users, as (name, TOML text). During the build the environment variable `BCU_CONFIGS` listed their files.
include!(concat!(env!("OUT_DIR"), "/added.rs"));

/// All named configurations, those of the project first, as (name, TOML text).
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMED.into_iter().chain(ADDED)
}

/// The configuration with the name `name`, from the project or from `BCU_CONFIGS`; `None` if no configuration has this name, or if its
/// text has errors.
pub fn by_name(name: &str) -> Option<Config> {
    let (name, text) = all().find(|(n, _)| *n == name)?;
    read(name, text).ok()
}

/// Reads the configuration in `text`; `name` is its name in reports and exports. A configuration whose size is not compiled in is an
/// error.
pub fn parse(name: &str, text: &str) -> Result<Config, Vec<Diagnostic>> {
    let config = read(name, text)?;
    if catalog::is_compiled(&config) {
        return Ok(config);
    }
    let message = not_compiled(&config);
    let help = format!("set BCU_CONFIGS to the path of this file and build again to compile `{name}` in");
    Err(vec![Diagnostic::new(0..text.len().min(1), message, "not compiled in").help(help)])
}

/// The message about a configuration whose size is not compiled in.
pub fn not_compiled(config: &Config) -> String {
    let Config { warps, lanes, cta_slots, .. } = config;
    format!(
        "{warps} warps of {lanes} lanes, {cta_slots} CTA slots of {} barriers: this size, with the other numbers of the configuration, is not compiled in",
        config.ids()
    )
}
