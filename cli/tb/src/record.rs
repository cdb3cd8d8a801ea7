// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options that the record of a regression holds, and the file of the record.

use bcu_cli::cmd::regress::Args;
use bcu_cli::failure::{Failure, Result};
use bcu_cli::files::{cannot_write, needs_folder};
use bcu_shard::{Record, RecordError};
use bcu_tb::regress::edited::Edited;
use bcu_tb::regress::plan::{Engine, Plan};
use bcu_tb::regress::result::Done;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
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
    verilog: Option<Verilog>,
}

/// An edited export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verilog {
    folder: PathBuf,
    /// CRC of the Verilog.
    text: String,
}

impl Options {
    pub fn from_plan(plan: &Plan) -> Result<Options> {
        let unreadable =
            |e: io::Error| Failure::plain(format!("cannot read the program file of bcu-tb for the record: {e}"), None);
        let program = std::env::current_exe().and_then(fs::read).map_err(unreadable)?;
        let Plan { filter, seed, cycles, engine, coverage, .. } = plan.clone();
        let verilog = plan.edited.as_ref().map(|edited| Verilog { folder: edited.folder.clone(), text: crc(&edited.text) });
        Ok(Options { program: crc(program), filter, seed, cycles, engine, coverage, verilog })
    }

    /// The folder of the edited export.
    pub fn verilog(&self) -> Option<PathBuf> {
        self.verilog.as_ref().map(|verilog| verilog.folder.clone())
    }

    /// The plan of the whole run.
    pub fn plan(&self, edited: Option<Edited>, directory: PathBuf) -> Plan {
        let Options { filter, seed, cycles, engine, coverage, .. } = self.clone();
        Plan { filter, seed, cycles, engine, coverage, jobs: 0, shard: bcu_shard::Shard::WHOLE, edited, directory }
    }
}

impl bcu_shard::Options for Options {
    const COMMAND: &'static str = "bcu regress";

    fn difference(&self, recorded: &Options) -> Option<String> {
        let seed = |o: &Options| o.seed.map_or("no --seed".to_string(), |s| format!("--seed {s}"));
        let coverage = |o: &Options| if o.coverage { "--coverage" } else { "no --coverage" }.to_string();
        let verilog =
            |o: &Options| o.verilog().map_or("no --verilog".to_string(), |folder| format!("--verilog {}", folder.display()));
        let pairs = [
            (format!("the filter `{}`", recorded.filter), format!("the filter `{}`", self.filter)),
            (seed(recorded), seed(self)),
            (format!("--cycles {}", recorded.cycles), format!("--cycles {}", self.cycles)),
            (format!("--engine {}", recorded.engine.name()), format!("--engine {}", self.engine.name())),
            (coverage(recorded), coverage(self)),
            (verilog(recorded), verilog(self)),
        ];
        match pairs.iter().find(|(was, is)| was != is) {
            Some((was, is)) => Some(format!("the recorded run has {was}, this run has {is}")),
            None if self.verilog != recorded.verilog => {
                Some("the files of --verilog have changed since the recorded run".to_string())
            }
            None if self != recorded => Some("the record is of another build of bcu-tb".to_string()),
            None => None,
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
    /// The file is removed at the end of the run.
    is_temporary: bool,
}

impl RunRecord {
    /// Starts or resumes the record that the arguments select; returns it with the parts that it has. `None`: nothing is recorded.
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
            true => Record::resume(&path, plan.shard, options),
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
