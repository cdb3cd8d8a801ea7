// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The content of a record, which is read line by line: first its head, then the finished parts.

use crate::{Options, Origin, RecordError, Shard};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The version of the format of records.
const FORMAT_VERSION: u32 = 4;

/// The maximum length of a line in bytes; the line of a part with coverage has some hundred thousand.
const MAX_LINE: u64 = 16 << 20;

/// The key of the first line whose value does not decide whether a run can be resumed. It is the last one.
const ORIGIN_KEY: &str = ",\"origin\":";

/// What the first line of a record says about its run.
#[derive(Clone, Debug)]
pub struct Head<O> {
    pub shard: Shard,
    pub options: O,
    /// The machine that has started the record.
    pub origin: Origin,
}

/// The first line of a record.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine<O> {
    format_version: u32,
    command: String,
    shard: Shard,
    options: O,
    origin: Origin,
}

/// The keys of the first line that decide whether the rest of it can be read.
#[derive(Deserialize)]
struct Kind {
    format_version: u32,
    command: String,
}

/// The content of a record.
#[derive(Debug)]
pub struct Recorded<O, D> {
    pub path: PathBuf,
    pub shard: Shard,
    pub options: O,
    pub origin: Origin,
    /// The finished parts, in the order in which they ended.
    pub done: Vec<D>,
}

/// The complete lines of a file, and what follows them.
pub(crate) struct Content<O, D> {
    /// `None`: there is no complete line.
    pub recorded: Option<Recorded<O, D>>,
    /// The length of the complete lines in bytes.
    pub length: u64,
    /// The incomplete last line, which an interruption can leave.
    pub rest: Vec<u8>,
}

/// The first line of a record.
pub(crate) fn first_line<O: Options>(head: &Head<O>) -> io::Result<String> {
    let Head { shard, options, origin } = head;
    let (shard, origin) = (*shard, origin.clone());
    let line = FirstLine { format_version: FORMAT_VERSION, command: O::COMMAND.to_string(), shard, options, origin };
    Ok(serde_json::to_string(&line)? + "\n")
}

/// Whether `start`, which has no line end, can be the start of `first_line`, possibly with another origin.
pub(crate) fn is_start_of(start: &[u8], first_line: &str) -> bool {
    let known = first_line.rfind(ORIGIN_KEY).map_or(first_line, |end| &first_line[..end + ORIGIN_KEY.len()]).as_bytes();
    start.starts_with(known) || known.starts_with(start)
}

/// Reads a record, also while a process writes it.
///
/// # Errors
/// If the file cannot be read or is not a record of a run with such options.
pub fn read<O: Options, D: DeserializeOwned>(path: &Path) -> Result<Recorded<O, D>, RecordError> {
    check_kind(path)?;
    let file = File::open(path).map_err(|source| RecordError::Read { path: path.to_path_buf(), source })?;
    let Content { recorded, rest, .. } = content::<O, D>(path, &file)?;
    recorded.ok_or_else(|| {
        let start = format!("{{\"format_version\":{FORMAT_VERSION},\"command\":\"{}\",", O::COMMAND);
        match rest.starts_with(start.as_bytes()) || start.as_bytes().starts_with(&rest) {
            true => RecordError::Empty(path.to_path_buf()),
            false => RecordError::of_line::<O>(path, 1, "the line is incomplete, and does not begin as a record".to_string()),
        }
    })
}

/// Refuses a path of what is not a file: reading it may never end.
pub(crate) fn check_kind(path: &Path) -> Result<(), RecordError> {
    let kind = match fs::metadata(path) {
        Ok(about) if about.is_file() => return Ok(()),
        Ok(about) if about.is_dir() => "a folder",
        Ok(_) => "a device, a pipe or a socket",
        Err(_) if path.is_symlink() => "a link to a missing file",
        // The error is reported when the file is opened.
        Err(_) => return Ok(()),
    };
    Err(RecordError::Kind { path: path.to_path_buf(), kind })
}

/// Reads the complete lines of a file.
pub(crate) fn content<O: Options, D: DeserializeOwned>(path: &Path, file: &File) -> Result<Content<O, D>, RecordError> {
    let mut file = BufReader::new(file);
    let (mut number, mut length) = (0, 0);
    let mut recorded: Option<Recorded<O, D>> = None;
    loop {
        let mut line = vec![];
        number += 1;
        let read = file.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line);
        read.map_err(|source| RecordError::Read { path: path.to_path_buf(), source })?;
        if line.len() as u64 > MAX_LINE {
            return Err(RecordError::of_line::<O>(path, number, format!("the line is longer than {} MiB", MAX_LINE >> 20)));
        }
        if line.last() != Some(&b'\n') {
            return Ok(Content { recorded, length, rest: line });
        }
        let parsed = match &mut recorded {
            None => parse_head(path, &line).map(|first| recorded = Some(first)),
            Some(recorded) => serde_json::from_slice(&line).map(|done| recorded.done.push(done)).map_err(|e| reason(&e)),
        };
        parsed.map_err(|why| RecordError::of_line::<O>(path, number, why))?;
        length += line.len() as u64;
    }
}

fn parse_head<O: Options, D>(path: &Path, line: &[u8]) -> Result<Recorded<O, D>, String> {
    let kind: Kind = serde_json::from_slice(line).map_err(|error| reason(&error))?;
    if kind.command != O::COMMAND {
        return Err(format!("the file is a record of `{}`", kind.command));
    }
    if kind.format_version != FORMAT_VERSION {
        return Err(format!("the format of the record is version {}; expected {FORMAT_VERSION}", kind.format_version));
    }
    let FirstLine { shard, options, origin, .. } = serde_json::from_slice(line).map_err(|error| reason(&error))?;
    Ok(Recorded { path: path.to_path_buf(), shard, options, origin, done: vec![] })
}

/// The text of an error of `serde_json` without its position, which the caller reports, and without Rust's names of integer types.
pub fn reason(error: &serde_json::Error) -> String {
    let why = error.to_string();
    let why = why.strip_suffix(&format!(" at line {} column {}", error.line(), error.column())).unwrap_or(&why);
    match ["expected u64", "expected u32", "expected usize"].iter().find_map(|kind| why.strip_suffix(kind)) {
        Some(found) => format!("{found}expected a whole number that is not negative"),
        None => why.to_string(),
    }
}
