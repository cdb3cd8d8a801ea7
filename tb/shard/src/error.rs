// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a record cannot be written or read, and what to do about it.

use crate::Options;
use std::io;
use std::path::{Path, PathBuf};

/// Why a record cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("{} has the results of an earlier run", .0.display())]
    Exists(PathBuf),
    #[error("cannot resume: there is no record {}", .0.display())]
    Missing(PathBuf),
    #[error("{} is {kind}; expected a file for the record", .path.display())]
    Kind { path: PathBuf, kind: &'static str },
    #[error("{} is being written by another process, on this or another machine", .0.display())]
    InUse(PathBuf),
    #[error("cannot resume from {}: {why}", .path.display())]
    Different { path: PathBuf, why: String },
    #[error("{}:{line}: not a line of a record of `{command}`: {why}", .path.display())]
    Line { path: PathBuf, line: usize, command: &'static str, why: String },
    #[error("{} has no complete line: the recorded run ended at its start", .0.display())]
    Empty(PathBuf),
    #[error("{} was removed, replaced or changed while the run wrote it", .0.display())]
    Changed(PathBuf),
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    /// As [`RecordError::Write`], after the start of the record.
    #[error("cannot add a result to {}: {source}", .path.display())]
    Add { path: PathBuf, source: io::Error },
}

impl RecordError {
    /// The error of a line that is not one of a record of such options, for the reason `why`.
    pub(crate) fn of_line<O: Options>(path: &Path, line: usize, why: String) -> RecordError {
        RecordError::Line { path: path.to_path_buf(), line, command: O::COMMAND, why }
    }

    /// The error that the result at `position` cannot be one of the run, for the reason `why`. The first line has the options.
    pub fn of_result<O: Options>(path: &Path, position: usize, why: String) -> RecordError {
        RecordError::of_line::<O>(path, position + 2, why)
    }

    /// What to do about it, as one sentence.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            RecordError::Line { line: 1, command, .. } => {
                return Some(format!("name files that `{command} --record` has written"))
            }
            RecordError::Exists(_) => Some("continue that run with `--resume`, or delete the file to start again"),
            RecordError::Missing(_) => Some("leave `--resume` out to start the run"),
            RecordError::Kind { .. } => Some("name another path"),
            RecordError::InUse(_) => Some("wait until that process ends, or give each process a record of its own"),
            RecordError::Different { .. } => {
                Some("repeat the options of the recorded run, or delete the file and leave `--resume` out to start again")
            }
            RecordError::Line { .. } => {
                Some("delete the line, and continue the run with `--resume`, which runs that part again")
            }
            RecordError::Empty(_) => Some("continue that run with `--resume`, or leave the file out"),
            RecordError::Changed(_) => {
                Some("do not change a record during its run; `--resume` runs the parts that the record lacks")
            }
            RecordError::Add { .. } => Some("continue the run with `--resume` when the file can be written"),
            RecordError::Read { .. } | RecordError::Write { .. } => None,
        };
        help.map(str::to_string)
    }
}
