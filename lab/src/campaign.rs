// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The long runs, in sequence: they take hours and find errors that the tests do not find. Each campaign uses a new seed, which is printed
//! with the command that repeats a step.

use anyhow::{bail, Context, Result};
use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs};

/// The number of cycles of each lockstep test of a legal kernel, in each configuration.
const CYCLES_OF_KERNEL: u32 = 1000;

#[derive(clap::Args)]
pub struct Args {
    /// Only these steps; default: all but `synth`.
    #[arg(value_enum)]
    steps: Vec<CampaignStep>,
    /// Seed of stimulus and faults; default: from the clock.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=0x7fff_ffff))]
    seed: Option<u32>,
    /// Cycles of each lockstep test; the run of a legal user has four times as many.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CampaignStep {
    /// Compile the fuzz targets, which are a separate workspace; `docs/guide/fuzzing.md` describes how to run them.
    Fuzz,
    /// The tests of this workspace (`lab`), which is separate from the project's.
    Lab,
    /// Every unit of every configuration in lockstep, with the release build.
    Lockstep,
    /// Every unit of every configuration under a legal user, which keeps the unit's contract, with the release build.
    Legal,
    /// Every unit in lockstep, in the sizes of tb/sizes.
    Sizes,
    /// The exports in the sizes of tb/sizes under Verilator, Icarus and Yosys.
    SizesLint,
    /// Proofs of the channels in the sizes of tb/sizes.
    SizesProve,
    /// The kernels of examples/kernels in many schedules.
    Kernels,
    /// Every example, kernel and planted bug on the model, on machine code and on the rust-hdl unit; the reports must be the same.
    Engines,
    /// Random legal kernels in every configuration, with the release build.
    LegalKernels,
    /// Every proof, and for each proof the mutants that must fail it.
    Prove,
    /// Every reachable state of the model's clusters and grids.
    Search,
    /// Units of the Verilog under legal users, checked against the pages alone.
    Oracle,
    /// Single faults in the exported unit.
    Mutate,
    /// Area and clock of every configuration.
    Synth,
}

impl CampaignStep {
    /// Whether the step tests sizes that must be compiled in for it.
    fn has_sizes(self) -> bool {
        matches!(self, CampaignStep::Sizes | CampaignStep::SizesLint | CampaignStep::SizesProve)
    }

    /// The environment variables of the step.
    fn environment(self, seed: u32, cycles: u32, sizes: &str) -> Vec<(&'static str, String)> {
        match self {
            _ if self.has_sizes() => vec![("BCU_CONFIGS", sizes.to_string())],
            CampaignStep::LegalKernels => {
                let kernels = (cycles / CYCLES_OF_KERNEL).max(1);
                vec![("BCU_SEED", seed.to_string()), ("BCU_ROUNDS", kernels.to_string())]
            }
            _ => vec![],
        }
    }

    /// The name of the step, and the arguments of `cargo` that run the step and repeat it.
    fn arguments(self, seed: u32, cycles: u32) -> (&'static str, Vec<String>) {
        let (name, line) = match self {
            CampaignStep::Fuzz => ("fuzz", "check --locked --manifest-path fuzz/Cargo.toml".to_string()),
            CampaignStep::Lab => ("lab", "test --locked --manifest-path lab/Cargo.toml --target-dir target".to_string()),
            CampaignStep::Lockstep => ("lockstep", format!("run --release --package bcu-tb-cli --features all-sizes -- regress lockstep --seed {seed} --cycles {cycles}")),
            CampaignStep::Legal => {
                ("legal", format!("run --release --package bcu-tb-cli --features all-sizes -- regress legal/ --seed {seed} --cycles {}", u64::from(cycles) * 4))
            }
            CampaignStep::Sizes => ("sizes", format!("run --package bcu-tb-cli -- regress /size_ --seed {seed} --cycles {cycles}")),
            CampaignStep::SizesLint => ("sizes-lint", "test --test hw lint::".to_string()),
            CampaignStep::SizesProve => ("sizes-prove", "xtask prove --added".to_string()),
            CampaignStep::Kernels => ("kernels", format!("lab kernels --seed {seed}")),
            CampaignStep::Engines => ("engines", "lab engines".to_string()),
            CampaignStep::LegalKernels => ("legal-kernels", "test --release -p bcu-engine --test sim legal_kernels".to_string()),
            CampaignStep::Prove => ("prove", "xtask prove".to_string()),
            CampaignStep::Search => ("search", "lab search".to_string()),
            CampaignStep::Oracle => ("oracle", format!("lab oracle --seed {seed} --operations {}", u64::from(cycles) * 10)),
            CampaignStep::Mutate => ("mutate", format!("lab mutate --seed {seed} --cycles {cycles}")),
            CampaignStep::Synth => ("synth", "xtask synth".to_string()),
        };
        (name, line.split(' ').map(str::to_string).collect())
    }
}

/// Runs all steps, even after a step has failed. Returns false if a step failed.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() & 0x7fff_ffff);
    let seed = args.seed.or_else(|| u32::try_from(clock()).ok()).unwrap_or_default();
    let chosen = if args.steps.is_empty() {
        vec![
            CampaignStep::Fuzz,
            CampaignStep::Lab,
            CampaignStep::Lockstep,
            CampaignStep::Legal,
            CampaignStep::Sizes,
            CampaignStep::SizesLint,
            CampaignStep::SizesProve,
            CampaignStep::Kernels,
            CampaignStep::Engines,
            CampaignStep::LegalKernels,
            CampaignStep::Prove,
            CampaignStep::Search,
            CampaignStep::Oracle,
            CampaignStep::Mutate,
        ]
    } else {
        args.steps.clone()
    };
    let mut lines = vec![];
    let (mut failed, mut undone) = (0, 0);
    for step in chosen {
        let (name, arguments) = step.arguments(seed, args.cycles);
        let sizes = if step.has_sizes() { sizes(root)? } else { String::new() };
        let environment = step.environment(seed, args.cycles, &sizes);
        let with: String = environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        let command = format!("{with}cargo {}", arguments.join(" "));
        println!("campaign: {name}: {command}");
        let start = Instant::now();
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut run = Command::new(cargo);
        run.args(&arguments).current_dir(root).envs(environment);
        let status = run.status().context("cannot start cargo")?;
        let mark = match status.code() {
            Some(0) => "ok  ",
            // `cargo test` exits with 101 if a test fails.
            Some(1 | 101) => "FAIL",
            _ => "??  ",
        };
        failed += usize::from(mark == "FAIL");
        undone += usize::from(mark == "??  ");
        lines.push(format!("{mark} {name} ({:.0} s): {command}", start.elapsed().as_secs_f64()));
    }
    println!("campaign: seed {seed}\n{}", lines.join("\n"));
    if undone > 0 {
        bail!("{undone} steps could not be run; see the messages above");
    }
    Ok(failed == 0)
}

/// The files of tb/sizes, as a value of `BCU_CONFIGS`.
fn sizes(root: &Path) -> Result<String> {
    let folder = root.join("tb/sizes");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(env::join_paths(files)?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_are_commands_that_there_are() {
        use clap::{CommandFactory, ValueEnum};
        for step in CampaignStep::value_variants() {
            let (_, arguments) = step.arguments(7, 100);
            if let Some((_, experiment)) = arguments.split_first().filter(|(first, _)| *first == "lab") {
                let line = std::iter::once("lab".to_string()).chain(experiment.iter().cloned());
                assert!(crate::Cli::command().try_get_matches_from(line).is_ok(), "{arguments:?}");
            }
        }
        let (_, lockstep) = CampaignStep::Lockstep.arguments(7, 100);
        assert_eq!(
            lockstep.join(" "),
            "run --release --package bcu-tb-cli --features all-sizes -- regress lockstep --seed 7 --cycles 100"
        );
        let kernels = CampaignStep::LegalKernels.environment(7, 20_000, "");
        assert_eq!(kernels, [("BCU_SEED", "7".to_string()), ("BCU_ROUNDS", "20".to_string())]);
    }
}
