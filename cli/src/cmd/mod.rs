// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One file per command: its arguments and what it does.

pub mod asm;
pub mod case;
pub mod check;
pub mod completions;
pub mod configs;
pub mod disasm;
pub mod export;
pub mod kernels;
pub mod regress;
pub mod replay;
pub mod run;

use crate::diag::Source;
use crate::failure::{Failure, Result};
use bcu_hw::catalog;
use bcu_hw::config;
use bcu_isa::config::Config;
use std::env;
use std::path::Path;

/// The configuration of this name, or in this file. A file's name without its ending becomes the configuration's name, which
/// stands in the exported texts. It need not be compiled in.
pub fn described(name: &str) -> Result<Config> {
    if let Some(config) = config::named(name) {
        return Ok(config);
    }
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        let help = format!("{}; anything with an ending is taken as a TOML file", suggest(name));
        return Err(Failure::plain(format!("there is no configuration `{name}`"), Some(&help)));
    }
    let source = Source::read(path)?;
    let stem = path.file_stem().map_or(name.into(), |s| s.to_string_lossy());
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !stem.chars().all(plain) {
        let message = format!("`{stem}` cannot name a configuration");
        return Err(Failure::plain(message, Some("rename the file: letters, digits, `_` and `-` before the ending")));
    }
    config::read(&stem, &source.text).map_err(|errors| source.errors(&errors))
}

/// As [`described`], of a size that is compiled in.
pub fn config(name: &str) -> Result<Config> {
    let config = described(name)?;
    if !catalog::is_compiled(&config) {
        let help = format!(
            "in the project's folder, this compiles it in and does what was asked:\n  {}",
            compiling(name, Path::new(name))
        );
        return Err(Failure::plain(format!("{name}: {}", config::not_compiled(&config)), Some(&help)));
    }
    Ok(config)
}

/// The command that was given, with this file's configuration compiled in first.
fn compiling(name: &str, path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or(path.to_path_buf()).display().to_string();
    let quoted = |text: &str| match text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c)) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    };
    let asked = env::args().skip(1).map(|argument| match argument == name {
        true => quoted(&path),
        false => quoted(&argument),
    });
    format!("BCU_CONFIGS={} cargo run -- {}", quoted(&path), asked.collect::<Vec<_>>().join(" "))
}

/// The name that was meant, if one is near, and all names.
fn suggest(name: &str) -> String {
    let names: Vec<&str> = config::all().map(|(n, _)| n).collect();
    let near = names.iter().map(|n| (strsim::damerau_levenshtein(n, name), n)).min().filter(|(distance, _)| *distance <= 2);
    let meant = near.map_or(String::new(), |(_, n)| format!("did you mean `{n}`? "));
    format!("{meant}the names are {}", names.join(", "))
}
