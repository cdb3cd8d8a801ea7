// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chores of the project. `cargo xtask --help` lists them.

mod archive;
mod parameters;
mod picture;
mod prove;
mod python;
mod regen;
mod site;
mod synth;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::{end, root};

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Rewrites every generated file: verilog-out/, tables in docs/, the runs of docs/pictures.
    Regen,
    /// Packs the Verilog of all configurations into target/archive/bcu-verilog-<version>.tar.gz, for a release.
    Archive,
    /// Builds all pages as a site with search, target/book/site; a broken link fails.
    Book,
    /// Checks the house rules.
    Tidy,
    /// Runs every test, the tests of all crates in parallel, and prints the time of each test.
    Test(test::Args),
    /// Redraws the README's picture of a waveform, with GTKWave on a virtual screen.
    Picture,
    /// Proves properties of the exported units with SymbiYosys, and shows that mutated units fail them.
    Prove(prove::Args),
    /// Maps the exported units to iCE40 HX8K and ECP5: LUTs, flip-flops, block RAMs and clock. With --write, writes their tables.
    Synth(synth::Args),
    /// Writes `verilog-out/parameters`: the named barriers with sizes as parameters, joined from exports of several sizes.
    Parameters(parameters::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().chore {
        Chore::Regen => regen::run(&root()),
        Chore::Archive => archive::run(&root()),
        Chore::Book => site::run(&root()),
        Chore::Tidy => tidy::run(&root()),
        Chore::Test(args) => test::run(&root(), &args),
        Chore::Picture => picture::run(&root()),
        Chore::Prove(args) => prove::run(&root(), &args),
        Chore::Synth(args) => synth::run(&root(), &args),
        Chore::Parameters(args) => parameters::run(&root(), &args),
    };
    end(done)
}
