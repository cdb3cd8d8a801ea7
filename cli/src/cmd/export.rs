// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu export`, a command that the companion executable `bcu-rtl` runs.

use bcu_isa::units::UNITS;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu export                                the configuration `default` into verilog-out/default
  bcu export --config small --out rtl       another one, into the folder rtl
  bcu export --unit named --out rtl         the named barriers alone
  bcu export --unit gpu --out rtl           several multiprocessors with their hubs
  bcu export --config small --prefix small  modules `small`, `small_named`, ..., next to others
  bcu export --sv --out rtl                 SystemVerilog with a package of structures
  bcu configs small > mine.toml             a configuration of your own: change it, then
  bcu export --config mine.toml

Every unit has a file. `bcu.v` has the whole unit: it instantiates modules of the other files, and
no module is in two files, so `cat` joins all in one file. `bcu.vlt` has lint waivers for Verilator,
`bcu.core` describes the export to FuseSoC, `Bender.yml` to Bender, `manifest.json` to scripts,
`bcu_defs.vh` has its sizes as macros, `example_bcu_named.v` is a testbench. The names of the files
written are printed. Either all are written or none; a file that no export wrote is not changed.

Exit codes: 0 all good, 2 wrong or unreadable configuration, unknown unit, or a file that cannot
be written or is not an export's.";

/// Export a unit and its subunits as Verilog-2005 or SystemVerilog, with scripts and constraints for tools.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Name of a configuration (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    pub config: String,
    /// Unit to export: `bcu` is one multiprocessor, `gpu` several; the others are subunits of these.
    #[arg(long, default_value = "bcu", value_parser = PossibleValuesParser::new(UNITS))]
    pub unit: String,
    /// Prefix of module and file names, and in capitals of macros; the whole unit is named by the prefix alone.
    #[arg(long, default_value = "bcu", value_name = "NAME")]
    pub prefix: String,
    /// Write SystemVerilog: modules in `.sv` files that use the structures of a package, `bcu_pkg.sv`.
    #[arg(long)]
    pub sv: bool,
    /// Folder to write to; created if it does not exist. Default: `verilog-out/` and the configuration's name.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
