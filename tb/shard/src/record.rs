// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of a run: a file of JSON lines, first its head, then one line for each finished part.
//!
//! A process locks its record while it writes it. The lock belongs to the open file, so it ends with the process, and on a file system that
//! supports `flock` between machines (NFS version 4, GPFS, Lustre with `-o flock`) it also excludes other machines.

use crate::content::{check_kind, content, first_line, is_start_of, Content, Head};
use crate::{Options, RecordError};
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A record that this process writes.
pub struct Record {
    path: PathBuf,
    /// The locked file, or the first error of a write.
    file: Mutex<io::Result<Locked>>,
}

/// The locked file of a record.
struct Locked {
    file: File,
    /// The length of the file if only this process has written to it, in bytes.
    length: u64,
}

impl Locked {
    fn new(file: File, path: &Path) -> Result<Locked, RecordError> {
        match file.try_lock() {
            Ok(()) => Ok(Locked { file, length: 0 }),
            Err(TryLockError::WouldBlock) => Err(RecordError::InUse(path.to_path_buf())),
            Err(TryLockError::Error(source)) => Err(RecordError::Write { path: path.to_path_buf(), source }),
        }
    }

    /// Adds a line, and waits until it is on the disk. The line is written by one call, so that an interruption leaves at most one
    /// incomplete line.
    fn add(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.length += line.len() as u64;
        self.file.sync_data()
    }

    /// Whether `path` still leads to this file, and nothing else has changed its length.
    fn is_intact(&self, path: &Path) -> io::Result<bool> {
        let (written, found) = (self.file.metadata()?, fs::metadata(path)?);
        #[cfg(unix)]
        let is_same = {
            use std::os::unix::fs::MetadataExt;
            (written.dev(), written.ino()) == (found.dev(), found.ino())
        };
        #[cfg(not(unix))]
        let is_same = written.len() == found.len();
        Ok(is_same && found.len() == self.length)
    }
}

impl Record {
    /// Starts a record. If that fails, no file is left.
    ///
    /// # Errors
    /// If the path is taken, or cannot be written.
    pub fn create<O: Options>(path: &Path, head: &Head<O>) -> Result<Record, RecordError> {
        let cannot = |source| RecordError::Write { path: path.to_path_buf(), source };
        let line = first_line(head).map_err(cannot)?;
        let file = match OpenOptions::new().read(true).append(true).create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                check_kind(path)?;
                return Err(RecordError::Exists(path.to_path_buf()));
            }
            file => file.map_err(cannot)?,
        };
        let record = Locked::new(file, path).and_then(|file| Record::begin(path, file, &line));
        if !matches!(record, Ok(_) | Err(RecordError::InUse(_))) {
            // A failed removal is ignored; the first error is the one to report.
            let _ = fs::remove_file(path);
        }
        record
    }

    /// Opens the record of an interrupted run, and returns it with its finished parts. An incomplete last line, which an interruption can
    /// leave, is removed. A record that ends in its first line is started anew. `check` returns the position of a part that cannot be of
    /// this run, with the reason.
    ///
    /// # Errors
    /// If there is no record, another process writes it, it is of a run with other options, or it cannot be read or written.
    pub fn resume<O: Options, D: DeserializeOwned>(
        path: &Path,
        head: &Head<O>,
        check: impl FnOnce(&[D]) -> Result<(), (usize, String)>,
    ) -> Result<(Record, Vec<D>), RecordError> {
        let cannot = |source| RecordError::Write { path: path.to_path_buf(), source };
        check_kind(path)?;
        let mut file = match OpenOptions::new().read(true).append(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(RecordError::Missing(path.to_path_buf())),
            file => Locked::new(file.map_err(cannot)?, path)?,
        };
        let Content { recorded, length, rest } = content::<O, D>(path, &file.file)?;
        let Some(recorded) = recorded else {
            let line = first_line(head).map_err(cannot)?;
            if !is_start_of(&rest, &line) {
                let why = "the line is incomplete, and does not begin as the record of this run".to_string();
                return Err(RecordError::of_line::<O>(path, 1, why));
            }
            file.file.set_len(0).map_err(cannot)?;
            return Ok((Record::begin(path, file, &line)?, vec![]));
        };
        let shard = head.shard;
        let why = match recorded.shard == shard {
            true => head.options.difference(&recorded.options),
            false => Some(format!("the recorded run is shard {}, this run is shard {shard}", recorded.shard)),
        };
        if let Some(why) = why {
            return Err(RecordError::Different { path: path.to_path_buf(), why });
        }
        check(&recorded.done).map_err(|(position, why)| RecordError::of_result::<O>(path, position, why))?;
        file.file.set_len(length).map_err(cannot)?;
        file.length = length;
        Ok((Record { path: path.to_path_buf(), file: Mutex::new(Ok(file)) }, recorded.done))
    }

    fn begin(path: &Path, mut file: Locked, line: &str) -> Result<Record, RecordError> {
        file.add(line).map_err(|source| RecordError::Write { path: path.to_path_buf(), source })?;
        Ok(Record { path: path.to_path_buf(), file: Mutex::new(Ok(file)) })
    }

    /// Adds a finished part. The first error is kept for [`Record::end`], and nothing is added after it.
    pub fn add(&self, done: &impl Serialize) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = file.as_mut() {
            let line = serde_json::to_string(done).map_err(io::Error::from);
            if let Err(error) = line.and_then(|line| open.add(&(line + "\n"))) {
                *file = Err(error);
            }
        }
    }

    /// Whether a part could not be added. The record then remains incomplete.
    pub fn has_failed(&self) -> bool {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).is_err()
    }

    /// Ends the record, and releases its lock.
    ///
    /// # Errors
    /// If a part could not be added, or the file is not as this process has written it.
    pub fn end(self) -> Result<(), RecordError> {
        let Record { path, file } = self;
        let file = match file.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Ok(file) => file,
            Err(source) => return Err(RecordError::Add { path, source }),
        };
        match file.is_intact(&path) {
            Ok(true) => Ok(()),
            _ => Err(RecordError::Changed(path)),
        }
    }
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
