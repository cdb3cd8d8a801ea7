// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One file per command: its arguments and what it does.

pub mod asm;
pub mod completions;
pub mod configs;
pub mod disasm;
pub mod export;
pub mod regress;
pub mod run;

use crate::diag::Source;
use crate::failure::{Failure, Result};
use crate::files;
use bcu_hw::config::{self, Config, NAMED};
use std::path::Path;

/// The configuration of this name, or in this file.
pub fn config(name: &str) -> Result<Config> {
    if let Some(config) = config::named(name) {
        return Ok(config);
    }
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        let names: Vec<&str> = NAMED.iter().map(|(n, _)| *n).collect();
        let help = format!("the names are {}; anything else is taken as a TOML file", names.join(", "));
        return Err(Failure::plain(format!("there is no configuration `{name}`"), Some(&help)));
    }
    let source = Source { name: name.to_string(), text: files::read(path)? };
    let stem = path.file_stem().map_or(name.to_string(), |s| s.to_string_lossy().into_owned());
    config::parse(&stem, &source.text).map_err(|errors| source.errors(&errors))
}
