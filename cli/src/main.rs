// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The `bcu` command: reads files, calls the libraries, writes files. All meaning lives in `hw`, `sim` and `tb`.

mod cmd;
mod diag;
mod failure;
mod files;

use clap::{Parser, Subcommand};
use failure::{Failure, Outcome};
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit codes:
  0  all good
  1  a check failed: the program hung or a fault was reported, a test failed
  2  could not run: wrong arguments, unreadable or wrong input";

/// Runs barrier programs on the barrier unit, cycle by cycle, and exports the unit as Verilog.
#[derive(Parser)]
#[command(name = "bcu", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(cmd::run::Args),
    Export(cmd::export::Args),
    Asm(cmd::asm::Args),
    Disasm(cmd::disasm::Args),
    Configs(cmd::configs::Args),
    Regress(cmd::regress::Args),
    Completions(cmd::completions::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(args) => cmd::run::run(args),
        Command::Export(args) => cmd::export::run(args),
        Command::Asm(args) => cmd::asm::run(args),
        Command::Disasm(args) => cmd::disasm::run(args),
        Command::Configs(args) => cmd::configs::run(args),
        Command::Regress(args) => cmd::regress::run(args),
        Command::Completions(args) => cmd::completions::run(args),
    };
    match result {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::CheckFailed) => ExitCode::from(1),
        Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(Failure::CouldNotRun(text)) => {
            failure::complain(&text);
            ExitCode::from(2)
        }
    }
}
