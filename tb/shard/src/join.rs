// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joins the records of the shards of one run.

use crate::{Options, Origin, RecordError, Recorded, Shard};
use std::path::PathBuf;

/// The joined records of the shards of one run.
#[derive(Debug)]
pub struct Joined<O, D> {
    pub options: O,
    pub done: Vec<D>,
    /// The shards without a record.
    pub missing: Vec<Shard>,
    /// The source of each record, in the order in which the records were given.
    pub records: Vec<Source>,
}

/// Where the results of a shard come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub shard: Shard,
    /// The file of the record.
    pub path: PathBuf,
    pub origin: Origin,
    /// The number of results of the record.
    pub count: usize,
}

impl<O: Options, D> Joined<O, D> {
    /// Checks the results of each record. `check` returns the position of a result that cannot be of the shard, with the reason.
    ///
    /// # Errors
    /// The first such result, with its line.
    pub fn check(&self, check: impl Fn(Shard, &[D]) -> Result<(), (usize, String)>) -> Result<(), RecordError> {
        let mut rest = self.done.as_slice();
        self.records.iter().try_for_each(|record| {
            let (done, after) = rest.split_at(record.count);
            rest = after;
            check(record.shard, done).map_err(|(position, why)| RecordError::of_result::<O>(&record.path, position, why))
        })
    }
}

impl<O, D> Joined<O, D> {
    /// The shard that has the part at `position` of the run.
    pub fn shard_of(&self, position: usize) -> Shard {
        let any = self.records.first().map_or(Shard::WHOLE, |record| record.shard);
        any.siblings().find(|shard| shard.contains(position)).unwrap_or(any)
    }

    /// Describes what the run lacks: one clause about the shards without a record, one about the records that lack a part. `positions` are
    /// the positions of the missing parts in the run. The list is empty if nothing is missing.
    pub fn gaps(&self, positions: &[usize]) -> Vec<String> {
        let shards: Vec<String> = self.missing.iter().map(Shard::to_string).collect();
        let incomplete = self.records.iter().filter(|record| positions.iter().any(|position| record.shard.contains(*position)));
        let incomplete: Vec<String> = incomplete.map(|record| record.path.display().to_string()).collect();
        let absent = (!shards.is_empty()).then(|| format!("no record of shard {} was given", shards.join(", ")));
        let resume = || format!("the run of {} is not complete; continue it with `--resume`", incomplete.join(", "));
        absent.into_iter().chain((!incomplete.is_empty()).then(resume)).collect()
    }
}

/// Why records cannot be joined.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    #[error("there is no record to join")]
    None,
    #[error("{} and {} are not of one run: {why}", .first.display(), .other.display())]
    Different { first: PathBuf, other: PathBuf, why: String },
    #[error("{} and {} are both records of shard {shard}", .first.display(), .other.display())]
    Twice { first: PathBuf, other: PathBuf, shard: Shard },
}

/// Joins the records of one run. A shard may have at most one record.
///
/// # Errors
/// If no record is given, the records are not of one run, or two are of the same shard.
pub fn join<O: Options, D>(records: Vec<Recorded<O, D>>) -> Result<Joined<O, D>, JoinError> {
    let first = records.first().ok_or(JoinError::None)?;
    for other in &records[1..] {
        let counts = (first.shard.count(), other.shard.count());
        let why = match counts.0 == counts.1 {
            true => other.options.difference(&first.options),
            false => Some(format!("the first has one of {} shards, the other one of {}", counts.0, counts.1)),
        };
        if let Some(why) = why {
            return Err(JoinError::Different { first: first.path.clone(), other: other.path.clone(), why });
        }
    }
    for (position, other) in records.iter().enumerate() {
        if let Some(first) = records[..position].iter().find(|first| first.shard == other.shard) {
            let (first, other, shard) = (first.path.clone(), other.path.clone(), other.shard);
            return Err(JoinError::Twice { first, other, shard });
        }
    }
    let missing = first.shard.siblings().filter(|shard| records.iter().all(|record| record.shard != *shard)).collect();
    let source = |record: &Recorded<O, D>| {
        let (path, origin) = (record.path.clone(), record.origin.clone());
        Source { shard: record.shard, path, origin, count: record.done.len() }
    };
    let sources = records.iter().map(source).collect();
    let mut records = records.into_iter();
    let Recorded { options, mut done, .. } = records.next().ok_or(JoinError::None)?;
    done.extend(records.flat_map(|record| record.done));
    Ok(Joined { options, done, missing, records: sources })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Cycles;

    fn record(path: &str, cycles: u32, shard: &str) -> Recorded<Cycles, String> {
        Recorded {
            path: path.into(),
            shard: shard.parse().unwrap(),
            options: Cycles(cycles),
            origin: Origin::default(),
            done: vec![format!("part of {path}")],
        }
    }

    #[test]
    fn records_of_one_run_are_joined_and_missing_shards_named() {
        let joined = join(vec![record("a", 1, "3/3"), record("b", 1, "1/3")]).unwrap();
        assert_eq!(joined.done, ["part of a", "part of b"]);
        assert_eq!(joined.missing, ["2/3".parse().unwrap()]);
    }

    #[test]
    fn shards_without_a_record_and_incomplete_records_are_named() {
        let joined = join(vec![record("c", 1, "3/3"), record("a", 1, "1/3")]).unwrap();
        assert_eq!(joined.gaps(&[]), ["no record of shard 2/3 was given"]);
        assert_eq!([0, 4, 5].map(|position| joined.shard_of(position).to_string()), ["1/3", "2/3", "3/3"]);
        let incomplete = "the run of c is not complete; continue it with `--resume`";
        assert_eq!(joined.gaps(&[1, 5]), ["no record of shard 2/3 was given", incomplete]);
        let whole = join(vec![record("a", 1, "1/1")]).unwrap();
        assert!(whole.gaps(&[]).is_empty());
        assert_eq!(whole.gaps(&[4]), ["the run of a is not complete; continue it with `--resume`"]);
    }

    #[test]
    fn a_wrong_result_is_reported_with_its_record_and_line() {
        let joined = join(vec![record("a", 1, "1/2"), record("b", 1, "2/2")]).unwrap();
        let check = |wrong: &str| {
            let wrong = wrong.to_string();
            joined.check(|shard, done| {
                let position = done.iter().position(|part| *part == wrong);
                position.map_or(Ok(()), |position| Err((position, format!("not of {shard}"))))
            })
        };
        assert!(check("part of c").is_ok());
        let error = check("part of b").unwrap_err().to_string();
        assert_eq!(error, "b:2: not a line of a record of `test`: not of 2/2");
    }

    #[test]
    fn records_of_different_runs_are_refused() {
        let text = |records| join::<Cycles, String>(records).unwrap_err().to_string();
        assert_eq!(
            text(vec![record("a", 1, "1/2"), record("b", 2, "2/2")]),
            "a and b are not of one run: the recorded run has --cycles 1, this run has --cycles 2"
        );
        let counts = "a and b are not of one run: the first has one of 2 shards, the other one of 3";
        assert_eq!(text(vec![record("a", 1, "1/2"), record("b", 1, "2/3")]), counts);
        assert_eq!(text(vec![record("a", 1, "1/2"), record("b", 1, "1/2")]), "a and b are both records of shard 1/2");
        assert_eq!(text(vec![]), "there is no record to join");
    }
}
