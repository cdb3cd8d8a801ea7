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
use bcu_isa::config::{self, Config, NAMED};
use clap::{Parser, Subcommand};
use std::path::Path;

const OVERVIEW: &str = "\
Start with:
  bcu run                              a built-in producer and consumer: what happened, as a table
  bcu run program.ptx --wave out.vcd   your own program, and its waveform
  bcu check program.ptx                what is wrong with it, where, and what to do
  bcu kernels program.ptx              its kernels, with what a launch must give them
  bcu export --config small            the unit as Verilog
  bcu replay dump.vcd --unit named     your simulation of that Verilog against the model
  bcu help run                         all about programs and machines

Exit codes, of every command:
  0  all good
  1  a check failed: a hung or unfinished run, a fault or a finding, no instruction, a failed test
  2  could not run: wrong arguments, unreadable or wrong input, unwritable output";

/// Runs barrier programs on a GPU barrier unit, cycle by cycle, and exports the unit as Verilog.
#[derive(Parser)]
#[command(name = "bcu", version, after_help = OVERVIEW, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Run(run::Args),
    Check(check::Args),
    Kernels(kernels::Args),
    Export(export::Args),
    Asm(asm::Args),
    Disasm(disasm::Args),
    Configs(configs::Args),
    Regress(regress::Args),
    Replay(replay::Args),
    Completions(completions::Args),
}

/// The configuration of this name, or in this file. A file's name without its ending becomes the configuration's name, which
/// stands in the exported texts.
pub fn config(name: &str) -> Result<Config> {
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

/// The name that was meant, if one is near, and all names.
fn suggest(name: &str) -> String {
    let names: Vec<&str> = NAMED.map(|(n, _)| n).to_vec();
    let near = names.iter().map(|n| (strsim::damerau_levenshtein(n, name), n)).min().filter(|(distance, _)| *distance <= 2);
    let meant = near.map_or(String::new(), |(_, n)| format!("did you mean `{n}`? "));
    format!("{meant}the names are {}", names.join(", "))
}
