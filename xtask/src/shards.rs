// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs that are split over machines: the options of their commands, and the records that these options name.

use anyhow::{anyhow, Context, Result};
use bcu_shard::{join, read, Head, JoinError, Joined, Named, Names, Options, Origin, Record, RecordError, Shard};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The options of a command whose run can be split and resumed.
#[derive(Default, clap::Args)]
pub struct ShardArgs {
    /// Records each finished part in this file, for `--resume` and `--merge`.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Continues an interrupted run with the same options from its record.
    #[arg(long, requires = "record")]
    pub resume: bool,
    /// Runs only shard I of N, for example 3/8: every Nth part, beginning with the Ith.
    #[arg(long, value_name = "I/N", requires = "record")]
    shard: Option<Shard>,
}

impl ShardArgs {
    /// The shard that runs; without `--shard` the whole run.
    pub fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }

    /// Starts or continues the record that `--record` names, and returns it with the results that
    /// it already holds; `None`: there is no `--record`. `options` is called only if there is one. `names` are the parts of all shards.
    ///
    /// # Errors
    /// If `options` fails, or the record cannot be started or continued.
    pub fn open<O: Options, D: DeserializeOwned + Named>(
        &self,
        options: impl FnOnce() -> Result<O>,
        names: &Names,
    ) -> Result<(Option<Record>, Vec<D>)> {
        let Some(path) = &self.record else { return Ok((None, vec![])) };
        let (record, known) = open(path, self.shard(), self.resume, options()?, names)?;
        Ok((Some(record), known))
    }
}

/// Starts or, if `resume` is set, continues the record of a shard. Returns it with the results that it already holds. `names` are the parts
/// of all shards.
///
/// # Errors
/// If the record cannot be started or continued, or has a result that is not of a part of the shard.
pub fn open<O: Options, D: DeserializeOwned + Named>(
    path: &Path,
    shard: Shard,
    resume: bool,
    options: O,
    names: &Names,
) -> Result<(Record, Vec<D>)> {
    // The options have the versions of the tools.
    let head = Head { shard, options, origin: Origin::here([]) };
    match resume {
        true => Record::resume(path, &head, |known: &[D]| names.check(shard, known)),
        false => Record::create(path, &head).map(|record| (record, vec![])),
    }
    .map_err(explained)
}

/// Ends a record, if there is one.
///
/// # Errors
/// If a part could not be added to it.
pub fn end(record: Option<Record>) -> Result<()> {
    record.map_or(Ok(()), Record::end).map_err(explained)
}

/// The joined records of the shards of one run.
///
/// # Errors
/// If a file cannot be read or is not such a record, the records are not of one run, or two are of the same shard.
pub fn joined<O: Options, D: DeserializeOwned>(records: &[PathBuf]) -> Result<Joined<O, D>> {
    let read_records = records.iter().map(|path| read(path).map_err(explained)).collect::<Result<_>>()?;
    join(read_records).map_err(|error: JoinError| anyhow!("{error}: name one record for each shard of one run"))
}

/// Checks the results of joined records; `names` are the parts of the run.
///
/// # Errors
/// If a record has a result that is not of a part of its shard.
pub fn check<O: Options, D: Named>(joined: &Joined<O, D>, names: &Names) -> Result<()> {
    joined.check(|shard, done| names.check(shard, done)).map_err(explained)
}

/// Whether a result could not be added to the record: the run then stops, since its further results would be lost.
pub fn has_failed(record: Option<&Record>) -> bool {
    record.is_some_and(Record::has_failed)
}

/// A CRC of this program's file, for records of results that depend on the whole program.
///
/// # Errors
/// If the file cannot be read.
pub fn program_checksum() -> Result<String> {
    let bytes = env::current_exe().and_then(fs::read).context("cannot read the file of this program for the record")?;
    Ok(format!("{:08x}", crc32fast::hash(&bytes)))
}

/// The error with its remedy, as one text. A `RecordError` includes the text of its cause, so the
/// cause is not attached to the error again.
fn explained(error: RecordError) -> anyhow::Error {
    match error.help() {
        Some(help) => anyhow!("{error}: {help}"),
        None => anyhow!("{error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Seed(u32);

    impl Options for Seed {
        const COMMAND: &'static str = "test";

        fn settings(&self) -> Vec<String> {
            vec![format!("seed {}", self.0)]
        }

        fn change(&self, _: &Seed) -> String {
            unreachable!("all options are settings")
        }
    }

    /// The result of a part, by its name.
    #[derive(Debug, Serialize, Deserialize)]
    struct Part(String);

    impl Named for Part {
        fn name(&self) -> &str {
            &self.0
        }

        fn agrees_with(&self, _: &Part) -> bool {
            true
        }
    }

    fn names() -> Names {
        Names::in_order(["a", "b"])
    }

    fn error(args: &ShardArgs, seed: u32) -> String {
        args.open::<Seed, Part>(|| Ok(Seed(seed)), &names()).map(|(_, known)| known).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_record_and_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        let start = ShardArgs { record: Some(path.clone()), ..ShardArgs::default() };
        let resume = ShardArgs { record: Some(path.clone()), resume: true, shard: None };
        let with_path = |text: &str| text.replace("PATH", &path.display().to_string());
        assert_eq!(
            error(&resume, 1),
            with_path("cannot resume: there is no record PATH: leave `--resume` out to start the run")
        );
        end(start.open::<Seed, Part>(|| Ok(Seed(1)), &names()).unwrap().0).unwrap();
        let remedy = "continue that run with `--resume`, or delete the file to start again";
        assert_eq!(error(&start, 1), with_path(&format!("PATH has the results of an earlier run: {remedy}")));
        assert!(error(&resume, 2).contains("the recorded run has seed 1, this run has seed 2"));
        let again = joined::<Seed, Part>(&[path.clone(), path.clone()]).unwrap_err().to_string();
        assert_eq!(again, with_path("PATH and PATH are both records of shard 1/1: name one record for each shard of one run"));
        let absent = format!("{:#}", joined::<Seed, Part>(&[folder.path().join("s")]).unwrap_err());
        assert_eq!(absent.matches("os error 2").count(), 1, "{absent}");
        fs::write(&path, "x\n").unwrap();
        let foreign = joined::<Seed, Part>(&[path]).unwrap_err().to_string();
        assert!(foreign.contains("r:1: not a line of a record of `test`"), "{foreign}");
    }

    #[test]
    fn a_result_that_is_not_of_the_run_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        let start = ShardArgs { record: Some(path.clone()), ..ShardArgs::default() };
        let record = start.open::<Seed, Part>(|| Ok(Seed(1)), &names()).unwrap().0;
        ["a", "c"].iter().for_each(|name| record.as_ref().unwrap().add(&Part(name.to_string())));
        assert!(!has_failed(record.as_ref()));
        end(record).unwrap();
        let refused = error(&ShardArgs { resume: true, ..start }, 1);
        let part =
            format!("{}:3: not a line of a record of `test`: `c` is not a part of the run: delete the line", path.display());
        assert!(refused.starts_with(&part), "{refused}");
        let merged = joined::<Seed, Part>(&[path]).unwrap();
        assert!(check(&merged, &names()).unwrap_err().to_string().starts_with(&part));
    }

    #[test]
    fn without_a_record_nothing_is_read_or_written() {
        let (record, known) = ShardArgs::default().open::<Seed, Part>(|| panic!("no options are needed"), &names()).unwrap();
        assert!(record.is_none() && known.is_empty());
    }
}
