// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One file per command, with its arguments and its code.

pub mod asm;
pub mod case;
pub mod check;
pub mod completions;
pub mod config;
pub mod configs;
pub mod coverage;
pub mod disasm;
pub mod export;
mod headings;
pub mod kernels;
pub mod man;
pub mod merge;
pub mod project;
pub mod regress;
pub mod replay;
pub mod run;
pub mod testbench;
pub mod window;

use clap::{Parser, Subcommand};

const OVERVIEW: &str = "\
Start with:
  bcu run                              a built-in producer and consumer: what happened, as a table
  bcu run program.ptx --wave out.vcd   your own program, and its waveform
  bcu check program.ptx                what is wrong with it, where, and what to do
  bcu kernels program.ptx              its kernels, with what a launch must give them
  bcu export --config small            the unit as Verilog
  bcu testbench --config small         benches of it in Verilog
  bcu replay dump.vcd --unit named     your simulation of that Verilog against the model
  bcu help run                         all about programs and machines

Exit codes, of every command:
  0  all good
  1  a check failed: a hung or unfinished run, a fault or a finding, no instruction, a failed test
  2  could not run: wrong arguments, unreadable or wrong input, unwritable output;
     of `check` also an unknown result: a run that did not end, or depends on an unknown value";

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
    Merge(merge::Args),
    Coverage(coverage::Args),
    Replay(replay::Args),
    Testbench(testbench::Args),
    Completions(completions::Args),
    Man(man::Args),
}
