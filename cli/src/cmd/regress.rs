// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arguments of `bcu regress`, a command that the companion executable `bcu-tb` runs.

use bcu_shard::Shard;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu regress                                   everything (minutes; needs Verilator and Icarus)
  bcu regress --engine compiled                 everything as machine code, without these tools
  bcu regress --list                            names, without running
  bcu regress scenario                          the scenarios
  bcu regress scenario --scenarios mine         the scenarios of the folder `mine`, without a build
  bcu regress lockstep/named/tiny --seed 7 --cycles 1000000
  bcu regress lockstep/named/tiny --coverage --cycles 2000000
  bcu regress lockstep --coverage-data coverage.json
  bcu regress lockstep --verilog rtl/small --cycles 1000000
  bcu regress legal/bcu/small --seed 7 --cycles 20000
  bcu regress --engine verilator --cycles 10000000 --junit long.xml
  bcu regress --engine verilator --cycles 10000000 --junit long.xml --resume
  bcu regress lockstep --shard 3/8 --record 3.jsonl
  bcu regress lockstep --shards 8 --slurm /shared/run

Scenarios run on the rust-hdl unit and on the model. Lockstep runs compare every port in every
cycle between the model, the machine code of the unit, the rust-hdl unit and the exported Verilog
under Verilator (a tenth of the cycles each) and under Icarus (a hundredth). Each failure is printed
with the command that repeats it. Legal runs have a stimulus that keeps the contract of the unit, on
the model and on the machine code: no fault, no lost and no early response. Compiled simulators are
kept in $XDG_CACHE_HOME/bcu, or in ~/.cache/bcu.

Lockstep runs need Verilator with g++, and Icarus (`apt-get install verilator g++ iverilog`); with
`--engine verilator` all tests need Verilator with g++, with `--engine compiled` no test needs a
tool. Without a tool that it needs, a run ends before its first test.

`--scenarios` takes a folder with scenarios, DIR/<feature>/<name>.toml or DIR/<name>.toml, which
replace the compiled-in ones; all other tests remain. The program file that `example` names is
searched for in the folder of the scenario, then in DIR, then among the project's examples.

`--engine` replaces all of them by one faster simulator, for every cycle: machine code of the unit,
or its export under Verilator. Scenarios, stimulus and verdicts are the same.

Each finished part of the run is recorded: with `--record` in a file that remains, else with
`--junit` in FILE.progress until the run is complete. `--resume` continues an interrupted run;
without it, an existing record is never overwritten. `--shard I/N` runs every Nth part, beginning
with the Ith; `bcu merge` joins the records of all shards, which may come from different machines.
`--shards N --slurm DIR` runs nothing: it writes the scripts of a Slurm job array of all shards and
of their merge, and a copy of `bcu-tb`, which the scripts start.

`--verilog` takes the folder of an export with changed files, for example a RAM replaced by a macro
or a moved pipeline stage: each unit in it runs under Verilator for every cycle and under Icarus for
a hundredth, and is compared with the model of the configuration in its manifest.json. Files `tb_*`
are ignored.

Exit codes: 0 every test passed, 1 a test failed, 2 unknown test, missing tool, unreadable folder,
unwritable output, one file for two of the run, or a record that is missing, in use, of another run,
or was removed or changed during the run, 130 interrupted (Ctrl-C, TERM or HUP): a run with a record
loses only the parts that were running, and prints the command that continues it.";

/// Run the project's tests: scenarios, and every unit in lockstep with its model and its export, and with legal stimulus.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("recorded").args(["junit", "record"]).multiple(true)))]
#[command(group(clap::ArgGroup::new("counted").args(["coverage", "coverage_data"]).multiple(true)))]
pub struct Args {
    /// Only tests whose name contains this text.
    #[arg(default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Only list the names.
    #[arg(long)]
    pub list: bool,
    /// Seed of all random stimulus; default: 0 for lockstep runs, for a scenario its own seed.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Tests that run in parallel; default: one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Keep a record of the finished parts, for `--resume` and `bcu merge`.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Resume an interrupted run with the same options, from its record.
    #[arg(long, requires = "recorded")]
    pub resume: bool,
    /// Run only shard I of N, for example 3/8; `bcu merge` writes the JUnit file and the coverage data of all shards.
    #[arg(long, value_name = "I/N", requires = "record", conflicts_with_all = ["junit", "coverage_data", "list"])]
    pub shard: Option<Shard>,
    /// Only write the scripts of a Slurm job array that runs so many shards.
    #[arg(long, value_name = "N", requires = "slurm", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub shards: Option<u32>,
    /// Folder of these scripts, of a copy of `bcu-tb`, of the records and of the results.
    #[arg(long, value_name = "DIR", requires = "shards", conflicts_with_all = ["recorded", "coverage_data", "list"])]
    pub slurm: Option<PathBuf>,
    /// Engine that is compared with the model.
    #[arg(long, value_enum, default_value_t = EngineName::All)]
    pub engine: EngineName,
    /// Cycles of each lockstep run, and of each run with legal stimulus.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub cycles: u32,
    /// Folder of scenarios, which replace those of the project.
    #[arg(long, value_name = "DIR", conflicts_with = "verilog")]
    pub scenarios: Option<PathBuf>,
    /// Folder of a modified export, which replaces the project's own export in lockstep.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["coverage", "coverage_data"])]
    pub verilog: Option<PathBuf>,
    /// Print the missing coverage points of the lockstep runs, each of which fails its run; at `tiny` 2000000 cycles reach all points.
    #[arg(long)]
    pub coverage: bool,
    /// Print all coverage points, not only those that are missing.
    #[arg(long, requires = "counted", conflicts_with_all = ["shard", "slurm", "list"])]
    pub all: bool,
    /// Write the coverage of the lockstep runs as data, for `bcu coverage`; includes `--coverage`.
    #[arg(long, value_name = "FILE")]
    pub coverage_data: Option<PathBuf>,
}

/// The engines by name; `EXAMPLES` describes them.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum EngineName {
    All,
    Compiled,
    Verilator,
}
