// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a campaign, as commands of cargo.

use anyhow::{Context, Result};
use bcu_shard::Shard;
use serde::{Deserialize, Serialize};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The step `legal-kernels` runs one kernel for each 1000 of `--cycles`, in each configuration.
const CYCLES_OF_KERNEL: u32 = 1000;

/// The steps of a campaign for which no steps are named: all but `synth`.
pub const USUAL_STEPS: [CampaignStep; 15] = [
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
    CampaignStep::Slurm,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CampaignStep {
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
    /// A regression as a Slurm job array, with a killed task; as root.
    Slurm,
    /// Area and clock of every configuration.
    Synth,
}

/// The parameters that all steps of a campaign share.
pub struct Setting {
    pub seed: u32,
    /// Cycles of each lockstep test.
    pub cycles: u32,
    /// The files of tb/sizes, as a value of `BCU_CONFIGS`.
    sizes: String,
}

/// A command of cargo.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    pub environment: Vec<(&'static str, String)>,
    pub arguments: Vec<String>,
}

impl Setting {
    pub fn new(root: &Path, seed: u32, cycles: u32) -> Result<Setting> {
        let folder = root.join("tb/sizes");
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        files.sort();
        Ok(Setting { seed, cycles, sizes: env::join_paths(files)?.to_string_lossy().into_owned() })
    }
}

impl CampaignStep {
    pub fn name(self) -> &'static str {
        match self {
            CampaignStep::Fuzz => "fuzz",
            CampaignStep::Lab => "lab",
            CampaignStep::Lockstep => "lockstep",
            CampaignStep::Legal => "legal",
            CampaignStep::Sizes => "sizes",
            CampaignStep::SizesLint => "sizes-lint",
            CampaignStep::SizesProve => "sizes-prove",
            CampaignStep::Kernels => "kernels",
            CampaignStep::Engines => "engines",
            CampaignStep::LegalKernels => "legal-kernels",
            CampaignStep::Prove => "prove",
            CampaignStep::Search => "search",
            CampaignStep::Oracle => "oracle",
            CampaignStep::Mutate => "mutate",
            CampaignStep::Slurm => "slurm",
            CampaignStep::Synth => "synth",
        }
    }

    /// Whether every shard of a campaign runs a part of the step. A step that cannot be split is run whole, by one shard.
    pub fn is_split(self) -> bool {
        self.merge_arguments().is_some()
    }

    /// Whether exit code 101 of cargo means that a check failed; for `cargo run` it means that the program could not be built.
    pub fn fails_with_101(self) -> bool {
        matches!(self, CampaignStep::Fuzz | CampaignStep::Lab | CampaignStep::SizesLint | CampaignStep::LegalKernels)
    }

    /// The command that runs the whole step.
    pub fn command(self, setting: &Setting) -> Command {
        let Setting { seed, cycles, .. } = setting;
        let line = match self {
            CampaignStep::Fuzz => "check --locked --manifest-path fuzz/Cargo.toml".to_string(),
            CampaignStep::Lab => "test --locked --manifest-path lab/Cargo.toml --target-dir target".to_string(),
            CampaignStep::Lockstep => format!(
                "run --release --package bcu-tb-cli --features all-sizes -- regress lockstep --seed {seed} --cycles {cycles}"
            ),
            CampaignStep::Legal => format!(
                "run --release --package bcu-tb-cli --features all-sizes -- regress legal/ --seed {seed} --cycles {}",
                u64::from(*cycles) * 4
            ),
            CampaignStep::Sizes => format!("run --package bcu-tb-cli -- regress /size_ --seed {seed} --cycles {cycles}"),
            CampaignStep::SizesLint => "test --test hw lint::".to_string(),
            CampaignStep::SizesProve => "xtask prove --added".to_string(),
            CampaignStep::Kernels => format!("lab kernels --seed {seed}"),
            CampaignStep::Engines => "lab engines".to_string(),
            CampaignStep::LegalKernels => "test --release -p bcu-engine --test sim legal_kernels".to_string(),
            CampaignStep::Prove => "xtask prove".to_string(),
            CampaignStep::Search => "lab search".to_string(),
            CampaignStep::Oracle => format!("lab oracle --seed {seed} --operations {}", u64::from(*cycles) * 10),
            CampaignStep::Mutate => format!("lab mutate --seed {seed} --cycles {cycles}"),
            CampaignStep::Slurm => "lab slurm".to_string(),
            CampaignStep::Synth => "xtask synth".to_string(),
        };
        self.cargo(setting, &line)
    }

    /// The command that runs one shard of a step that can be split, and records it in this file.
    pub fn shard_command(self, setting: &Setting, shard: Shard, record: &str, resume: bool) -> Command {
        let mut command = self.command(setting);
        let shard = shard.to_string();
        command.arguments.extend(["--shard", &shard, "--record", record].map(str::to_string));
        command.arguments.extend(resume.then(|| "--resume".to_string()));
        command
    }

    /// The command that merges the records of the shards of the step; `None`: the step cannot be split.
    pub fn merge_command(self, setting: &Setting, records: Vec<String>) -> Option<Command> {
        let mut command = self.cargo(setting, self.merge_arguments()?);
        command.arguments.extend(records);
        Some(command)
    }

    fn merge_arguments(self) -> Option<&'static str> {
        match self {
            CampaignStep::Lockstep | CampaignStep::Legal => {
                Some("run --release --package bcu-tb-cli --features all-sizes -- merge")
            }
            CampaignStep::Sizes => Some("run --package bcu-tb-cli -- merge"),
            CampaignStep::SizesProve | CampaignStep::Prove => Some("xtask prove --merge"),
            CampaignStep::Mutate => Some("lab mutate --merge"),
            _ => None,
        }
    }

    fn cargo(self, setting: &Setting, line: &str) -> Command {
        let environment = match self {
            CampaignStep::Sizes | CampaignStep::SizesLint | CampaignStep::SizesProve => {
                vec![("BCU_CONFIGS", setting.sizes.clone())]
            }
            CampaignStep::LegalKernels => {
                let kernels = (setting.cycles / CYCLES_OF_KERNEL).max(1);
                vec![("BCU_SEED", setting.seed.to_string()), ("BCU_ROUNDS", kernels.to_string())]
            }
            _ => vec![],
        };
        Command { environment, arguments: line.split(' ').map(str::to_string).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, ValueEnum};

    fn setting() -> Setting {
        Setting { seed: 7, cycles: 20_000, sizes: "a:b".to_string() }
    }

    /// Whether clap accepts the arguments of a `cargo lab` command; true for any other command.
    fn is_accepted(command: &Command) -> bool {
        let arguments = command.arguments.iter().map(String::as_str);
        command.arguments[0] != "lab" || crate::Cli::command().try_get_matches_from(arguments).is_ok()
    }

    #[test]
    fn the_steps_are_commands_that_there_are() {
        for step in CampaignStep::value_variants() {
            assert!(is_accepted(&step.command(&setting())), "{step:?}");
            assert_eq!(step.to_possible_value().unwrap().get_name(), step.name());
            assert_eq!(serde_json::to_string(step).unwrap(), format!("\"{}\"", step.name()));
        }
        let lockstep = CampaignStep::Lockstep.command(&setting());
        let line = "run --release --package bcu-tb-cli --features all-sizes -- regress lockstep --seed 7 --cycles 20000";
        assert_eq!(lockstep.arguments.join(" "), line);
        let kernels = CampaignStep::LegalKernels.command(&setting());
        assert_eq!(kernels.environment, [("BCU_SEED", "7".to_string()), ("BCU_ROUNDS", "20".to_string())]);
    }

    #[test]
    fn a_step_that_can_be_split_has_a_command_for_a_shard_and_one_that_merges() {
        let split = CampaignStep::value_variants().iter().filter(|step| step.is_split()).map(|step| step.name());
        assert_eq!(split.collect::<Vec<_>>(), ["lockstep", "legal", "sizes", "sizes-prove", "prove", "mutate"]);
        let shard = Shard::new(2, 3).unwrap();
        let command = CampaignStep::Mutate.shard_command(&setting(), shard, "a b.jsonl", true);
        let end = ["--cycles", "20000", "--shard", "2/3", "--record", "a b.jsonl", "--resume"];
        assert!(command.arguments.ends_with(&end.map(str::to_string)), "{command:?}");
        assert!(is_accepted(&command));
        let merge = CampaignStep::Mutate.merge_command(&setting(), vec!["1".to_string(), "2".to_string()]).unwrap();
        assert_eq!(merge.arguments.join(" "), "lab mutate --merge 1 2");
        assert!(is_accepted(&merge));
        let sizes = CampaignStep::Sizes.merge_command(&setting(), vec![]).unwrap();
        assert_eq!(sizes.environment, [("BCU_CONFIGS", "a:b".to_string())]);
        assert_eq!(CampaignStep::Oracle.merge_command(&setting(), vec![]), None);
    }
}
