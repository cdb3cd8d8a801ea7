// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A configuration, by name or from a file.

use crate::diag::Source;
use crate::failure::{Failure, Result};
use bcu_isa::config;
use bcu_isa::config::{Config, NAMED};
use std::path::Path;

/// The built-in configuration `name`, or else the configuration in the file `name`. The name of a file without its extension becomes the
/// name of the configuration, which exported texts contain.
pub fn config(name: &str) -> Result<Config> {
    if let Some(config) = config::named(name) {
        return Ok(config);
    }
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        let help = format!("{}; a name with an extension is read as a TOML file", suggest(name));
        return Err(Failure::plain(format!("`{name}`: unknown configuration"), Some(&help)));
    }
    let source = Source::read(path)?;
    let stem = path.file_stem().map_or(name.into(), |s| s.to_string_lossy());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !stem.chars().all(plain) {
        let message = format!("`{stem}` cannot name a configuration");
        return Err(Failure::plain(message, Some("rename the file: letters, digits, `_` and `-` before the extension")));
    }
    config::read(&stem, &source.text).map_err(|errors| source.errors(&errors))
}

/// A help text: the most similar configuration name, if it differs by at most two edits, and all
/// names.
pub fn suggest(name: &str) -> String {
    let names: Vec<&str> = NAMED.map(|(n, _)| n).to_vec();
    let near = names.iter().map(|n| (strsim::damerau_levenshtein(n, name), n)).min().filter(|(distance, _)| *distance <= 2);
    let meant = near.map_or(String::new(), |(_, n)| format!("did you mean `{n}`? "));
    format!("{meant}the names are {}", names.join(", "))
}
