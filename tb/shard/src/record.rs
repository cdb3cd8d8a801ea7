// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of a run: a file of JSON lines, first the options and the shard, then one line for each finished part.
//!
//! A process locks its record while it writes it. The lock belongs to the open file, so it ends with the process, and on a file system that
//! supports `flock` between machines (NFS version 4, GPFS, Lustre with `-o flock`) it also excludes other machines.

use crate::Shard;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The version of the format of records.
const FORMAT_VERSION: u32 = 3;

/// All options that can change the result of a part.
pub trait Options: Serialize + DeserializeOwned + PartialEq {
    /// The command whose runs have these options.
    const COMMAND: &'static str;

    /// The options as texts such as `--seed 4` or `no --seed`, in an order that does not depend on their values.
    fn settings(&self) -> Vec<String>;

    /// The reason, as a clause, why these options differ from `recorded` although their settings are equal, for example that an input file
    /// has changed.
    fn change(&self, recorded: &Self) -> String;

    /// The difference between a recorded run and this one, as a clause; `None`: there is none.
    fn difference(&self, recorded: &Self) -> Option<String> {
        let (was, is) = (recorded.settings(), self.settings());
        match was.iter().zip(&is).find(|(was, is)| was != is) {
            Some((was, is)) => Some(format!("the recorded run has {was}, this run has {is}")),
            None => (self != recorded).then(|| self.change(recorded)),
        }
    }
}

/// The setting of an option: `NAME VALUE`, or `no NAME`.
pub fn setting(name: &str, value: Option<impl Display>) -> String {
    value.map_or_else(|| format!("no {name}"), |value| format!("{name} {value}"))
}

/// The setting of an option without a value: `NAME`, or `no NAME`.
pub fn flag(name: &str, is_set: bool) -> String {
    if is_set {
        name.to_string()
    } else {
        format!("no {name}")
    }
}

/// The first line of a record.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head<O> {
    format_version: u32,
    command: String,
    shard: Shard,
    options: O,
}

/// The content of a record.
#[derive(Debug)]
pub struct Recorded<O, D> {
    pub path: PathBuf,
    pub shard: Shard,
    pub options: O,
    /// The finished parts, in the order in which they ended.
    pub done: Vec<D>,
}

/// Why a record cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("{} has the results of an earlier run", .0.display())]
    Exists(PathBuf),
    #[error("cannot resume: there is no record {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is being written by another process, on this or another machine", .0.display())]
    InUse(PathBuf),
    #[error("cannot resume from {}: {why}", .path.display())]
    Different { path: PathBuf, why: String },
    #[error("{}:{line}: not a line of a record of `{command}`: {why}", .path.display())]
    Line { path: PathBuf, line: usize, command: &'static str, why: String },
    #[error("{} is empty, which is a record of a run that ended at its start", .0.display())]
    Empty(PathBuf),
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl RecordError {
    /// What to do about it, as one sentence.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            RecordError::Exists(_) => Some("continue it with `--resume`, or delete the file to start again"),
            RecordError::Missing(_) => Some("leave `--resume` out to start the run"),
            RecordError::InUse(_) => Some("wait until that process ends, or give each process a record of its own"),
            RecordError::Different { .. } | RecordError::Line { .. } => {
                Some("repeat the options of the recorded run, or delete the file and leave `--resume` out to start again")
            }
            RecordError::Empty(_) => Some("resume that run, or leave the file out"),
            RecordError::Read { .. } | RecordError::Write { .. } => None,
        }
    }
}

/// A record that this process writes.
pub struct Record {
    path: PathBuf,
    /// The locked file, or the first error of a write.
    file: Mutex<io::Result<File>>,
}

impl Record {
    /// Starts a record.
    ///
    /// # Errors
    /// If the file exists, or cannot be written.
    pub fn create<O: Options>(path: &Path, shard: Shard, options: O) -> Result<Record, RecordError> {
        let path = path.to_path_buf();
        let file = match OpenOptions::new().read(true).append(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(RecordError::Exists(path)),
            Err(source) => return Err(RecordError::Write { path, source }),
            Ok(file) => locked(file, &path)?,
        };
        Record::begin(path, file, shard, options)
    }

    /// Opens the record of an interrupted run, and returns it with its finished parts. An incomplete last line, which an interruption can
    /// leave, is removed. A record without a complete line is started anew.
    ///
    /// # Errors
    /// If there is no record, another process writes it, it is of a run with other options, or it cannot be read or written.
    pub fn resume<O: Options, D: DeserializeOwned>(
        path: &Path,
        shard: Shard,
        options: O,
    ) -> Result<(Record, Vec<D>), RecordError> {
        let path = path.to_path_buf();
        let mut file = match OpenOptions::new().read(true).append(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(RecordError::Missing(path)),
            Err(source) => return Err(RecordError::Write { path, source }),
            Ok(file) => locked(file, &path)?,
        };
        let text = text_of(&mut file, &path)?;
        let complete = complete_lines(&text);
        if !complete.is_empty() {
            let recorded: Recorded<O, D> = parse(&path, complete)?;
            let why = match recorded.shard == shard {
                true => options.difference(&recorded.options),
                false => Some(format!("the recorded run is shard {}, this run is shard {shard}", recorded.shard)),
            };
            if let Some(why) = why {
                return Err(RecordError::Different { path, why });
            }
            if let Err(source) = file.set_len(complete.len() as u64) {
                return Err(RecordError::Write { path, source });
            }
            return Ok((Record { path, file: Mutex::new(Ok(file)) }, recorded.done));
        }
        if let Err(source) = file.set_len(0) {
            return Err(RecordError::Write { path, source });
        }
        Ok((Record::begin(path, file, shard, options)?, vec![]))
    }

    fn begin<O: Options>(path: PathBuf, file: File, shard: Shard, options: O) -> Result<Record, RecordError> {
        let head = Head { format_version: FORMAT_VERSION, command: O::COMMAND.to_string(), shard, options };
        let record = Record { path, file: Mutex::new(Ok(file)) };
        record.add(&head);
        let failed = record.file.lock().unwrap_or_else(PoisonError::into_inner).as_ref().err().map(io::Error::kind);
        match failed {
            Some(kind) => Err(RecordError::Write { path: record.path, source: kind.into() }),
            None => Ok(record),
        }
    }

    /// Adds a finished part. The first error is kept for [`Record::end`], since the run itself can continue.
    pub fn add(&self, done: &impl Serialize) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = file.as_mut() {
            // The line is written by one call, so that an interruption leaves at most one incomplete line.
            let line = serde_json::to_string(done).map_err(io::Error::from);
            if let Err(error) = line.and_then(|line| open.write_all((line + "\n").as_bytes())) {
                *file = Err(error);
            }
        }
    }

    /// Ends the record, and releases its lock.
    ///
    /// # Errors
    /// If a part could not be added.
    pub fn end(self) -> Result<(), RecordError> {
        let Record { path, file } = self;
        match file.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Ok(_) => Ok(()),
            Err(source) => Err(RecordError::Write { path, source }),
        }
    }
}

/// Reads a record, also while a process writes it.
///
/// # Errors
/// If the file cannot be read or is not a record of a run with such options.
pub fn read<O: Options, D: DeserializeOwned>(path: &Path) -> Result<Recorded<O, D>, RecordError> {
    let mut file = File::open(path).map_err(|source| RecordError::Read { path: path.to_path_buf(), source })?;
    let text = text_of(&mut file, path)?;
    match complete_lines(&text) {
        "" => Err(RecordError::Empty(path.to_path_buf())),
        complete => parse(path, complete),
    }
}

fn locked(file: File, path: &Path) -> Result<File, RecordError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(RecordError::InUse(path.to_path_buf())),
        Err(TryLockError::Error(source)) => Err(RecordError::Write { path: path.to_path_buf(), source }),
    }
}

fn text_of(file: &mut File, path: &Path) -> Result<String, RecordError> {
    let mut text = String::new();
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_string(&mut text));
    read.map_err(|source| RecordError::Read { path: path.to_path_buf(), source })?;
    Ok(text)
}

/// The text up to its last line end.
fn complete_lines(text: &str) -> &str {
    text.rfind('\n').map_or("", |end| &text[..=end])
}

fn parse<O: Options, D: DeserializeOwned>(path: &Path, text: &str) -> Result<Recorded<O, D>, RecordError> {
    let command = O::COMMAND;
    let wrong = |line: usize, why: String| RecordError::Line { path: path.to_path_buf(), line, command, why };
    let mut lines = (1..).zip(text.lines());
    let (line, first) = lines.next().ok_or_else(|| RecordError::Empty(path.to_path_buf()))?;
    /// The keys that decide whether the rest of the line can be read.
    #[derive(Deserialize)]
    struct Kind {
        format_version: u32,
        command: String,
    }
    let kind: Kind = serde_json::from_str(first).map_err(|error| wrong(line, error.to_string()))?;
    if kind.command != command {
        return Err(wrong(line, format!("it is a record of `{}`", kind.command)));
    }
    if kind.format_version != FORMAT_VERSION {
        return Err(wrong(line, format!("its format is version {}; expected {FORMAT_VERSION}", kind.format_version)));
    }
    let head: Head<O> = serde_json::from_str(first).map_err(|error| wrong(line, error.to_string()))?;
    let done = lines.map(|(line, text)| serde_json::from_str(text).map_err(|error| wrong(line, error.to_string())));
    Ok(Recorded { path: path.to_path_buf(), shard: head.shard, options: head.options, done: done.collect::<Result<_, _>>()? })
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
