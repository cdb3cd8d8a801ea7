// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress --coverage-data` and `bcu coverage`.

use crate::common::{Bench, Done};

const LOCKSTEP: &str = "regress lockstep/warp_status/tiny --engine compiled";

/// Coverage data of one table, a line for each point.
fn data(points: &[&str]) -> String {
    let head = r#"{"format_version": 1, "tables": [{"unit": "grid", "config": "tiny", "runs": [{"seed": 0, "cycles": 5000}], "points": ["#;
    format!("{head}\n{}\n]}}]}}\n", points.join(",\n"))
}

const REACHED: &str = r#"{"name": "a", "meaning": "An event.", "hits": 3, "unreachable": null}"#;
const MISSING: &str = r#"{"name": "b", "meaning": "An event.", "hits": 0, "unreachable": null}"#;
const UNREACHABLE: &str = r#"{"name": "c", "meaning": "An event.", "hits": 0, "unreachable": "no grids"}"#;

/// Runs `bcu` with the arguments `line`. Asserts that the command could not run, wrote nothing to stdout, and that the folder still has
/// only the files `files`.
fn refused(bench: &Bench, line: &str, files: &[&str]) -> Done {
    let done = bench.run(line);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}: {done:?}");
    assert_eq!(bench.files(), files, "{line}");
    done
}

#[test]
fn two_halves_of_a_run_are_the_run() {
    let bench = Bench::new();
    for (seed, cycles, file) in [(7, 20_000, "whole"), (7, 10_000, "first"), (9, 10_000, "second")] {
        let done = bench.run(&format!("{LOCKSTEP} --seed {seed} --cycles {cycles} --coverage-data {file}.json"));
        // In so few cycles some points are not reached, so the run fails. The data is written
        // nevertheless.
        assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
        assert!(done.stdout.contains("coverage of warp_status/tiny: "), "{done:?}");
    }
    let (whole, first) = (bench.text("whole.json"), bench.text("first.json"));
    assert!(whole.contains(r#""runs": [{"seed":7,"cycles":20000}]"#), "{whole}");
    for files in ["first.json second.json", "second.json first.json"] {
        let done = bench.run(&format!("coverage {files} --output both.json"));
        assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
        assert_eq!(bench.text("both.json"), whole);
    }
    assert_ne!(first, whole);
    // The output may be one of the input files.
    assert_eq!(bench.run("coverage first.json second.json --output first.json").code, 1);
    assert_eq!(bench.text("first.json"), whole);
}

#[test]
fn the_data_of_shards_is_the_data_of_the_run() {
    let bench = Bench::new();
    // A part has at most 500,000 cycles, so the run has two parts.
    let run = format!("{LOCKSTEP} --cycles 510000");
    assert_eq!(bench.run(&format!("{run} --coverage-data whole.json")).stderr, "");
    for shard in ["1", "2"] {
        let done = bench.run(&format!("{run} --coverage --shard {shard}/2 --record {shard}.jsonl"));
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
    }
    let done = bench.run("merge 1.jsonl 2.jsonl --coverage-data merged.json");
    assert_eq!(done.stderr, "", "{done:?}");
    assert_eq!(bench.text("merged.json"), bench.text("whole.json"));
    let part = bench.run("merge 2.jsonl --coverage-data part.json");
    assert_eq!(part.code, 2, "{part:?}");
    assert!(bench.text("part.json").contains(r#""runs": [{"seed":100,"cycles":10000}]"#), "{}", bench.text("part.json"));
    bench.run(&format!("{LOCKSTEP} --cycles 5000 --record plain.jsonl"));
    let done = bench.run("merge plain.jsonl --coverage-data none.json");
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
    assert!(done.stderr.contains("the records have no coverage") && !bench.path("none.json").exists(), "{done:?}");
}

#[test]
fn missing_points_are_printed_and_fail() {
    let bench = Bench::new();
    let contradicted = UNREACHABLE.replace("\"hits\": 0", "\"hits\": 2");
    let cases = [
        (
            vec![REACHED, UNREACHABLE],
            0,
            "coverage of grid/tiny: 1 of 1 points, 100 %\n",
            "           3  a\n           -  c: no grids\n",
        ),
        (vec![REACHED, MISSING], 1, "coverage of grid/tiny: 1 of 2 points, 50 %\n  MISSING     b\n", "           3  a\n"),
        (
            vec![REACHED, &contradicted],
            1,
            "coverage of grid/tiny: 1 of 1 points, 100 %\n           2  c: REACHED, although: no grids\n",
            "           3  a\n",
        ),
    ];
    for (points, code, gaps, more) in cases {
        bench.file("x.json", data(&points));
        let done = bench.run("coverage x.json");
        assert_eq!((done.code, done.stderr.as_str()), (code, ""), "{done:?}");
        assert!(done.stdout.starts_with(gaps), "{done:?}");
        assert_eq!(done.stdout.lines().count(), gaps.lines().count() + 1, "{done:?}");
        let all = bench.run("coverage x.json --all");
        assert_eq!(all.code, code, "{all:?}");
        assert!(more.lines().all(|line| all.stdout.lines().any(|shown| shown == line)), "{all:?}");
    }
}

#[test]
fn a_report_is_written() {
    let bench = Bench::new();
    bench.file("x.json", data(&[&REACHED.replace("An event.", "<An> event."), UNREACHABLE]));
    let done = bench.run("coverage x.json --html report.html --output sum.json");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
    assert_eq!(bench.files(), ["report.html", "sum.json", "x.json"]);
    let html = bench.text("report.html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("&lt;An&gt; event.") && html.contains("no grids"), "{html}");
    bench.run("coverage sum.json --html again.html");
    assert_eq!(bench.text("again.html"), html);
}

#[test]
fn data_of_different_builds_is_refused() {
    let bench = Bench::new();
    bench.file("old.json", data(&[REACHED, MISSING]));
    let other = |from: &str, to: &str| data(&[REACHED, MISSING]).replacen(from, to, 1);
    for (text, part) in [
        (
            other("An event.", "Another event."),
            "grid/tiny: the point `a` means \"An event.\" in old.json, \"Another event.\" in new.json",
        ),
        (other("null", "\"no grids\""), "the point `a` is reachable in old.json, unreachable (no grids) in new.json"),
        (data(&[REACHED]), "the point `b` is only in old.json"),
        (data(&[REACHED, MISSING, UNREACHABLE]), "the point `c` is only in new.json"),
    ] {
        bench.file("new.json", text);
        let line = "coverage old.json old.json new.json --output sum.json --html sum.html";
        let done = refused(&bench, line, &["new.json", "old.json"]);
        assert!(done.stderr.starts_with("error: old.json and new.json are of different builds: "), "{done:?}");
        assert!(done.stderr.contains(part) && done.stderr.contains("\nhelp: "), "{part}: {done:?}");
    }
}

#[test]
fn a_file_that_is_no_coverage_data_is_refused() {
    let bench = Bench::new();
    let good = data(&[REACHED, MISSING]);
    let cut: String = good.chars().take(good.len() / 2).collect();
    let table = &good[good.find("{\"unit\"").unwrap()..good.rfind("]}").unwrap()];
    for (text, part) in [
        ("", "x.json:1:0: "),
        ("seed 7\n", "x.json:1:1: "),
        ("[1, 2]", "x.json: not coverage data; expected JSON with the keys `format_version` and `tables`"),
        (r#"{"format_version": 1, "verdict": "hung"}"#, "x.json: not coverage data"),
        (r#"{"format_version": 2, "tables": "?"}"#, "x.json: coverage data of format version 2; this version of `bcu` reads 1"),
        (r#"{"format_version": 1, "tables": []}"#, "x.json: no table"),
        (&cut, "x.json:2:"),
        (&good.replace("\"hits\": 3", "\"hits\": \"3\""), "x.json:2:49: invalid type: string \"3\", expected a whole number"),
        (&good.replace("\"hits\": 3", "\"hits\": -3"), "expected a whole number that is not negative"),
        (&good.replace("\"hits\": 3", "\"count\": 3"), "x.json:2:45: unknown field `count`"),
        (&good.replace(MISSING, "17"), "x.json:3:2: invalid type: integer `17`, expected a point with `name`"),
        (&data(&[MISSING, REACHED]), "x.json:4:2: the point `a` follows `b`; expected points sorted by name"),
        (&data(&[REACHED, REACHED]), "the point `a` is listed twice"),
        (&good.replace(table, &format!("{table}, {table}")), "x.json: two tables of grid/tiny"),
    ] {
        bench.file("x.json", text).file("good.json", &good);
        let done = refused(&bench, "coverage good.json x.json --output sum.json", &["good.json", "x.json"]);
        assert!(done.stderr.starts_with("error: ") && done.stderr.contains(part), "{part}: {done:?}");
        assert!(done.stderr.contains("\nhelp: "), "{done:?}");
    }
    bench.file("x.json", b"\xff\xfe");
    for (line, part) in [
        ("coverage x.json", "x.json is not a text file"),
        ("coverage nowhere.json", "cannot read nowhere.json: "),
        ("coverage .", "cannot read .: it is a folder"),
        ("coverage", "<DATA>"),
    ] {
        let done = refused(&bench, line, &["good.json", "x.json"]);
        assert!(done.stderr.contains(part), "{line}: {done:?}");
    }
}

#[test]
fn outputs_that_cannot_be_written_are_refused_first() {
    let bench = Bench::new();
    bench.file("x.json", data(&[REACHED]));
    for (line, part) in [
        ("coverage x.json --output a.out --html a.out", "cannot write a.out: two outputs have this name"),
        ("coverage x.json --output sum.json --html nowhere/a.html", "there is no folder nowhere"),
        (&format!("{LOCKSTEP} --cycles 4000000000 --coverage-data nowhere/x.json"), "there is no folder nowhere"),
        (&format!("{LOCKSTEP} --cycles 4000000000 --coverage-data a.out --junit a.out"), "two outputs have this name"),
        ("regress scenario/exit --coverage-data a.json", "the filter `scenario/exit` selects no lockstep test"),
        ("regress lockstep --shard 1/2 --record r.jsonl --coverage-data a.json", "cannot be used with"),
        ("regress lockstep --verilog rtl --coverage-data a.json", "cannot be used with"),
    ] {
        let done = refused(&bench, line, &["x.json"]);
        assert!(done.stderr.contains(part), "{line}: {done:?}");
    }
}
