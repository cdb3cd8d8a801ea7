// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The `bcu` command: reads files, calls the libraries, writes files. All meaning lives in `hw`, `sim` and `tb`.

mod cmd;
mod diag;
mod failure;
mod files;

use clap::{Parser, Subcommand};
use failure::{complain, Failure, Outcome};
use std::process::ExitCode;

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
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(cmd::run::Args),
    Check(cmd::check::Args),
    Kernels(cmd::kernels::Args),
    Export(cmd::export::Args),
    Asm(cmd::asm::Args),
    Disasm(cmd::disasm::Args),
    Configs(cmd::configs::Args),
    Regress(cmd::regress::Args),
    Replay(cmd::replay::Args),
    Completions(cmd::completions::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => cmd::run::run(args),
        Command::Check(args) => cmd::check::run(args),
        Command::Kernels(args) => cmd::kernels::run(args),
        Command::Export(args) => cmd::export::run(args),
        Command::Asm(args) => cmd::asm::run(args),
        Command::Disasm(args) => cmd::disasm::run(args),
        Command::Configs(args) => cmd::configs::run(args),
        Command::Regress(args) => cmd::regress::run(args),
        Command::Replay(args) => cmd::replay::run(args),
        Command::Completions(args) => cmd::completions::run(args),
    };
    match result {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(1),
        Err(Failure::CheckFailed(text)) => {
            complain(&text);
            ExitCode::from(1)
        }
        Err(Failure::CouldNotRun(text)) => {
            complain(&text);
            ExitCode::from(2)
        }
    }
}
