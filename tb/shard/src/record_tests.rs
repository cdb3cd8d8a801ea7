// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the record of a run.

use super::*;
use crate::fixture::Cycles;
use std::fs;

type Resumed = Result<(Record, Vec<String>), RecordError>;

fn resume(path: &Path, cycles: u32) -> Resumed {
    Record::resume(path, Shard::WHOLE, Cycles(cycles))
}

fn text(result: Resumed) -> String {
    let error = result.map(|(_, done)| done).unwrap_err();
    assert!(error.help().is_some() || matches!(error, RecordError::Read { .. } | RecordError::Write { .. }), "{error}");
    error.to_string()
}

#[test]
fn a_record_continues_after_its_last_complete_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let record = Record::create(&path, Shard::WHOLE, Cycles(5)).unwrap();
    record.add(&"a");
    record.end().unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}\"inter")).unwrap();
    assert_eq!(read::<Cycles, String>(&path).unwrap().done, ["a"]);
    let (record, done) = resume(&path, 5).unwrap();
    assert_eq!(done, ["a"]);
    record.add(&"b");
    record.end().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{whole}\"b\"\n"));
}

#[test]
fn a_run_that_was_interrupted_at_its_start_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    for start in ["", "{\"format_vers"] {
        fs::write(&path, start).unwrap();
        assert!(matches!(read::<Cycles, String>(&path), Err(RecordError::Empty(_))));
        let (record, done) = resume(&path, 5).unwrap();
        assert!(done.is_empty());
        record.add(&"a");
        record.end().unwrap();
        assert_eq!(read::<Cycles, String>(&path).unwrap().done, ["a"]);
    }
}

#[test]
fn a_record_is_never_overwritten_and_two_processes_never_write_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    assert!(text(resume(&path, 5)).starts_with("cannot resume: there is no record "));
    let record = Record::create(&path, Shard::WHOLE, Cycles(5)).unwrap();
    assert!(text(resume(&path, 5)).ends_with(" is being written by another process, on this or another machine"));
    let again = Record::create(&path, Shard::WHOLE, Cycles(5)).map(|record| (record, vec![]));
    assert!(text(again).ends_with(" has the results of an earlier run"));
    record.end().unwrap();
    assert!(text(resume(&path, 6)).ends_with("the recorded run has --cycles 5, this run has --cycles 6"));
    let other = Record::resume(&path, "2/2".parse().unwrap(), Cycles(5));
    assert!(text(other).ends_with("the recorded run is shard 1/1, this run is shard 2/2"));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1, "a refused record is left");
}

#[test]
fn other_files_are_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let head = "{\"format_version\":3,\"command\":\"test\",\"shard\":\"1/1\",\"options\":5}\n";
    for (content, part) in [
        ("tests\n", "r:1: not a line of a record of `test`: expected "),
        (&head.replace("test", "prove"), "r:1: not a line of a record of `test`: it is a record of `prove`"),
        (&head.replace(":3", ":2"), "its format is version 2; expected 3"),
        (&head.replace("1/1", "0/1"), "expected I/N with 1 <= I <= N"),
        (&format!("{head}\"a\"\n7\n"), "r:3: not a line of a record"),
    ] {
        fs::write(&path, content).unwrap();
        let error = text(resume(&path, 5));
        assert!(error.contains(part), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    fs::write(&path, b"\xff\xfe\n").unwrap();
    assert!(text(resume(&path, 5)).starts_with("cannot read "));
}
