// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress` on one engine, and resuming after an interruption.

use crate::common::Bench;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A run that takes minutes, so that a test can interrupt it.
pub const LONG: &str = "regress lockstep/warp_status/tiny --engine compiled --cycles 200000000 --jobs 1 --junit out/j.xml";

#[test]
fn every_engine_gives_the_same_verdicts() {
    let bench = Bench::new();
    for filter in ["scenario/exit/completes/tiny", "lockstep/warp_status/tiny --cycles 12000 --seed 18446744073709551615"] {
        let done = ["compiled", "verilator"].map(|engine| bench.run(&format!("regress {filter} --engine {engine}")));
        assert_eq!((done[0].code, done[0].stderr.as_str()), (0, ""), "{done:?}");
        assert!(done[0].stdout.starts_with("ok    ") && done[0].stdout == done[1].stdout, "{done:?}");
    }
}

#[test]
fn only_the_engine_that_was_chosen_runs() {
    let bench = Bench::new();
    let run = |line: &str| {
        let mut command = bench.command();
        command.args(line.split(' ')).env("PATH", "").env("XDG_CACHE_HOME", bench.path("cache"));
        let done = command.output().unwrap();
        (done.status.code(), String::from_utf8([done.stdout, done.stderr].concat()).unwrap())
    };
    for filter in ["scenario/exit/completes/tiny", "lockstep/warp_status/tiny"] {
        let (code, text) = run(&format!("regress {filter} --cycles 100 --engine compiled"));
        assert_eq!(code, Some(0), "{text}");
        let (code, text) = run(&format!("regress {filter} --cycles 100 --engine verilator --record r"));
        assert_eq!((code, bench.files()), (Some(2), vec![]), "{text}");
        let start = "error: `verilator` did not start: ";
        assert!(text.starts_with(start) && text.contains("\nhelp: install it with `apt-get install verilator g++`"), "{text}");
    }
}

/// Verilator is missing during the run: the script in its place deletes itself at its first start, which is the check before the run.
#[cfg(unix)]
#[test]
fn a_part_that_cannot_run_is_not_recorded() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("bin")).unwrap();
    bench.file("bin/verilator", "#!/bin/sh\nexec /bin/rm \"$0\"\n").file("bin/g++", "#!/bin/sh\n");
    assert!(Command::new("chmod")
        .arg("+x")
        .args(["bin/verilator", "bin/g++"].map(|name| bench.path(name)))
        .status()
        .unwrap()
        .success());
    let line = "regress scenario/exit/completes/tiny --engine verilator --record r";
    let done = bench.command().args(line.split(' ')).env("PATH", bench.path("bin")).output().unwrap();
    assert_eq!((done.status.code(), done.stdout.is_empty()), (Some(2), true), "{done:?}");
    let text = String::from_utf8(done.stderr).unwrap();
    assert!(
        text.starts_with("error: scenario/exit/completes/tiny: ") && text.contains("`verilator` did not start: "),
        "{text}"
    );
    assert_eq!(bench.text("r").lines().count(), 1, "the options, and no part");
    let done = bench.run(&format!("{line} --resume"));
    assert_eq!((done.code, done.stdout.as_str()), (0, "ok    scenario/exit/completes/tiny\n1 passed, 0 failed\n"), "{done:?}");
}

/// Interrupts the long run `line`, and returns the text of its record, which ends in the middle of a line.
pub fn interrupted(bench: &Bench, line: &str) -> String {
    std::fs::create_dir(bench.path("out")).unwrap();
    let mut run = bench.command().args(line.split(' ')).spawn().unwrap();
    let text = loop {
        std::thread::sleep(Duration::from_millis(20));
        let text = std::fs::read_to_string(bench.path("out/j.xml.progress")).unwrap_or_default();
        if text.lines().count() > 2 && text.ends_with('\n') {
            break text;
        }
        assert!(run.try_wait().unwrap().is_none(), "a run of minutes has ended: {text}");
    };
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(!bench.path("out/j.xml").exists());
    text + "{\"name\":\"lockst"
}

#[test]
fn a_run_that_was_broken_off_goes_on_where_it_was() {
    let bench = Bench::new();
    // The resumed run has one part more than the record, so only one part remains to be run.
    let record = interrupted(&bench, LONG);
    let parts = record.lines().count() - 2;
    let cycles = 500_000 * (parts + 1);
    let record = record.replace("200000000", &cycles.to_string());
    let line = LONG.replace("200000000", &cycles.to_string());
    // The recorded result of a part is used; the part is not run again.
    let failed = record.replacen("\"failure\":null", "\"failure\":\"as recorded\"", 1);
    bench.file("out/j.xml.progress", &failed);
    let done = bench.run(&format!("{line} --resume"));
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.stdout.contains("      as recorded\n      repeat with: bcu regress lockstep/warp_status/tiny --seed 0 "),
        "{done:?}"
    );
    bench.file("out/j.xml.progress", &record);
    let done = bench.run(&format!("{line} --resume"));
    assert_eq!((done.code, done.stdout.as_str()), (0, "ok    lockstep/warp_status/tiny\n1 passed, 0 failed\n"), "{done:?}");
    let xml = bench.text("out/j.xml");
    assert!(xml.contains("tests=\"1\"") && xml.contains("failures=\"0\""), "{xml}");
    assert_eq!(bench.files(), ["out/", "out/j.xml"], "the record of a complete run is gone");
}

#[test]
fn a_record_that_does_not_fit_is_refused() {
    let bench = Bench::new();
    let record = interrupted(&bench, LONG);
    let refused = |line: &str, record: &str, part: &str| {
        bench.file("out/j.xml.progress", record);
        let done = bench.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}: {done:?}");
        assert!(done.stderr.contains(part) && done.stderr.contains("out/j.xml.progress"), "{line}: {done:?}");
        assert!(done.stderr.contains("\nhelp: "), "{done:?}");
        assert_eq!(bench.text("out/j.xml.progress"), record, "a record that is refused is left");
    };
    let resume = format!("{LONG} --resume");
    let program = record.split('"').find(|p| p.len() == 8 && p.bytes().all(|b| b.is_ascii_hexdigit())).unwrap();
    refused(LONG, &record, "out/j.xml.progress has the results of an earlier run");
    refused(&resume.replace("200000000", "2000"), &record, "--cycles 200000000, this run has --cycles 2000");
    refused(&format!("{resume} --seed 4"), &record, "no --seed, this run has --seed 4");
    refused(&format!("{resume} --coverage"), &record, "no --coverage, this run has --coverage");
    refused(&resume.replace("compiled", "verilator"), &record, "--engine compiled, this run has --engine verilator");
    refused(
        &resume.replace("warp_status", "mem_order"),
        &record,
        "the filter `lockstep/warp_status/tiny`, this run has the filter `lockstep/mem_order/tiny`",
    );
    refused(&resume, &record.replace(program, "01234567"), "another build");
    refused(&resume, "tests\n", "out/j.xml.progress:1: not a line of a record of `bcu regress`");
    refused(&resume, &record.replacen("\"failure\"", "\"fail\"", 1), "out/j.xml.progress:2: not a line of a record");
    bench.file("out/j.xml.progress", b"\xff\xfe\n");
    assert_eq!(bench.run(&resume).code, 2);
    std::fs::remove_file(bench.path("out/j.xml.progress")).unwrap();
    let done = bench.run(&resume);
    assert_eq!(done.code, 2);
    assert!(
        done.stderr.contains("cannot resume: there is no record out/j.xml.progress\nhelp: leave `--resume` out"),
        "{done:?}"
    );
}

/// While a run writes a record, a second run with the same record fails. An interrupted run prints the command that continues it.
#[cfg(unix)]
#[test]
fn a_record_has_one_writer_and_an_interrupted_run_says_how_to_continue() {
    let bench = Bench::new();
    let line = LONG.replace("--junit out/j.xml", "--record r.jsonl");
    let mut run = bench.command();
    let run = run.args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while std::fs::read_to_string(bench.path("r.jsonl")).unwrap_or_default().lines().count() < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let done = bench.run(&format!("{line} --resume"));
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stderr.contains("r.jsonl is being written by another process"), "{done:?}");
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let done = run.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130), "{done:?}");
    let text = String::from_utf8(done.stderr).unwrap();
    assert!(text.contains(&format!("interrupted; continue with: bcu {line} --resume\n")), "{text}");
}

#[test]
fn wrong_options_are_refused() {
    let bench = Bench::new();
    for (line, part) in [
        ("regress --engine icarus", "verilator"),
        ("regress scenario/exit --resume", "--junit"),
        ("regress scenario/exit --shard 1/2", "--record"),
        ("regress scenario/exit --shard 3/2 --record r", "expected I/N with 1 <= I <= N"),
        ("regress scenario/exit --shard 1/2 --record r --junit j", "cannot be used with"),
        ("regress scenario/exit --list --shard 1/2 --record r", "cannot be used with"),
        ("merge", "<RECORD>"),
        ("regress scenario/exit --jobs 0", "1..=1024"),
    ] {
        let done = bench.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}: {done:?}");
        assert!(done.stderr.contains(part), "{line}: {done:?}");
    }
    assert!(bench.files().is_empty());
}

/// A modified export is compared with the model, without the size being compiled in.
#[test]
fn a_changed_export_is_compared_with_the_model() {
    let bench = Bench::new();
    assert_eq!(bench.run("export --config tiny --out rtl").code, 0);
    let line = "regress lockstep/warp_status --verilog rtl --cycles 2000";
    let done = bench.run(line);
    assert_eq!((done.code, done.stdout.as_str()), (0, "ok    lockstep/warp_status/tiny\n1 passed, 0 failed\n"), "{done:?}");
    let text = bench.text("rtl/bcu_warp_status.v");
    let place = text.lines().find(|line| line.trim_start().starts_with("assign stopped = ")).unwrap();
    bench.file("rtl/bcu_warp_status.v", text.replace(place, &place.replace(';', " ^ 1'b1;")));
    let done = bench.run(line);
    assert_eq!(done.code, 1, "{done:?}");
    for part in [
        "FAIL  lockstep/warp_status/tiny",
        "stopped: model ",
        "repeat with: bcu regress lockstep/warp_status/tiny --verilog rtl --seed 0 --cycles ",
    ] {
        assert!(done.stdout.contains(part), "{part}\n{}", done.stdout);
    }
    for (line, part) in [
        ("regress --verilog nowhere", "cannot read nowhere/manifest.json: "),
        (
            "regress legal --verilog rtl",
            "no test's name contains `legal` among the units of rtl\nhelp: `bcu regress --list --verilog rtl` lists",
        ),
        ("regress lockstep --verilog rtl --engine compiled", "which the machine-code engine cannot run"),
    ] {
        let done = bench.run(line);
        assert!(done.code == 2 && done.stderr.contains(part), "{line}: {done:?}");
    }
}
