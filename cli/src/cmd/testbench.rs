// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu testbench`, a command that the companion executable `bcu-tb` runs.

use bcu_isa::units::UNITS;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu testbench --config small --out verilog-out/small
  bcu testbench --config mine.toml --unit named --runs 100 --out rtl
  bcu testbench --unit bcu --legal --seed 7 --out rtl

Each unit gets `tb_bcu_<unit>.v`, and `tb_bcu_<unit>.hex` with its stimulus (random operations,
misuse included) and the outputs of the model, compared at every port in every cycle. It needs only
a Verilog simulator, e.g.
  iverilog -I. -s tb_bcu_named tb_bcu_named.v bcu_prim.v bcu_named.v && ./a.out
With BCU_CHECK defined and `bcu_<unit>_assert.v` among the files, the assertions of user and unit
are checked as well: use `--legal` for that, whose stimulus violates none.

Exit codes: 0 all good, 2 wrong or unreadable configuration, unknown unit, or a file that cannot
be written or is not an export's.";

/// Write Verilog testbenches for exported units, with random operations and the outputs of the model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Name of a configuration (`bcu configs` lists them) or a TOML file.
    #[arg(long, default_value = "default", value_name = "NAME|FILE")]
    pub config: String,
    /// Units that get a testbench; default: all units of the configuration.
    #[arg(long, value_delimiter = ',', value_name = "UNIT", value_parser = PossibleValuesParser::new(UNITS))]
    pub unit: Vec<String>,
    /// Prefix of module and file names, as given to `bcu export`.
    #[arg(long, default_value = "bcu", value_name = "NAME")]
    pub prefix: String,
    /// Folder to write to; created if it does not exist. Default: `verilog-out/` and the configuration's name.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Seed of the first run; the others have the next seeds. Default: a seed with which few runs detect all faults that are
    /// injected to measure the testbenches.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Runs, each from a reset; default: as many as detect these faults with the default seed.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: Option<u32>,
    /// Cycles of each run; default: as many as detect these faults.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub cycles: Option<u32>,
    /// Generate legal stimulus only, as the unit's page requires; available for every unit but `gpu`.
    #[arg(long)]
    pub legal: bool,
}
