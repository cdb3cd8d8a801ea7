// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Records of `bcu regress` and `bcu merge` that cannot be written, are damaged or edited, or are not records.

use crate::common::{Bench, Done};
use crate::regress::LONG;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// A run of two parts.
const TWO_PARTS: &str = "regress lockstep/warp_status/tiny --engine compiled --cycles 510000 --coverage";

const SHORT: &str = "regress lockstep/warp_status/tiny --engine compiled --cycles 20000";

/// Checks that the command could not run, and printed only this reason and a remedy.
fn refused(bench: &Bench, line: &str, part: &str) {
    let done = bench.run(line);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}: {done:?}");
    assert!(done.stderr.contains(part) && done.stderr.contains("\nhelp: "), "{line}: {part}: {done:?}");
}

/// Runs both shards of `TWO_PARTS`, and returns the texts of their records, `1.jsonl` and `2.jsonl`.
fn shards(bench: &Bench) -> [String; 2] {
    [1, 2].map(|shard| {
        let done = bench.run(&format!("{TWO_PARTS} --shard {shard}/2 --record {shard}.jsonl"));
        assert_eq!(done.code, 0, "{done:?}");
        bench.text(&format!("{shard}.jsonl"))
    })
}

/// The text with `to` in place of the value after the first `key`.
fn with_value(text: &str, key: &str, to: &str) -> String {
    let (head, tail) = text.split_once(&format!("\"{key}\":")).unwrap();
    format!("{head}\"{key}\":{to}{}", &tail[tail.find([',', '}']).unwrap()..])
}

#[cfg(unix)]
#[test]
fn one_file_for_two_purposes_is_refused_before_the_run() {
    let bench = Bench::new();
    assert_eq!(bench.run(&format!("{SHORT} --record r")).code, 0);
    std::os::unix::fs::symlink("r", bench.path("link")).unwrap();
    let (record, files) = (bench.text("r"), bench.files());
    for (line, part) in [
        ("merge r --junit ./r", "`--junit`: ./r is also a record to merge"),
        ("merge r --report link", "`--report`: link is also a record to merge"),
        ("merge r --report n --junit ./n", "`--junit`: ./n is also `--report`"),
        (&format!("{SHORT} --record n --junit ./n"), "`--junit`: ./n is also the record of the run"),
        (&format!("{SHORT} --record n --coverage-data n"), "`--coverage-data`: n is also the record of the run"),
        (&format!("{SHORT} --junit n --coverage-data n.progress"), "`--coverage-data`: n.progress is also the record"),
        (&format!("{SHORT} --junit n --coverage-data ./n"), "`--coverage-data`: ./n is also `--junit`"),
        (&format!("{SHORT} --junit r --coverage-data link"), "`--coverage-data`: link is also `--junit`"),
    ] {
        refused(&bench, line, part);
        assert_eq!((bench.text("r"), bench.files()), (record.clone(), files.clone()), "{line}");
    }
    let stdout = File::create(bench.path("out")).unwrap();
    let done = bench.command().args(["merge", "r", "--junit", "out"]).stdout(stdout).output().unwrap();
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(String::from_utf8(done.stderr).unwrap().contains("`--junit`: out is also standard output"));
}

#[test]
fn results_that_cannot_be_of_the_run_are_refused_with_their_line() {
    let bench = Bench::new();
    let [first, second] = shards(&bench);
    let of_first = first.lines().nth(1).unwrap();
    let of_second = second.lines().nth(1).unwrap();
    let name = "\"name\":\"lockstep/warp_status/tiny\"";
    let without_coverage = format!("{}}}", of_second.split_once(",\"coverage\"").unwrap().0);
    let failed = of_second.replace("\"failure\":null", "\"failure\":\"edited\"");
    for (text, part) in [
        (format!("{second}{of_first}\n"), "3: not a line of a record of `bcu regress`: the part of lockstep/warp_status/tiny from cycle 0 is not in shard 2/2"),
        (second.replace(name, "\"name\":\"lockstep/named/tiny\""), "2: not a line of a record of `bcu regress`: the part of lockstep/named/tiny from cycle 500000 is of a test"),
        (second.replace("\"first\":500000", "\"first\":500"), "from cycle 500 is not in the run"),
        (second.replace("\"first\":500000", "\"first\":-1"), "2: not a line of a record of `bcu regress`: invalid value: integer `-1`, expected a whole number"),
        (second.replace(of_second, &without_coverage), "has no coverage, which the run counts"),
        (format!("{second}{failed}\n"), "2.jsonl:3: not a line of a record of `bcu regress`: the part of lockstep/warp_status/tiny from cycle 500000 has another result"),
        (with_value(&second, "seconds", "-5"), "2.jsonl:2: not a line of a record of `bcu regress`: `seconds`: -5 is not the time of a part"),
        (with_value(&second, "seconds", "1e300"), "is not the time of a part; expected 0 to 1000000000"),
        (with_value(&second, "cycles", "0"), "2.jsonl:1: not a line of a record of `bcu regress`: `cycles`: 0 is not a number of cycles; expected 1 to 4294967295"),
        (with_value(&second, "cycles", "9007199254740"), "`cycles`: 9007199254740 is not a number of cycles"),
    ] {
        bench.file("2.jsonl", &text);
        refused(&bench, "merge 1.jsonl 2.jsonl --junit j.xml", part);
        refused(&bench, "merge 2.jsonl 1.jsonl --junit j.xml", part);
        refused(&bench, &format!("{TWO_PARTS} --shard 2/2 --record 2.jsonl --resume"), part);
        assert_eq!((bench.text("2.jsonl"), bench.files()), (text, vec!["1.jsonl".to_string(), "2.jsonl".to_string()]));
    }
    // The hits of the two records add up to more than 64 bits can hold; the merge prints the largest number.
    let (_, points) = of_second.split_once("\"hits\":{\"").unwrap();
    let (point, _) = points.split_once('"').unwrap();
    let most = [&first, &second].map(|text| with_value(text, point, "18446744073709551615"));
    bench.file("1.jsonl", &most[0]).file("2.jsonl", &most[1]);
    let done = bench.run("merge 1.jsonl 2.jsonl --all");
    assert!(done.code < 2 && done.stdout.contains(" 18446744073709551615 "), "{done:?}");
}

#[test]
fn a_merge_explains_what_is_not_a_record_and_continues_without_runs_that_ended_at_their_start() {
    let bench = Bench::new();
    let [_, second] = shards(&bench);
    bench.file("g", "garbage").file("lines", "a\nb\n").file("empty", "");
    for (name, part) in [
        ("g", "g:1: not a line of a record of `bcu regress`: the line is incomplete, and does not begin as a record\nhelp: name files that `bcu regress --record` has written"),
        ("lines", "lines:1: not a line of a record of `bcu regress`: expected value\nhelp: name files that `bcu regress --record` has written"),
        (".", ". is a folder; expected a file for the record\nhelp: "),
        ("empty", "empty has no complete line: the recorded run ended at its start\nhelp: "),
    ] {
        refused(&bench, &format!("merge {name}"), part);
    }
    for start in ["", &second[..40]] {
        bench.file("2.jsonl", start);
        let done = bench.run("merge 2.jsonl 1.jsonl --report report.txt");
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
        assert!(bench.text("report.txt").starts_with("??    lockstep/warp_status/tiny: no result of 1 of its parts\n"));
        for part in ["error: 2.jsonl has no complete line: ", "error: no record of shard 2/2 was given"] {
            assert!(done.stderr.contains(part), "{done:?}");
        }
    }
    // An incomplete line may end inside a character of several bytes.
    bench.file("2.jsonl", [second.as_bytes(), b"{\"name\":\"\xe2\x82"].concat());
    assert!(bench.run("merge 1.jsonl 2.jsonl").code < 2);
    let done = bench.run(&format!("{TWO_PARTS} --shard 2/2 --record 2.jsonl --resume"));
    assert_eq!((done.code, bench.text("2.jsonl")), (0, second), "{done:?}");
}

#[test]
fn a_file_that_is_not_a_record_is_not_replaced() {
    let bench = Bench::new();
    bench.file("notes", "my notes, no newline");
    refused(
        &bench,
        &format!("{SHORT} --record notes --resume"),
        "notes:1: not a line of a record of `bcu regress`: the line is incomplete",
    );
    assert_eq!(bench.text("notes"), "my notes, no newline");
    fs::create_dir(bench.path("folder")).unwrap();
    for more in ["", " --resume"] {
        refused(&bench, &format!("{SHORT} --record folder{more}"), "folder is a folder; expected a file for the record");
    }
}

#[test]
fn the_report_is_written_in_place_of_standard_output() {
    let bench = Bench::new();
    shards(&bench);
    let printed = bench.run("merge 1.jsonl 2.jsonl");
    let done = bench.run("merge 1.jsonl 2.jsonl --report report.txt --junit j.xml");
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (printed.code, "", ""), "{done:?}");
    assert_eq!(bench.text("report.txt"), printed.stdout);
}

/// Runs with files that cannot grow beyond `blocks` of 512 bytes, as on a full disk.
#[cfg(unix)]
fn with_full_disk(bench: &Bench, blocks: u32, line: &str) -> Done {
    let done = bench.after(&format!("trap '' XFSZ; ulimit -f {blocks}"), line).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: done.status.code().unwrap(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

/// The JUnit file is smaller than the limit of 2048 bytes; the report and the coverage data are larger.
#[cfg(unix)]
#[test]
fn the_results_are_written_together_or_not_at_all() {
    let bench = Bench::new();
    shards(&bench);
    let line = "merge 1.jsonl 2.jsonl --all --junit j.xml";
    for (more, file) in [("--coverage-data c.json", "c.json"), ("--report report.txt", "report.txt")] {
        let done = with_full_disk(&bench, 4, &format!("{line} {more}"));
        assert_eq!((done.code, bench.files()), (2, vec!["1.jsonl".to_string(), "2.jsonl".to_string()]), "{done:?}");
        assert!(done.stderr.contains(&format!("cannot write {file}: ")), "{done:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_started_leaves_no_file() {
    let bench = Bench::new();
    let done = with_full_disk(&bench, 0, &format!("{SHORT} --record r"));
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
    assert!(done.stderr.contains("cannot write r: ") && bench.files().is_empty(), "{done:?}");
}

/// Without the error, the shard would run for minutes.
#[cfg(unix)]
#[test]
fn a_shard_whose_record_cannot_be_written_stops() {
    let bench = Bench::new();
    let line = LONG.replace("--junit out/j.xml", "--shard 1/2 --record r");
    let done = with_full_disk(&bench, 4, &line);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
    assert!(
        done.stderr.contains("cannot add a result to r: ") && done.stderr.contains("help: continue the run with `--resume`")
    );
    assert!(bench.text("r").lines().count() > 2);
}

/// A job in the background of a script ignores Ctrl-C, and one under `nohup` ignores HUP.
#[cfg(unix)]
#[test]
fn a_signal_that_is_ignored_remains_ignored_and_the_others_end_the_run() {
    for ignored in ["INT", "HUP"] {
        let bench = Bench::new();
        let line = LONG.replace("--junit out/j.xml", "--record r");
        let mut run = bench.after(&format!("trap '' {ignored}"), &line);
        let run = run.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let wait_for_parts = |count: usize| {
            while fs::read_to_string(bench.path("r")).unwrap_or_default().lines().count() < count {
                thread::sleep(Duration::from_millis(20));
            }
        };
        let send =
            |signal: &str| assert!(Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap().success());
        wait_for_parts(2);
        send(&format!("-{ignored}"));
        wait_for_parts(3);
        send("-TERM");
        let done = run.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(130), "{ignored}: {done:?}");
        assert!(String::from_utf8(done.stderr).unwrap().contains("interrupted; continue with: bcu "), "{ignored}");
    }
}
