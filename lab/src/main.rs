// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measurements and long experiments of the project; chores are in `xtask`. `cargo lab --help` lists them.

mod bcu;
mod campaign;
mod circuit;
mod engines;
mod equal;
mod interleavings;
mod kernels;
mod mutate;
mod oracle;
mod page;
mod races;
mod schedules;
mod search;
mod silicon;
mod slurm;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::root;

/// Measures the project.
#[derive(Parser)]
#[command(name = "cargo lab")]
struct Cli {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// Runs the steps that take hours: long lockstep, every proof, faults; area and clock on request.
    Campaign(campaign::Args),
    /// Visits every reachable state of the model's clusters and grids, over links with arbitrary delay.
    Search(search::Args),
    /// Checks units of the Verilog under legal users with oracles that are written from the pages alone.
    Oracle(oracle::Args),
    /// Measures the regression: puts single faults into the exported unit, and counts the faults that it finds.
    Mutate(mutate::Args),
    /// Proves that two exports behave the same at the same ports, unit by unit.
    Equal(equal::Args),
    /// Runs the kernels of examples/kernels for every target and in many schedules, including those with planted bugs.
    Kernels(kernels::Args),
    /// Checks every example, kernel and planted bug on the model, on machine code and on the rust-hdl unit, and compares the reports.
    Engines(engines::Args),
    /// Measures the race check: the wrong kernels of examples/races that it finds, and the mutants of the right ones.
    Races(races::Args),
    /// Compares the verdict of one run for every schedule, and explorations, with all interleavings of random programs.
    Interleavings(interleavings::Args),
    /// Checks the kernels of examples/kernels and their planted bugs for every schedule, and writes the tables of the verdicts.
    Schedules(schedules::Args),
    /// Runs launch files on an NVIDIA GPU and compares the results with their expected values and with the simulator; measures barriers.
    Silicon(silicon::Args),
    /// Runs a regression as a Slurm job array, kills one task, resumes, and compares the merge with the run without shards; needs root.
    Slurm(slurm::Args),
}

fn main() -> ExitCode {
    xtask::end(match Cli::parse().experiment {
        Experiment::Campaign(args) => campaign::run(&root(), &args),
        Experiment::Search(args) => search::run(&args),
        Experiment::Oracle(args) => oracle::run(&root(), &args),
        Experiment::Mutate(args) => mutate::run(&root(), &args),
        Experiment::Kernels(args) => kernels::run(&root(), &args),
        Experiment::Engines(args) => engines::run(&root(), &args),
        Experiment::Equal(args) => equal::run(&root(), &args),
        Experiment::Interleavings(args) => interleavings::run(&root(), &args),
        Experiment::Races(args) => races::run(&root(), &args),
        Experiment::Schedules(args) => schedules::run(&root(), &args),
        Experiment::Silicon(args) => silicon::run(&root(), &args),
        Experiment::Slurm(args) => slurm::run(&root(), &args),
    })
}
