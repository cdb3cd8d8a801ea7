// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu export`: a configuration as Verilog-2005.

use super::config;
use crate::failure::{print, Failure, Outcome, Result};
use crate::files;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu export                                the configuration `default` into verilog-out/default
  bcu export --config small --out rtl       another one, elsewhere
  bcu configs small > mine.toml             a configuration of your own: change it, then
  bcu export --config mine.toml";

/// Export the unit, and each of its parts alone, as Verilog-2005, with lint waivers, core file and manifest.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Name of a configuration (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    config: String,
    /// Folder to write to; made if it does not exist. Default: `verilog-out/` and the configuration's name.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn run(args: Args) -> Result {
    let config = config(&args.config)?;
    let folder = args.out.unwrap_or_else(|| PathBuf::from("verilog-out").join(&config.name));
    let texts = bcu_hw::export::files(&config).map_err(|e| Failure::plain(e, None))?;
    for (name, text) in texts {
        let path = folder.join(name);
        files::write(&path, &text)?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(Outcome::Good)
}
