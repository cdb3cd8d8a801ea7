// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The folder of the records of a campaign: `campaign-I-of-N.jsonl` has the finished steps of shard I, `STEP-I-of-N.jsonl` the finished
//! parts of a step that can be split.

use super::step::CampaignStep;
use anyhow::{bail, Context, Result};
use bcu_shard::{seconds, Named, Names, Shard};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{self, Path, PathBuf};

/// Everything that can change the result of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    pub steps: Vec<CampaignStep>,
    pub seed: u32,
    pub cycles: u32,
    /// CRC of the executable of `lab`.
    pub program: String,
}

impl bcu_shard::Options for Options {
    const COMMAND: &'static str = "cargo lab campaign";

    fn settings(&self) -> Vec<String> {
        let steps: Vec<&str> = self.steps.iter().map(|step| step.name()).collect();
        vec![format!("the steps {}", steps.join(" ")), format!("--seed {}", self.seed), format!("--cycles {}", self.cycles)]
    }

    fn change(&self, _: &Options) -> String {
        "the record is of another build of lab".to_string()
    }
}

/// A finished step, or a finished shard of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub step: CampaignStep,
    pub good: bool,
    #[serde(deserialize_with = "seconds")]
    pub seconds: f64,
    /// The command line that repeats the step, or its shard.
    pub command: String,
}

impl Named for Done {
    fn name(&self) -> &str {
        self.step.name()
    }

    fn agrees_with(&self, other: &Done) -> bool {
        self.good == other.good
    }
}

/// The names of the steps: every shard has a result of a step that can be split, and one shard that of another step.
pub fn names(steps: &[CampaignStep]) -> Names {
    let mut whole_steps = 0..;
    let of_step = |step: &CampaignStep| {
        let position = if step.is_split() { None } else { whole_steps.next() };
        (step.name().to_string(), position)
    };
    Names::new(steps.iter().map(of_step))
}

/// The steps in which a shard of a campaign takes part: every step that can be split and, of the other steps, every Nth, where N is the
/// number of shards.
pub fn steps_of(steps: &[CampaignStep], shard: Shard) -> Vec<CampaignStep> {
    let mut whole_steps = 0..;
    let is_run = |step: &CampaignStep| step.is_split() || whole_steps.next().is_some_and(|position| shard.contains(position));
    steps.iter().copied().filter(is_run).collect()
}

/// The folder of the records.
pub struct Folder(PathBuf);

impl Folder {
    /// # Errors
    /// If the path is not UTF-8, and so cannot be part of the printed commands.
    pub fn new(path: &Path) -> Result<Folder> {
        let absolute = path::absolute(path).with_context(|| format!("cannot find {}", path.display()))?;
        if absolute.to_str().is_none() {
            bail!("{}: its name is not UTF-8; choose another folder for the records", path.display());
        }
        Ok(Folder(absolute))
    }

    pub fn create(&self) -> Result<()> {
        fs::create_dir_all(&self.0).with_context(|| format!("cannot create {}", self.0.display()))
    }

    /// The record of the finished steps of a shard.
    pub fn campaign(&self, shard: Shard) -> PathBuf {
        self.record("campaign", shard)
    }

    /// The record of a shard of a step.
    pub fn step(&self, step: CampaignStep, shard: Shard) -> PathBuf {
        self.record(step.name(), shard)
    }

    /// The existing records of a step in a campaign of `count` shards.
    pub fn of_step(&self, step: CampaignStep, count: u32) -> Result<Vec<PathBuf>> {
        let shards = Shard::new(1, count)?.siblings();
        Ok(shards.map(|shard| self.step(step, shard)).filter(|path| path.is_file()).collect())
    }

    /// The existing files `campaign-I-of-N.jsonl`.
    ///
    /// # Errors
    /// If the folder cannot be read or has no such file.
    pub fn campaigns(&self) -> Result<Vec<PathBuf>> {
        let mut paths = vec![];
        for entry in fs::read_dir(&self.0).with_context(|| format!("cannot read {}", self.0.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("campaign-") && name.ends_with(".jsonl") {
                paths.push(path);
            }
        }
        paths.sort();
        if paths.is_empty() {
            bail!("{} has no file campaign-I-of-N.jsonl; `cargo lab campaign --records` writes them", self.0.display());
        }
        Ok(paths)
    }

    fn record(&self, name: &str, shard: Shard) -> PathBuf {
        self.0.join(format!("{name}-{}.jsonl", shard.to_string().replace('/', "-of-")))
    }
}
