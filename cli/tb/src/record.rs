// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options that the record of a regression holds, and the file of the record.

use bcu_cli::cmd::regress::Args;
use bcu_cli::failure::{Failure, Result};
use bcu_cli::files::{cannot_write, needs_folder};
use bcu_shard::{flag, setting, Record, RecordError, Shard};
use bcu_tb::regress::edited::Edited;
use bcu_tb::regress::plan::{Engine, Plan};
use bcu_tb::regress::result::Done;
use bcu_tb::scenario::text::Suite;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// All options of a regression that can change the result of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// CRC of the program file, which contains the stimulus, the units and the scenarios.
    program: String,
    filter: String,
    seed: Option<u64>,
    cycles: usize,
    engine: Engine,
    coverage: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scenarios: Option<Input>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verilog: Option<Input>,
}

/// A folder with input of a run: scenarios or an edited export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    folder: PathBuf,
    /// Hash of the texts.
    texts: String,
}

impl Options {
    pub fn from_plan(plan: &Plan) -> Result<Options> {
        let unreadable =
            |e: io::Error| Failure::plain(format!("cannot read the program file of bcu-tb for the record: {e}"), None);
        let program = std::env::current_exe().and_then(fs::read).map_err(unreadable)?;
        let Plan { filter, seed, cycles, engine, coverage, .. } = plan.clone();
        let verilog = plan.edited.as_ref().map(|edited| Input { folder: edited.folder.clone(), texts: crc(&edited.text) });
        let Suite { folder, .. } = &plan.scenarios;
        let scenarios = folder.clone().zip(plan.scenarios.digest()).map(|(folder, texts)| Input { folder, texts });
        Ok(Options { program: crc(program), filter, seed, cycles, engine, coverage, scenarios, verilog })
    }

    /// The folders of `--scenarios` and `--verilog`.
    pub fn folders(&self) -> [Option<&Path>; 2] {
        [&self.scenarios, &self.verilog].map(|input| input.as_ref().map(|input| input.folder.as_path()))
    }

    /// The plan of the whole run; `scenarios` and `edited` are the contents of its folders.
    pub fn plan(&self, scenarios: Suite, edited: Option<Edited>, directory: PathBuf) -> Plan {
        let Options { filter, seed, cycles, engine, coverage, .. } = self.clone();
        Plan { filter, seed, cycles, engine, coverage, jobs: 0, shard: Shard::WHOLE, edited, scenarios, directory }
    }
}

impl bcu_shard::Options for Options {
    const COMMAND: &'static str = "bcu regress";

    fn settings(&self) -> Vec<String> {
        let folder = |input: &Option<Input>| input.as_ref().map(|input| input.folder.display().to_string());
        vec![
            format!("the filter `{}`", self.filter),
            setting("--seed", self.seed),
            format!("--cycles {}", self.cycles),
            format!("--engine {}", self.engine.name()),
            flag("--coverage", self.coverage),
            setting("--scenarios", folder(&self.scenarios)),
            setting("--verilog", folder(&self.verilog)),
        ]
    }

    fn change(&self, recorded: &Options) -> String {
        if self.scenarios != recorded.scenarios {
            "the scenarios of --scenarios have changed since the recorded run".to_string()
        } else if self.verilog != recorded.verilog {
            "the files of --verilog have changed since the recorded run".to_string()
        } else {
            "the record is of another build of bcu-tb".to_string()
        }
    }
}

/// The failure of a command that cannot use a record.
pub fn failure(error: RecordError) -> Failure {
    Failure::plain(&error, error.help())
}

/// The record of a run in progress.
pub struct RunRecord {
    record: Record,
    path: PathBuf,
    /// Whether the file is removed when the run is complete.
    is_temporary: bool,
}

impl RunRecord {
    /// Starts or resumes the record that the arguments select. Returns it with the results that it
    /// already holds; `None`: nothing is recorded.
    pub fn open(args: &Args, plan: &Plan) -> Result<(Option<RunRecord>, Vec<Done>)> {
        let temporary = || {
            let mut name = args.junit.as_ref()?.as_os_str().to_os_string();
            name.push(".progress");
            Some(PathBuf::from(name))
        };
        let is_temporary = args.record.is_none();
        let Some(path) = args.record.clone().or_else(temporary) else { return Ok((None, vec![])) };
        needs_folder(&path)?;
        let options = Options::from_plan(plan)?;
        let (record, known) = match args.resume {
            true => Record::resume(&path, plan.shard, options, |_| Ok(())),
            false => Record::create(&path, plan.shard, options).map(|record| (record, vec![])),
        }
        .map_err(failure)?;
        Ok((Some(RunRecord { record, path, is_temporary }), known))
    }

    pub fn add(&self, done: &Done) {
        self.record.add(done);
    }

    /// Ends the record of a complete run.
    pub fn end(self) -> Result<()> {
        self.record.end().map_err(failure)?;
        match self.is_temporary {
            true => fs::remove_file(&self.path).map_err(|error| cannot_write(&self.path, &error)),
            false => Ok(()),
        }
    }
}

fn crc(bytes: impl AsRef<[u8]>) -> String {
    format!("{:08x}", crc32fast::hash(bytes.as_ref()))
}
