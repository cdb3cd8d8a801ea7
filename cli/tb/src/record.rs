// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options that the record of a regression holds, and the file of the record.

use bcu_cli::cmd::regress::Args;
use bcu_cli::failure::{Failure, Result};
use bcu_cli::files::cannot_write;
use bcu_cli::outputs::needs_folder;
use bcu_shard::{flag, setting, Head, Origin, Record, RecordError, Shard};
use bcu_tb::regress::check::Check;
use bcu_tb::regress::edited::Edited;
use bcu_tb::regress::plan::{Engine, Plan};
use bcu_tb::regress::result::Done;
use bcu_tb::scenario::text::Suite;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{absolute, Path, PathBuf};
use std::{fs, io};

/// All options of a regression that can change the result of a part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// CRC of the program file, which contains the stimulus, the units and the scenarios.
    program: String,
    filter: String,
    seed: Option<u64>,
    #[serde(deserialize_with = "cycles")]
    cycles: usize,
    engine: Engine,
    coverage: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scenarios: Option<Input>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verilog: Option<Input>,
}

/// A folder with input of a run: scenarios or an edited export. Inputs are equal if their texts are: a folder has different paths on
/// different machines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The absolute path.
    folder: PathBuf,
    /// Hash of the texts.
    texts: String,
}

impl PartialEq for Input {
    fn eq(&self, other: &Input) -> bool {
        self.texts == other.texts
    }
}

impl Eq for Input {}

impl Input {
    fn new(folder: &Path, texts: String) -> Result<Input> {
        Ok(Input { folder: full(folder, "record")?.into(), texts })
    }

    /// The difference of the texts in this folder and in that of the recorded run, as a clause.
    fn change(this: Option<&Input>, recorded: Option<&Input>, what: &str) -> Option<String> {
        let (this, recorded) = (this?, recorded?);
        let place = if this.folder == recorded.folder { String::new() } else { format!(" in {}", recorded.folder.display()) };
        (this != recorded)
            .then(|| format!("the {what} in {} differ from those of the recorded run{place}", this.folder.display()))
    }
}

/// Reads the number of cycles, which has the range of `--cycles`.
fn cycles<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<usize, D::Error> {
    let cycles = u64::deserialize(from)?;
    let number = u32::try_from(cycles).ok().filter(|number| *number > 0);
    let expected =
        || D::Error::custom(format_args!("`cycles`: {cycles} is not a number of cycles; expected 1 to {}", u32::MAX));
    number.map(|number| number as usize).ok_or_else(expected)
}

/// The absolute path as text, which can be written to a `what`.
pub fn full(path: &Path, what: &str) -> Result<String> {
    let full = absolute(path).map_err(|error| Failure::plain(format!("cannot find {}: {error}", path.display()), None))?;
    let not_text = || {
        let message = format!("the path {} is not UTF-8, so no {what} can name it", full.display());
        Failure::plain(message, Some("rename the folder"))
    };
    full.to_str().map(str::to_string).ok_or_else(not_text)
}

impl Options {
    pub fn from_plan(plan: &Plan) -> Result<Options> {
        let program = program_checksum()?;
        let Plan { filter, seed, cycles, engine, coverage, .. } = plan.clone();
        let verilog = plan.edited.as_ref().map(|edited| Input::new(&edited.folder, crc(&edited.text))).transpose()?;
        let Suite { folder, .. } = &plan.scenarios;
        let scenarios = folder.as_deref().zip(plan.scenarios.digest());
        let scenarios = scenarios.map(|(folder, texts)| Input::new(folder, texts)).transpose()?;
        Ok(Options { program, filter, seed, cycles, engine, coverage, scenarios, verilog })
    }

    /// Whether the runs have the same program file.
    pub fn has_same_program(&self, other: &Options) -> bool {
        self.program == other.program
    }

    /// The program of a run with these options, with its version and checksum.
    pub fn build(&self) -> String {
        format!("bcu-tb {}, CRC {}", env!("CARGO_PKG_VERSION"), self.program)
    }

    /// The properties of a run with these options in its JUnit file, each with its name.
    pub fn properties(&self) -> Vec<(String, String)> {
        let Options { cycles, engine, .. } = self;
        let named = [("program", self.build()), ("engine", engine.name().to_string()), ("cycles", cycles.to_string())];
        named.map(|(name, value)| (name.to_string(), value)).to_vec()
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
        vec![
            format!("the filter `{}`", self.filter),
            setting("--seed", self.seed),
            format!("--cycles {}", self.cycles),
            format!("--engine {}", self.engine.name()),
            flag("--coverage", self.coverage),
            flag("--scenarios", self.scenarios.is_some()),
            flag("--verilog", self.verilog.is_some()),
        ]
    }

    fn change(&self, recorded: &Options) -> String {
        if !self.has_same_program(recorded) {
            return "the record is of another build of bcu-tb".to_string();
        }
        let scenarios = Input::change(self.scenarios.as_ref(), recorded.scenarios.as_ref(), "scenarios");
        let verilog = || Input::change(self.verilog.as_ref(), recorded.verilog.as_ref(), "Verilog files");
        scenarios.or_else(verilog).unwrap_or_default()
    }
}

/// The failure of a command that cannot use a record.
pub fn failure(error: RecordError) -> Failure {
    Failure::plain(&error, error.help().as_deref())
}

/// The record of a run in progress.
pub struct RunRecord {
    record: Record,
    path: PathBuf,
    /// Whether the file is removed when the run is complete.
    is_temporary: bool,
}

impl RunRecord {
    /// The path of the record that the arguments select; `None`: nothing is recorded.
    pub fn path(args: &Args) -> Option<PathBuf> {
        let temporary = || {
            let mut name = args.junit.as_ref()?.as_os_str().to_os_string();
            name.push(".progress");
            Some(PathBuf::from(name))
        };
        args.record.clone().or_else(temporary)
    }

    /// Starts or resumes the record that the arguments select, on the machine `origin`. Returns it with the results that it already
    /// holds; `None`: nothing is recorded.
    pub fn open(args: &Args, plan: &Plan, options: Options, origin: Origin) -> Result<(Option<RunRecord>, Vec<Done>)> {
        let is_temporary = args.record.is_none();
        let Some(path) = RunRecord::path(args) else { return Ok((None, vec![])) };
        needs_folder(&path)?;
        let head = Head { shard: plan.shard, options, origin };
        let (record, known) = match args.resume {
            true => Record::resume(&path, &head, |known: &[Done]| Check::new(plan).check(plan.shard, known)),
            false => Record::create(&path, &head).map(|record| (record, vec![])),
        }
        .map_err(failure)?;
        Ok((Some(RunRecord { record, path, is_temporary }), known))
    }

    pub fn add(&self, done: &Done) {
        self.record.add(done);
    }

    /// Whether a result could not be added.
    pub fn has_failed(&self) -> bool {
        self.record.has_failed()
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

/// CRC of the file of this program.
fn program_checksum() -> Result<String> {
    let unreadable =
        |e: io::Error| Failure::plain(format!("cannot read the program file of bcu-tb for its checksum: {e}"), None);
    std::env::current_exe().and_then(fs::read).map(crc).map_err(unreadable)
}

fn crc(bytes: impl AsRef<[u8]>) -> String {
    format!("{:08x}", crc32fast::hash(bytes.as_ref()))
}
