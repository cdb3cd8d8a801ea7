// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the record of a run.

use super::*;
use crate::content::read;
use crate::fixture::Cycles;
use crate::{Origin, Shard};

type Resumed = Result<(Record, Vec<String>), RecordError>;

/// The head of a run as one shard, on the machine `here`.
fn head(cycles: u32) -> Head<Cycles> {
    Head { shard: Shard::WHOLE, options: Cycles(cycles), origin: on("here") }
}

fn on(host: &str) -> Origin {
    Origin { host: host.to_string(), ..Origin::default() }
}

fn resume(path: &Path, cycles: u32) -> Resumed {
    Record::resume(path, &head(cycles), |_| Ok(()))
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
    let record = Record::create(&path, &head(5)).unwrap();
    record.add(&"a");
    record.end().unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    // The interruption may cut a character of several bytes.
    fs::write(&path, [whole.as_bytes(), b"\"inter\xc3"].concat()).unwrap();
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
    let options = "{\"format_version\":4,\"command\":\"test\",\"shard\":\"1/1\",\"options\":5";
    // The run may have been started on another machine.
    let elsewhere = format!("{options},\"origin\":{{\"host\":\"there\",\"tools\"");
    for start in ["", "{\"format_vers", options, &elsewhere] {
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
    let record = Record::create(&path, &head(5)).unwrap();
    assert!(text(resume(&path, 5)).ends_with(" is being written by another process, on this or another machine"));
    let again = Record::create(&path, &head(5)).map(|record| (record, vec![]));
    assert!(text(again).ends_with(" has the results of an earlier run"));
    record.end().unwrap();
    assert!(text(resume(&path, 6)).ends_with("the recorded run has --cycles 5, this run has --cycles 6"));
    let other = Record::resume(&path, &Head { shard: "2/2".parse().unwrap(), ..head(5) }, |_| Ok(()));
    assert!(text(other).ends_with("the recorded run is shard 1/1, this run is shard 2/2"));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1, "a refused record is left");
}

#[test]
fn other_files_are_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let origin = "{\"host\":\"here\",\"tools\":{}}";
    let head = format!("{{\"format_version\":4,\"command\":\"test\",\"shard\":\"1/1\",\"options\":5,\"origin\":{origin}}}\n");
    for (content, part) in [
        ("tests\n", "r:1: not a line of a record of `test`: expected "),
        (&head.replace("test", "prove"), "r:1: not a line of a record of `test`: the file is a record of `prove`"),
        (&head.replace(":4", ":3"), "the format of the record is version 3; expected 4"),
        (&head.replace("1/1", "0/1"), "expected I/N with 1 <= I <= N"),
        (&format!("{head}\"a\"\n7\n"), "r:3: not a line of a record"),
    ] {
        fs::write(&path, content).unwrap();
        let error = text(resume(&path, 5));
        assert!(error.contains(part), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    fs::write(&path, b"\xff\xfe\n").unwrap();
    assert!(text(resume(&path, 5)).contains("r:1: not a line of a record of `test`: "));
    let long = format!("{head}{}", " ".repeat(17 << 20));
    fs::write(&path, &long).unwrap();
    assert!(text(resume(&path, 5)).ends_with("r:2: not a line of a record of `test`: the line is longer than 16 MiB"));
    assert_eq!(fs::metadata(&path).unwrap().len(), long.len() as u64);
}

#[test]
fn a_text_without_a_line_end_is_replaced_only_if_it_is_the_start_of_the_same_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    for (content, is_record) in [("my notes", false), ("{\"format_version\":4,\"command\":\"test\",\"shard\":\"2/2", true)] {
        fs::write(&path, content).unwrap();
        let error = text(resume(&path, 5));
        assert!(error.ends_with(
            "r:1: not a line of a record of `test`: the line is incomplete, and does not begin as the record of this run"
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        let error = read::<Cycles, String>(&path).unwrap_err();
        assert_eq!(matches!(error, RecordError::Empty(_)), is_record, "{error}");
    }
}

#[test]
fn the_reason_of_a_line_has_no_second_position_and_no_type_of_rust() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    fs::write(&path, "{\"format_version\":-3,\"command\":\"test\"}\n").unwrap();
    let why = "invalid value: integer `-3`, expected a whole number that is not negative";
    assert!(text(resume(&path, 5)).ends_with(&format!("r:1: not a line of a record of `test`: {why}")));
}

#[test]
fn a_result_that_cannot_be_of_the_run_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let record = Record::create(&path, &head(5)).unwrap();
    record.add(&"a");
    record.end().unwrap();
    let whole = fs::read_to_string(&path).unwrap() + "\"inter";
    fs::write(&path, &whole).unwrap();
    let refused: Resumed = Record::resume(&path, &head(5), |done: &[String]| Err((0, format!("no {}", done[0]))));
    assert!(text(refused).ends_with("r:2: not a line of a record of `test`: no a"));
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
}

#[test]
fn a_record_that_was_changed_during_its_run_is_refused_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    let changes: [&dyn Fn(); 4] = [
        &|| fs::remove_file(&path).unwrap(),
        &|| File::options().write(true).open(&path).unwrap().set_len(0).unwrap(),
        &|| fs::rename(folder.path().join("copy"), &path).unwrap(),
        &|| File::options().append(true).open(&path).unwrap().write_all(b"x").unwrap(),
    ];
    for change in changes {
        let record = Record::create(&path, &head(5)).unwrap();
        record.add(&"a");
        fs::copy(&path, folder.path().join("copy")).unwrap();
        change();
        assert!(matches!(record.end(), Err(RecordError::Changed(_))));
        let _ = fs::remove_file(&path);
    }
}

#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_named_and_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("folder")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    for (name, kind) in [("folder", "a folder"), ("pipe", "a device, a pipe or a socket"), ("link", "a link to a missing file")]
    {
        let all = [
            read::<Cycles, String>(&at(name)).map(drop),
            resume(&at(name), 5).map(drop),
            Record::create(&at(name), &head(5)).map(drop),
        ];
        for error in all.map(Result::unwrap_err) {
            assert!(error.to_string().ends_with(&format!("{name} is {kind}; expected a file for the record")), "{error}");
        }
    }
    assert!(matches!(read::<Cycles, String>(Path::new("/dev/zero")), Err(RecordError::Kind { .. })));
    assert!(matches!(resume(Path::new("/dev/full"), 5), Err(RecordError::Kind { .. })));
}

/// Options that cannot be written.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("not UTF-8"))
    }
}

impl Options for Unwritable {
    const COMMAND: &'static str = "test";

    fn settings(&self) -> Vec<String> {
        vec![]
    }

    fn change(&self, _: &Unwritable) -> String {
        unreachable!("they are always equal")
    }
}

#[test]
fn a_start_that_fails_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    assert!(matches!(
        Record::create(&path, &Head { shard: Shard::WHOLE, options: Unwritable, origin: on("here") }),
        Err(RecordError::Write { .. })
    ));
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn a_write_that_fails_ends_the_record_with_a_help() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    fs::write(&path, "").unwrap();
    // A file that is open only for reading cannot be written.
    let file = Locked::new(File::open(&path).unwrap(), &path).unwrap();
    let record = Record { path, file: Mutex::new(Ok(file)) };
    assert!(!record.has_failed());
    record.add(&"a");
    assert!(record.has_failed());
    let error = record.end().unwrap_err();
    assert!(
        error.to_string().starts_with("cannot add a result to ") && error.help().unwrap().contains("`--resume`"),
        "{error}"
    );
}

#[test]
fn a_record_keeps_the_machine_that_started_it_and_is_resumed_on_any() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r");
    Record::create(&path, &head(5)).unwrap().end().unwrap();
    let (record, _): (_, Vec<String>) = Record::resume(&path, &Head { origin: on("there"), ..head(5) }, |_| Ok(())).unwrap();
    record.end().unwrap();
    assert_eq!(read::<Cycles, String>(&path).unwrap().origin, on("here"));
}
