// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check`: every code has a program that triggers it, good programs have none, and both output formats have the same content.

use crate::common::{example, Bench};
use bcu_machine::check::{markdown, CODES, TABLE_BEGIN, TABLE_END};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Programs of a folder below `examples/`, sorted.
fn programs(folder: &str) -> Vec<String> {
    let files = std::fs::read_dir(example(folder)).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter(|f| [".bcu", ".ptx", ".visa"].iter().any(|ending| f.ends_with(ending))).collect();
    names.sort();
    names.into_iter().map(|name| format!("{folder}{name}")).collect()
}

fn json(arguments: &str) -> (i32, Value) {
    let done = Bench::new().run(&format!("check {arguments} --format json"));
    assert_eq!(done.stderr, "", "{arguments}");
    (done.code, serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{arguments}: {e}\n{}", done.stdout)))
}

fn codes(report: &Value) -> BTreeSet<String> {
    report["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap().to_string()).collect()
}

#[test]
fn every_code_has_a_program_that_shows_it_and_nothing_else() {
    let mut shown = BTreeSet::new();
    for name in programs("check/") {
        let text = std::fs::read_to_string(example(&name)).unwrap();
        let line = |start: &str| text.lines().find_map(|l| l.strip_prefix(start)).unwrap_or("").to_string();
        let stem = Path::new(&name).file_stem().unwrap().to_str().unwrap().to_string();
        let machine = example("check/").to_string();
        let arguments = line("// check: ").replace("--machine ", &format!("--machine {machine}"));
        // A program whose finding needs several launches names the launch file that runs it.
        let launch = line("// launch: ");
        let subject = if launch.is_empty() { name.clone() } else { format!("check/{launch}") };
        let (code, done) = json(&format!("{} {arguments}", example(&subject)));
        let mut expected: BTreeSet<String> = line("// also: ").split_whitespace().map(str::to_string).collect();
        expected.insert(stem.clone());
        assert_eq!(codes(&done), expected, "{name}: {done:#}");
        // If the run could not continue or reached its cycle limit, the check is incomplete, and
        // the exit code is 2.
        let failed = if ["unknown_decision", "not_built", "cycle_limit"].contains(&&*stem) { 2 } else { 1 };
        assert_eq!(code, if done["errors"].as_u64() > Some(0) { failed } else { 0 }, "{name}");
        let finding = done["findings"].as_array().unwrap().iter().find(|f| f["code"] == stem.as_str()).unwrap().clone();
        let known = CODES.iter().find(|c| c.name == stem).unwrap_or_else(|| panic!("there is no code `{stem}`"));
        assert_eq!(finding["severity"], known.severity.name(), "{name}");
        if known.strict {
            let (_, done) = json(&example(&name));
            assert!(!codes(&done).contains(&stem), "{name} without --strict");
        }
        shown.insert(stem);
    }
    let missing: Vec<&str> = CODES.iter().map(|c| c.name).filter(|c| !shown.contains(*c)).collect();
    assert!(missing.is_empty(), "examples/check/ has no program for {missing:?}");
}

#[test]
fn what_stops_a_run_is_a_finding_and_those_before_it_stay() {
    let bench = Bench::new();
    // Warp 1 races with warp 0, and then loads outside of shared memory.
    let text = ".version 8.0\n.target sm_90\n.visible .entry k()\n.reqntid 64\n{\n.shared .align 4 .b32 s[64];\n.reg .b32 %r<4>;\n.reg .pred %p;\n\
        mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p, %r1, 32;\nst.shared.u32 [s], %r1;\n@%p bra END;\nmov.u32 %r2, s;\nld.shared.u32 %r3, [%r2+1048576];\nEND:\nret;\n}\n";
    bench.file("k.ptx", text);
    let done = bench.run("check k.ptx --format json");
    let found: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}\n{}", done.stdout));
    assert_eq!((done.code, codes(&found)), (1, ["race", "bad_access"].map(String::from).into()), "{found:#}");
    assert_eq!((&found["verdict"], &found["run"]), (&Value::from("fail"), &Value::from("stopped")));
    let stop = found["findings"].as_array().unwrap().iter().find(|f| f["code"] == "bad_access").unwrap().clone();
    assert_eq!((stop["place"]["line"].as_u64(), stop["warp"].as_u64()), (Some(14), Some(1)), "{stop:#}");
    let run = bench.run("run k.ptx --format json");
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}\n{}", run.stdout));
    assert_eq!((run.code, &report["verdict"]), (1, &Value::from("stopped")));
    assert!(run.stderr.contains("k.ptx:14:1"), "{}", run.stderr);
}

/// Examples that hang.
const BAD: [&str; 2] = ["hang.bcu", "missing_lanes.bcu"];

#[test]
fn good_programs_have_no_findings() {
    for name in ["", "cuda/", "visa/"].iter().flat_map(|folder| programs(folder)).filter(|name| !BAD.contains(&name.as_str())) {
        // The kernels of CUDA have two buffers.
        let buffers = if name.starts_with("cuda/") { "--arg 0=u32:[4096]:iota --arg 1=u32:[4096]:0" } else { "" };
        let done = Bench::new().run(&format!("check {} {buffers}", example(&name)));
        assert_eq!(done.code, 0, "{name}: {done:?}");
        assert!(
            done.stdout.starts_with("pass: 0 errors, 0 warnings, 0 notes; the run completed after "),
            "{name}: {}",
            done.stdout
        );
    }
}

#[test]
fn the_text_marks_every_place_and_says_what_to_do() {
    let done = Bench::new().run(&format!("check {}", example("check/count_mismatch.bcu")));
    assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
    let page = std::fs::read_to_string(example("../docs/guide/check.md")).unwrap();
    let (_, shown) = page.split_once("```text\n").unwrap();
    let shown = shown.split_once("```").unwrap().0;
    assert_eq!(done.stdout.replace(&example(""), "examples/"), shown, "docs/guide/check.md shows another text");
    let faults = std::fs::read_to_string(example("../docs/contract/faults.md")).unwrap();
    let first = done.stdout.lines().next().unwrap();
    assert!(faults.lines().any(|line| line == first), "docs/contract/faults.md shows another text");
}

#[test]
fn a_fault_has_the_same_cycle_wherever_it_is_told() {
    let bench = Bench::new();
    bench.file("m.toml", "fault_period = 50\n");
    let names = ["count_mismatch.bcu", "double_arrival.ptx", "barrier_left_open.bcu", "counted_exit.bcu", "wait_cycle.bcu"];
    for name in names.iter().map(|name| example(&format!("check/{name}"))).chain([example("missing_lanes.bcu")]) {
        let run = bench.run(&format!("run {name} --machine m.toml --format json"));
        let checked = bench.run(&format!("check {name} --machine m.toml --format json"));
        let (Ok(run), Ok(checked)) =
            (serde_json::from_str::<Value>(&run.stdout), serde_json::from_str::<Value>(&checked.stdout))
        else {
            panic!("{name}: {run:?} {checked:?}");
        };
        let mut counted = 0;
        for fault in run["faults"].as_array().unwrap() {
            let same = |f: &&Value| {
                f["code"] == fault["code"]
                    || fault["code"] == "deadlock" && ["counted_exit", "wait_cycle"].map(Value::from).contains(&f["code"])
            };
            let cycles: Vec<&Value> =
                checked["findings"].as_array().unwrap().iter().filter(same).map(|f| &f["cycle"]).collect();
            counted += usize::from(cycles.contains(&&fault["cycle"]));
        }
        // The faults of a repeated misuse are one finding, with the cycle of the first fault. So the
        // cycle of each finding that reports a fault is the cycle of a fault of the run, but a later
        // fault may have no finding.
        let of_run: BTreeSet<u64> = run["faults"].as_array().unwrap().iter().map(|f| f["cycle"].as_u64().unwrap()).collect();
        assert!(counted > 0 || of_run.is_empty(), "{name}: {run:#} {checked:#}");
        for finding in checked["findings"].as_array().unwrap() {
            let reported = CODES.iter().find(|c| finding["code"] == c.name).unwrap().reported();
            let cycle = finding["cycle"].as_u64();
            assert!(!reported || cycle.is_none_or(|cycle| of_run.contains(&cycle)), "{name}: {finding:#} {of_run:?}");
        }
    }
}

#[test]
fn a_place_has_file_line_and_column() {
    let bench = Bench::new();
    bench
        .file("a.bcu", ".cta_warps 2\n  BAR.ARV 0x1, 0x40\n")
        .file("b.bcu", "NOP 90\n\tBAR.SYNC 0x1, 0x40\nBAR.SYNC 0x2, 0x60\n");
    let done = bench.run("check a.bcu b.bcu --format json");
    assert_eq!(done.code, 1, "{done:?}");
    let done: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(codes(&done), BTreeSet::from(["count_exceeds_cta".to_string()]));
    let place = &done["findings"][0]["place"];
    assert_eq!((place["file"].as_str(), place["line"].as_u64(), place["column"].as_u64()), (Some("b.bcu"), Some(3), Some(1)));
    assert_eq!(place["text"], "BAR.SYNC 0x2, 0x60");
}

#[test]
fn one_misuse_is_told_once_with_how_often_it_happened() {
    let bench = Bench::new();
    bench.file("m.toml", "[[cta]]\ncount = 5\n").file("p.bcu", ".cta_warps 2\nBAR.SYNC 0x1, 0x60\nBAR.SYNC 0x1, 0x60\n");
    let done = bench.run("check p.bcu --machine m.toml --format json");
    let done: Value = serde_json::from_str(&done.stdout).unwrap();
    let places: Vec<_> =
        done["findings"].as_array().unwrap().iter().map(|f| (f["place"]["line"].as_u64(), f["times"].as_u64())).collect();
    assert_eq!(places, [(Some(2), Some(10)), (Some(3), Some(10))]);
}

#[test]
fn constants_are_checked_where_the_run_does_not_come() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\n.warps 0\nBAR.SYNC 0x1, 0x8\nBAR.SYNC 0x9, 0xc\n.warps 1\nEXIT\n");
    let done = bench.run("check p.bcu --config small --format json");
    let done: Value = serde_json::from_str(&done.stdout).unwrap();
    let unreached: Vec<_> = done["findings"].as_array().unwrap().iter().filter(|f| f["times"] == 0).collect();
    let names: Vec<_> = unreached.iter().map(|f| f["code"].as_str().unwrap()).collect();
    assert_eq!(names, ["id_out_of_range", "count_exceeds_cta"], "{done:#}");
    assert!(unreached.iter().all(|f| f["cycle"].is_null() && f["place"]["line"] == 4), "{done:#}");
}

#[test]
fn cutlass_kernels_are_told_of_reserved_ids() {
    let bench = Bench::new();
    let kernel =
        |name: &str| format!(".version 8.0\n.target sm_80\n.visible .entry {name}() .reqntid 64\n{{\nbar.sync 3;\n}}\n");
    bench.file("a.ptx", kernel("_ZN7cutlass6kernelE")).file("b.ptx", kernel("mine"));
    let done = bench.run("check a.ptx");
    assert!(done.code == 0 && done.stdout.contains("note[reserved_id]") && done.stdout.contains("a.ptx:5:1"), "{done:?}");
    assert!(!bench.run("check b.ptx").stdout.contains("reserved_id"));
}

#[test]
fn every_key_of_the_json_is_described() {
    let (_, done) = json(&example("check/count_mismatch.bcu"));
    let page = std::fs::read_to_string(example("../docs/guide/check.md")).unwrap();
    let described = |key: &str| page.contains(&format!("`{key}`"));
    for key in done.as_object().unwrap().keys() {
        assert!(described(key), "{key}");
    }
    let finding = &done["findings"][0];
    for key in finding.as_object().unwrap().keys() {
        assert!(described(&format!("findings[].{key}")), "{key}");
    }
    let inner = [&finding["place"], &finding["related"][0]];
    for key in inner.iter().flat_map(|o| o.as_object().unwrap().keys()) {
        assert!(described(key), "{key}");
    }
}

#[test]
fn the_table_of_codes_is_fresh() {
    let page = std::fs::read_to_string(example("../docs/guide/check.md")).unwrap();
    let (_, rest) = page.split_once(TABLE_BEGIN).unwrap();
    let (table, _) = rest.split_once(TABLE_END).unwrap();
    assert_eq!(table.trim(), markdown().trim(), "docs/guide/check.md is stale: cargo xtask regen");
}

#[test]
fn what_cannot_run_is_refused() {
    let bench = Bench::new();
    bench.file("p.bcu", "BAR.SYNC 0x10\n");
    let done = bench.run("check p.bcu");
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
    assert!(done.stderr.contains("p.bcu:1:10"), "{done:?}");
    assert_eq!(bench.run("check").code, 2);
    assert_eq!(bench.run("check absent.bcu").code, 2);
}
