// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chores of the project. `cargo xtask --help` lists them.

mod archive;
mod campaign;
mod circuit;
mod equal;
mod kernels;
mod mutate;
mod picture;
mod pool;
mod prove;
mod python;
mod regen;
mod search;
mod silicon;
mod synth;
mod test;
mod tidy;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Writes every generated file anew: verilog-out/, tables in docs/ and README.md, docs/timeline.svg, docs/hang.svg.
    Regen,
    /// Packs the Verilog of all configurations into target/archive/bcu-verilog-<version>.tar.gz, for a release.
    Archive,
    /// Checks the house rules.
    Tidy,
    /// Runs every test, those of all crates side by side, and prints the time of each.
    Test(test::Args),
    /// Runs what takes hours: long lockstep, every proof, faults; area and clock on request.
    Campaign(campaign::Args),
    /// Takes the README's picture of a waveform anew, with GTKWave on a virtual screen.
    Picture,
    /// Proves properties of the exported units with SymbiYosys, and that mutated units fail them.
    Prove(prove::Args),
    /// Goes over every state that clusters and grids of the model can come to, over links of free delay.
    Search(search::Args),
    /// Measures the regression: single faults in the exported unit, and which of them it finds.
    Mutate(mutate::Args),
    /// Proves that two exports behave the same at the same ports, unit by unit.
    Equal(equal::Args),
    /// Runs the kernels of examples/kernels for every target and in many schedules, and those with planted bugs.
    Kernels(kernels::Args),
    /// Maps the exported units to iCE40 HX8K and ECP5: LUTs, flip-flops, block RAMs and clock; writes their tables.
    Synth(synth::Args),
    /// Runs launch files on an NVIDIA GPU and compares with what they expect and with the simulator; measures barriers.
    Silicon(silicon::Args),
}

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

fn main() -> ExitCode {
    let done = match Cli::parse().chore {
        Chore::Regen => regen::run(&root()),
        Chore::Archive => archive::run(&root()),
        Chore::Tidy => tidy::run(&root()),
        Chore::Test(args) => test::run(&root(), &args),
        Chore::Campaign(args) => campaign::run(&root(), &args),
        Chore::Picture => picture::run(&root()),
        Chore::Prove(args) => prove::run(&root(), &args),
        Chore::Search(args) => search::run(&args),
        Chore::Mutate(args) => mutate::run(&root(), &args),
        Chore::Kernels(args) => kernels::run(&root(), &args),
        Chore::Equal(args) => equal::run(&root(), &args),
        Chore::Synth(args) => synth::run(&root(), &args),
        Chore::Silicon(args) => silicon::run(&root(), &args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
