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
  bcu export --wrapper amaranth --out rtl   with classes for Amaranth; also `chisel`, `spinal`
  bcu export --reset async-low --reset-registers all  for a library of cells, for example
  bcu export --sv --out rtl                 SystemVerilog with a package of structures
  bcu configs small > mine.toml             a configuration of your own: change it, then
  bcu export --config mine.toml

Every unit has a file. `bcu.v` has the whole unit: it instantiates modules of the other files, and
no module is in two files, so `cat` joins all in one file. `bcu_prim.v` has the memories, queues
and arbiters that the units instantiate. `bcu.vlt` has lint waivers for Verilator,
`bcu.core` describes the export to FuseSoC, `Bender.yml` to Bender, `manifest.json` to scripts,
`bcu_defs.vh` has its sizes as macros, `example_bcu_named.v` is a testbench. The names of the files
written are printed. Either all are written or none; a file that no export wrote is not changed.

Exit codes: 0 all good, 2 wrong or unreadable configuration, unknown unit, or a file that cannot
be written or is not an export's.";

/// A language of wrappers.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Wrapper {
    /// `BlackBox` classes for Chisel, in `bcu_chisel.scala`.
    Chisel,
    /// `BlackBox` classes for SpinalHDL, in `bcu_spinal.scala`.
    Spinal,
    /// `Component` classes for Amaranth, in `bcu_amaranth.py`.
    Amaranth,
}

/// The reset of an export.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ResetKind {
    Sync,
    AsyncLow,
}

/// The registers of an export that have a reset.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ResetRegisters {
    Control,
    All,
}

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
    /// Also write classes with the ports of each unit for another language; may be repeated.
    #[arg(long, value_name = "LANGUAGE")]
    pub wrapper: Vec<Wrapper>,
    /// Reset of the registers: `sync` is synchronous and active high, port `reset`; `async-low` is asynchronous
    /// and active low, port `reset_n`.
    #[arg(long, value_enum, default_value_t = ResetKind::Sync, value_name = "KIND")]
    pub reset: ResetKind,
    /// Registers with a reset: those that control others, or all. Memories have none.
    #[arg(long, value_enum, default_value_t = ResetRegisters::Control, value_name = "WHICH")]
    pub reset_registers: ResetRegisters,
    /// Write SystemVerilog: modules in `.sv` files that use the structures of a package, `bcu_pkg.sv`.
    #[arg(long)]
    pub sv: bool,
    /// Folder to write to; created if it does not exist. Default: `verilog-out/` and the configuration's name.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
