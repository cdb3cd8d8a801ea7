// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu export`: a configuration as Verilog-2005.

use super::config;
use crate::failure::{print, Failure, Outcome, Result};
use crate::files::Batch;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  bcu export                                the configuration `default` into verilog-out/default
  bcu export --config small --out rtl       another one, elsewhere
  bcu export --unit named --out rtl         the named barriers alone
  bcu export --unit gpu --out rtl           several multiprocessors with their hubs
  bcu export --config small --prefix small  modules `small`, `small_named`, ..., beside others
  bcu configs small > mine.toml             a configuration of your own: change it, then
  bcu export --config mine.toml

Every unit has a file, `bcu.v` the whole: it instantiates what is in the others, and no module is
in two of them, so `cat` makes one file of all. `bcu.vlt` are lint waivers for Verilator,
`bcu.core` describes the export to FuseSoC, `Bender.yml` to Bender, `manifest.json` to scripts,
`bcu_defs.vh` has its numbers as macros, `tb_bcu_named.v` is a bench. The names of the files
written are printed. Either all are written or none; a file that no export wrote stays as it is.

Exit codes: 0 all good, 2 wrong or unreadable configuration, no such unit, or a file that cannot
be written or is not an export's.";

/// Export a unit, with those that it is made of, as Verilog-2005, with what tools need beside it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Name of a configuration (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    config: String,
    /// Unit to export: `bcu` is one multiprocessor, `gpu` several, the others are parts of these.
    #[arg(long, default_value = "bcu", value_parser = clap::builder::PossibleValuesParser::new(bcu_isa::units::UNITS))]
    unit: String,
    /// What the names of modules and files begin with, and macros in capitals; the whole unit has this name alone.
    #[arg(long, default_value = bcu_hw::verilog::PREFIX, value_name = "NAME", value_parser = prefix)]
    prefix: String,
    /// Folder to write to; made if it does not exist. Default: `verilog-out/` and the configuration's name.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: Args) -> Result {
    let config = config(&args.config)?;
    let folder = args.out.unwrap_or_else(|| PathBuf::from("verilog-out").join(&config.name));
    let texts = bcu_hw::export::files(&config, &args.unit, &args.prefix).map_err(|e| Failure::plain(e, None))?;
    let (mut batch, mut list) = (Batch::default(), String::new());
    for (name, text) in texts {
        let path = folder.join(name);
        is_replaceable(&path)?;
        batch.add(&path, &text)?;
        list += &format!("{}\n", path.display());
    }
    batch.commit()?;
    print(&list)?;
    Ok(Outcome::Good)
}

/// A prefix is an identifier of Verilog.
fn prefix(text: &str) -> std::result::Result<String, String> {
    match bcu_hw::verilog::is_identifier(text) {
        true => Ok(text.to_string()),
        false => Err("expected a name of Verilog: letters, digits and `_`, no digit first, no keyword".to_string()),
    }
}

/// Refuses a path where something stands that no export wrote.
fn is_replaceable(path: &Path) -> Result<()> {
    let foreign = match std::fs::read_to_string(path) {
        Ok(text) => !text.contains(bcu_hw::export::MARK),
        Err(error) => error.kind() == ErrorKind::InvalidData,
    };
    if !foreign {
        return Ok(());
    }
    let message = format!("{} is there and was not written by `bcu export`", path.display());
    Err(Failure::plain(message, Some("move it away, or name another folder with `--out`")))
}
