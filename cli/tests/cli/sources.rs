// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of the source from which PTX was compiled, in findings and reports.

use crate::common::{example, Bench};
use serde_json::Value;

const WRONG: [&str; 3] = ["count", "smooth", "ring"];

/// The path of a kernel that is wrong on purpose.
fn wrong(name: &str) -> String {
    example(&format!("cuda/wrong/{name}.ptx"))
}

fn findings(name: &str) -> Vec<Value> {
    let done = Bench::new().run(&format!("check {} --format json", wrong(name)));
    let report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}\n{}{}", done.stdout, done.stderr));
    report["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == "error").cloned().collect()
}

/// The number of the first line of the source of a kernel with a text.
fn line_of(name: &str, text: &str) -> u64 {
    let source = std::fs::read_to_string(example(&format!("cuda/wrong/{name}.cu"))).unwrap();
    source.lines().position(|line| line.contains(text)).map(|at| at as u64 + 1).unwrap()
}

#[test]
fn an_error_has_the_line_of_the_author() {
    for (name, code, text) in [
        ("count", "count_mismatch", "bar.arrive 1, 128"),
        ("smooth", "race", "return tile[i ^ 1];"),
        ("ring", "mbarrier_wait", "empty[slot].arrive_and_wait();"),
    ] {
        let findings = findings(name);
        assert_eq!(findings.len(), 1, "{name}: {findings:#?}");
        assert_eq!(findings[0]["code"], code);
        let source = &findings[0]["place"]["source"];
        assert_eq!(source["line"].as_u64(), Some(line_of(name, text)), "{source:#}");
        assert!(source["file"].as_str().unwrap().ends_with(&format!("{name}.cu")), "{source:#}");
        assert!(source["text"].as_str().unwrap().contains(text), "{source:#}");
    }
}

#[test]
fn copies_of_an_unrolled_line_are_one_finding_with_the_call_of_its_function() {
    let findings = findings("smooth");
    assert_eq!(findings[0]["times"], 4);
    assert!(findings[0]["message"].as_str().unwrap().contains(" of `tile`, "), "{}", findings[0]["message"]);
    let inlined = findings[0]["place"]["source"]["inlined"].as_array().unwrap();
    let lines: Vec<Option<u64>> = inlined.iter().map(|frame| frame["line"].as_u64()).collect();
    assert_eq!(lines, ["return tile[i ^ 1];", "sum += neighbour"].map(|text| Some(line_of("smooth", text))));
    assert_eq!(inlined[0]["function"], "neighbour");
    let stored = &findings[0]["related"][0]["place"]["source"];
    assert_eq!(stored["line"].as_u64(), Some(line_of("smooth", "tile[t + 64 * k] = ")));
}

#[test]
fn calls_that_the_text_does_not_distinguish_are_all_named() {
    let findings = findings("ring");
    let source = &findings[0]["place"]["source"];
    let other = format!("ring.cu:{}", line_of("ring", "full[slot].arrive_and_wait();"));
    let others = source["others"].as_array().unwrap();
    assert!(others.len() == 1 && others[0].as_str().unwrap().ends_with(&other), "{source:#}");
    let text = Bench::new().run(&format!("check {}", wrong("ring"))).stdout;
    assert!(text.contains("the line calls `barrier::arrive_and_wait` (barrier_block_scope.h:"), "{text}");
    assert!(text.contains(&format!("{other} instead: the PTX does not distinguish these calls")), "{text}");
}

#[test]
fn a_report_names_the_line_of_the_source_and_of_the_ptx() {
    for name in WRONG.into_iter().filter(|name| *name != "smooth") {
        let report = Bench::new().run(&format!("run {}", wrong(name))).stdout;
        assert!(report.contains(&format!("{name}.cu:")) && report.contains(", PTX line "), "{report}");
    }
}

#[test]
fn a_source_that_does_not_exist_has_its_line_without_an_excerpt() {
    let bench = Bench::new();
    let text = std::fs::read_to_string(wrong("count")).unwrap().replace("\"count.cu\"", "\"/absent/moved.cu\"");
    bench.file("k.ptx", text);
    let done = bench.run("check k.ptx");
    let line = line_of("count", "bar.arrive 1, 128");
    assert!(done.stdout.contains(&format!("--> /absent/moved.cu:{line}:")), "{}", done.stdout);
    assert!(done.stdout.contains("bar.arrive 1, 128;") && !done.stdout.contains("asm volatile"), "{}", done.stdout);
}

#[test]
fn a_run_that_stops_has_the_line_of_the_source() {
    let bench = Bench::new();
    let text = std::fs::read_to_string(wrong("count")).unwrap();
    bench.file("k.ptx", text.replace("bar.sync 1, 96;", "ld.global.u32 %r1, [%rd2+4];\n\tbar.sync %r1, 96;"));
    std::fs::copy(example("cuda/wrong/count.cu"), bench.path("count.cu")).unwrap();
    let done = bench.run("run k.ptx");
    assert!(done.code == 2 && done.stderr.contains("--> count.cu:11:9"), "{}{}", done.stdout, done.stderr);
}
