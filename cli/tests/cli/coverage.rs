// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress --coverage-data` and `bcu coverage`.

use crate::common::{Bench, Done};

const LOCKSTEP: &str = "regress lockstep/warp_status/tiny --engine compiled";

/// The coverage data of a run of `grid` at `tiny`, a line for each point. The hits of the run are replaced: by 3 for each reachable point,
/// by 0 for each unreachable point.
fn data(bench: &Bench) -> String {
    let done = bench.run("regress lockstep/grid/tiny --engine compiled --cycles 5000 --coverage-data grid.json");
    assert_eq!(done.stderr, "", "{done:?}");
    let text = bench.text("grid.json");
    std::fs::remove_file(bench.path("grid.json")).unwrap();
    let line = |line: &str| match line.split_once("\"hits\":") {
        Some((head, tail)) => {
            let (_, tail) = tail.split_once(',').unwrap();
            let hits = if tail.starts_with(REACHABLE) { 3 } else { 0 };
            format!("{head}\"hits\":{hits},{tail}\n")
        }
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A part of the line of a reachable point.
const REACHABLE: &str = "\"unreachable\":null";

/// The line of the first point that is reachable or, if `is_reachable` is false, unreachable.
fn point(data: &str, is_reachable: bool) -> &str {
    data.lines().find(|line| line.contains("\"hits\"") && line.contains(REACHABLE) == is_reachable).unwrap()
}

/// The text of a key in the line of a point.
fn value<'a>(point: &'a str, key: &str) -> &'a str {
    point.split_once(&format!("\"{key}\":\"")).unwrap().1.split_once('"').unwrap().0
}

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
        assert!(done.stdout.contains("      help: more cycles or seeds may reach it: --cycles 2000000\n"), "{done:?}");
    }
    let (whole, first) = (bench.text("whole.json"), bench.text("first.json"));
    assert!(whole.contains(r#""runs": [{"seed":7,"cycles":20000}]"#), "{whole}");
    for files in ["first.json second.json", "second.json first.json"] {
        let done = bench.run(&format!("coverage {files} --output both.json"));
        assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
        assert_eq!(bench.text("both.json"), whole);
    }
    assert_ne!(first, whole);
    for files in ["first.json whole.json", "first.json second.json first.json", "whole.json second.json"] {
        let done = bench.run(&format!("coverage {files} --output no.json"));
        assert_eq!((done.code, done.stdout.as_str(), bench.path("no.json").exists()), (2, "", false), "{done:?}");
        assert!(done.stderr.contains(": both have the seed ") && done.stderr.contains("\nhelp: "), "{done:?}");
    }
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
fn a_run_prints_the_missing_points_or_all() {
    let bench = Bench::new();
    let line = format!("{LOCKSTEP} --cycles 5000 --coverage-data x.json");
    let (gaps, all) = (bench.run(&line), bench.run(&format!("{line} --all")));
    let count = |done: &Done, part: &str| done.stdout.lines().filter(|line| line.starts_with(part)).count();
    for done in [&gaps, &all] {
        let missing = count(done, "      not reached: ") + count(done, "FAIL");
        assert!(done.code == 1 && missing > 1 && count(done, "  MISSING ") >= missing - 1, "{done:?}");
    }
    assert!(all.stdout.lines().count() > gaps.stdout.lines().count(), "{all:?}");
    assert_eq!(count(&all, "  MISSING "), count(&gaps, "  MISSING "));
    let done = bench.run(&format!("{LOCKSTEP} --all"));
    assert!(done.code == 2 && done.stderr.contains("--coverage"), "{done:?}");
}

#[test]
fn missing_points_are_printed_and_fail() {
    let bench = Bench::new();
    let good = data(&bench);
    let count = good.matches(REACHABLE).count();
    let (reachable, unreachable) = (point(&good, true), point(&good, false));
    let (name, other, why) = (value(reachable, "name"), value(unreachable, "name"), value(unreachable, "unreachable"));
    let missing = good.replace(reachable, &reachable.replace("\"hits\":3", "\"hits\":0"));
    let contradicted = good.replace(unreachable, &unreachable.replace("\"hits\":0", "\"hits\":2"));
    let percent = (count - 1) * 100 / count;
    let all = [format!("           3  {name}"), format!("           -  {other}: {why}")];
    for (text, code, gaps, also) in [
        (&good, 0, format!("{count} of {count} points, 100 %\n"), &all[..]),
        (&missing, 1, format!("{} of {count} points, {percent} %\n  MISSING     {name}\n", count - 1), &all[1..]),
        (
            &contradicted,
            1,
            format!("{count} of {count} points, 100 %\n           2  {other}: REACHED, although: {why}\n"),
            &all[..1],
        ),
    ] {
        let gaps = format!("coverage of grid/tiny: {gaps}");
        bench.file("x.json", text);
        let done = bench.run("coverage x.json");
        assert_eq!((done.code, done.stderr.as_str()), (code, ""), "{done:?}");
        assert!(done.stdout.starts_with(&gaps), "{gaps}: {done:?}");
        assert_eq!(done.stdout.lines().count(), gaps.lines().count() + 1, "{done:?}");
        let shown = bench.run("coverage x.json --all");
        assert_eq!(shown.code, code, "{shown:?}");
        assert!(also.iter().all(|line| shown.stdout.lines().any(|shown| shown == line)), "{shown:?}");
    }
}

#[test]
fn a_report_is_written() {
    let bench = Bench::new();
    let good = data(&bench);
    // Adds a point that this build does not have, with one hit.
    let (head, tail) = good.split_once("\n  {").unwrap();
    let surprise = r#"{"name":"<a>\nok","meaning":"","hits":1,"unreachable":"the configuration does not have it"}"#;
    bench.file("x.json", format!("{head}\n  {surprise},\n  {{{tail}"));
    let done = bench.run("coverage x.json --html report.html --output sum.json");
    assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
    assert!(done.stdout.contains("           1  <a>\\nok: REACHED, although: "), "{done:?}");
    assert_eq!(bench.files(), ["report.html", "sum.json", "x.json"]);
    let html = bench.text("report.html");
    let why = value(point(&good, false), "unreachable");
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("&lt;a&gt;\\nok") && html.contains(why), "{html}");
    assert!(html.contains(", from runs of bcu-tb 0.1.0, CRC "), "{html}");
    let again = "coverage sum.json --html again.html";
    bench.run(again);
    // The footer has the command.
    let command = "with <code>bcu coverage x.json --html report.html --output sum.json</code>";
    assert!(html.contains(command), "{html}");
    assert_eq!(bench.text("again.html"), html.replace(command, &format!("with <code>bcu {again}</code>")));
}

#[test]
fn tables_of_other_points_than_those_of_this_build_are_refused() {
    let bench = Bench::new();
    let good = data(&bench);
    let reachable = point(&good, true);
    let (name, meaning) = (value(reachable, "name"), value(reachable, "meaning"));
    let is_only_in = |file: &str| format!("the point `{name}` is only in {file}");
    let points = &good[good.find("\n  {").unwrap()..good.find("\n]}\n").unwrap()];
    let unit = "\"unit\": \"grid\"";
    for (text, part) in [
        (
            good.replacen(meaning, "Another event.", 1),
            format!("means \"Another event.\" in x.json, \"{meaning}\" in this program"),
        ),
        (
            good.replace(REACHABLE, "\"unreachable\":\"no grids\"").replace("\"hits\":3", "\"hits\":0"),
            "is unreachable (no grids) in x.json, reachable in this program".to_string(),
        ),
        (good.replacen(&format!("{reachable}\n"), "", 1), is_only_in("this program")),
        (good.replace(points, ""), "is only in this program".to_string()),
        (
            good.replacen(reachable, &format!("{}\n{reachable}", reachable.replace(name, " before")), 1),
            "the point ` before` is only in x.json".to_string(),
        ),
        (
            good.replacen(reachable, &format!("{}\n{reachable}", reachable.replace(name, " before").replace(meaning, "")), 1),
            "the point ` before` is only in x.json".to_string(),
        ),
    ] {
        bench.file("x.json", text);
        let done = refused(&bench, "coverage x.json --output sum.json --html sum.html", &["x.json"]);
        assert!(done.stderr.starts_with("error: x.json and this program are of different builds: grid/tiny: "), "{done:?}");
        assert!(done.stderr.contains(&part) && done.stderr.contains("\nhelp: "), "{part}: {done:?}");
    }
    for (text, part) in [
        (good.replace(unit, "\"unit\": \"gird\""), "x.json: gird/tiny: this build has no such unit and configuration"),
        (good.replace(unit, "\"unit\": \"gateway\""), "x.json: gateway/tiny: this build has no such unit"),
        (good.replace("\"tiny\"", "\"tinny\""), "x.json: grid/tinny: this build has no such unit"),
    ] {
        bench.file("x.json", text);
        let done = refused(&bench, "coverage x.json", &["x.json"]);
        assert!(done.stderr.contains(part) && done.stderr.contains("\nhelp: "), "{part}: {done:?}");
    }
}

#[test]
fn a_file_that_is_no_coverage_data_is_refused() {
    let bench = Bench::new();
    let good = data(&bench);
    let cut: String = good.chars().take(good.len() / 2).collect();
    let table = &good[good.find("{\"unit\"").unwrap()..good.rfind("\n]}").unwrap()];
    let first = good.lines().nth(2).unwrap();
    let (second, name) = (good.lines().nth(3).unwrap(), value(first, "name"));
    // The column of the last character of a part of the first point, if that part is `length` characters long.
    let column = |part: &str, length: usize| format!("x.json:3:{}: ", first.find(part).unwrap() + length);
    let wrong_hits = column("\"hits\"", "\"hits\":\"3\"".len()) + "invalid type: string \"3\", expected a whole number";
    let hits = first.split_once("\"hits\":").unwrap().1.split_once(',').unwrap().0;
    let with_hits = |text: &str| good.replacen(first, &first.replace(&format!("\"hits\":{hits}"), text), 1);
    let cases: [(&str, &str); 14] = [
        ("", "x.json:1:0: "),
        ("seed 7\n", "x.json:1:1: "),
        ("[1, 2]", "x.json: not coverage data; expected JSON with the keys `format_version` and `tables`"),
        (r#"{"format_version": 1, "verdict": "hung"}"#, "x.json: not coverage data"),
        (r#"{"format_version": 2, "tables": "?"}"#, "x.json: coverage data of format version 2; this version of `bcu` reads 1"),
        (r#"{"format_version": 1, "tables": []}"#, "x.json: no table"),
        (&cut, "x.json:"),
        (&with_hits("\"hits\":\"3\""), &wrong_hits),
        (&with_hits("\"hits\":-3"), "expected a whole number that is not negative"),
        (&with_hits("\"count\":3"), &(column("\"hits\"", "\"count\"".len()) + "unknown field `count`")),
        (&good.replacen(second, "17,", 1), "x.json:4:2: invalid type: integer `17`, expected a point with `name`"),
        (&good.replacen(&format!("{first}\n{second}"), &format!("{second}\n{first}"), 1), "; expected points sorted by name"),
        (&good.replacen(first, &format!("{first}\n{first}"), 1), &format!("the point `{name}` is listed twice")),
        (&good.replace(table, &format!("{table}, {table}")), "x.json: two tables of grid/tiny"),
    ];
    for (text, part) in cases {
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
    bench.file("x.json", "data");
    for (line, part) in [
        ("coverage x.json --output a.out --html ./a.out", "`--html`: ./a.out is also `--output`\nhelp: name another file"),
        ("coverage x.json --html ./x.json", "`--html`: ./x.json is also a file of coverage data"),
        ("coverage x.json --output sum.json --html nowhere/a.html", "there is no folder nowhere"),
        (&format!("{LOCKSTEP} --cycles 4000000000 --coverage-data nowhere/x.json"), "there is no folder nowhere"),
        (
            &format!("{LOCKSTEP} --cycles 4000000000 --coverage-data a.out --junit a.out"),
            "`--coverage-data`: a.out is also `--junit`",
        ),
        ("regress scenario/exit --coverage-data a.json", "the filter `scenario/exit` selects no lockstep test"),
        ("regress lockstep --shard 1/2 --record r.jsonl --coverage-data a.json", "cannot be used with"),
        ("regress lockstep --verilog rtl --coverage-data a.json", "cannot be used with"),
    ] {
        let done = refused(&bench, line, &["x.json"]);
        assert!(done.stderr.contains(part), "{line}: {done:?}");
    }
}
