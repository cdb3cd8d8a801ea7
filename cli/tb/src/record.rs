// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The finished parts of a regression, in a file next to its JUnit output: a line with the options, then a line for each part. The file
//! exists until the run is complete.

use bcu_cli::failure::{Failure, Result};
use bcu_cli::files::cannot_write;
use bcu_tb::regress::plan::{Engine, Plan};
use bcu_tb::regress::result::Done;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// All options that can change the result of a part.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    format_version: u32,
    /// CRC of the program file, which contains the scenarios, stimulus and units.
    program: String,
    filter: String,
    seed: Option<u64>,
    cycles: usize,
    engine: Engine,
    coverage: bool,
}

impl Options {
    pub fn from_plan(plan: &Plan) -> Result<Options> {
        let unreadable =
            |e: io::Error| Failure::plain(format!("cannot read the program file of bcu-tb for the record: {e}"), None);
        let program = std::env::current_exe().and_then(fs::read).map_err(unreadable)?;
        let Plan { filter, seed, cycles, engine, coverage, .. } = plan.clone();
        Ok(Options {
            format_version: 2,
            program: format!("{:08x}", crc32fast::hash(&program)),
            filter,
            seed,
            cycles,
            engine,
            coverage,
        })
    }

    /// The difference between a recorded run and this one, as text.
    fn difference(&self, recorded: &Options) -> Option<String> {
        let seed = |o: &Options| o.seed.map_or("no --seed".to_string(), |s| format!("--seed {s}"));
        let pairs = [
            (format!("the filter `{}`", recorded.filter), format!("`{}`", self.filter)),
            (seed(recorded), seed(self)),
            (format!("--cycles {}", recorded.cycles), format!("--cycles {}", self.cycles)),
            (format!("--engine {}", recorded.engine.name()), format!("--engine {}", self.engine.name())),
        ];
        let is_different = |(was, is): &&(String, String)| was.trim_start_matches("the filter ") != is;
        match pairs.iter().find(is_different) {
            Some((was, is)) => Some(format!("the recorded run has {was}, this run has {is}")),
            None if self != recorded => {
                Some("the record is of another build of bcu-tb, or of a run with another setting of --coverage".to_string())
            }
            None => None,
        }
    }
}

/// A record in progress.
pub struct Record {
    path: PathBuf,
    file: Mutex<io::Result<File>>,
}

impl Record {
    /// Starts a record next to `junit`, and replaces an existing one.
    pub fn begin(junit: &Path, options: Options) -> Result<(Record, Vec<Done>)> {
        let record = Record::write(junit, &options, &[])?;
        Ok((record, vec![]))
    }

    /// Continues the record next to `junit` and returns its parts; starts a record if there is none.
    pub fn resume(junit: &Path, options: Options) -> Result<(Record, Vec<Done>)> {
        let path = path_of(junit);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Record::begin(junit, options),
            Err(error) => return Err(Failure::plain(format!("cannot read {}: {error}", path.display()), None)),
            Ok(text) => text,
        };
        let help = "repeat the options of the recorded run, or omit `--resume` to start again";
        let unfit = |why: String| Failure::plain(format!("cannot resume from {}: {why}", path.display()), Some(help));
        // An interrupted run can leave a last line without an end.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = (1..).zip(whole.lines());
        let broken =
            |(line, error): (usize, serde_json::Error)| unfit(format!("line {line} is not a line of a record: {error}"));
        let first = lines.next().map(|(line, text)| serde_json::from_str::<Options>(text).map_err(|e| broken((line, e))));
        let recorded = first.transpose()?.ok_or_else(|| unfit("the record is empty".to_string()))?;
        if let Some(difference) = options.difference(&recorded) {
            return Err(unfit(difference));
        }
        let known = lines.map(|(line, text)| serde_json::from_str(text).map_err(|e| broken((line, e))));
        let known = known.collect::<Result<Vec<Done>>>()?;
        Ok((Record::write(junit, &options, &known)?, known))
    }

    fn write(junit: &Path, options: &Options, known: &[Done]) -> Result<Record> {
        let path = path_of(junit);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let lines: serde_json::Result<Vec<String>> =
            std::iter::once(serde_json::to_string(options)).chain(known.iter().map(serde_json::to_string)).collect();
        let begin = || {
            fs::create_dir_all(folder)?;
            // The record is first written to a second file: an interruption here must not lose the recorded parts.
            let new = path.with_extension("progress-new");
            let mut file = File::create(&new)?;
            file.write_all((lines?.join("\n") + "\n").as_bytes())?;
            fs::rename(&new, &path)?;
            Ok(file)
        };
        let file = begin().map_err(|e: io::Error| cannot_write(&path, &e))?;
        Ok(Record { path, file: Mutex::new(Ok(file)) })
    }

    /// Adds a part; the first error is kept for [`Record::end`], since the run itself can continue.
    pub fn add(&self, done: &Done) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = file.as_mut() {
            let line = serde_json::to_string(done).map_err(io::Error::from);
            if let Err(error) = line.and_then(|line| open.write_all((line + "\n").as_bytes())) {
                *file = Err(error);
            }
        }
    }

    /// Removes the record of a complete run.
    pub fn end(self) -> Result<()> {
        let Record { path, file } = self;
        let file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.and_then(|_| fs::remove_file(&path)).map_err(|e| cannot_write(&path, &e))
    }
}

/// `FILE.progress` for `FILE`.
fn path_of(junit: &Path) -> PathBuf {
    let mut name = junit.as_os_str().to_os_string();
    name.push(".progress");
    PathBuf::from(name)
}
