// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check --seeds`: each finding once, with the seeds that show it.

use crate::common::Bench;
use serde_json::Value;

/// Traps if the first bit of shared memory is set; with random contents that depends on the seed.
const BY_SEED: &str = "\
.version 8.5
.target sm_90a
.address_size 64
.visible .entry by_seed()
.reqntid 32, 1, 1
{
    .reg .b32 %r<4>;
    .reg .pred %p<2>;
    .shared .align 4 .b8 tile[4];
    mov.u32 %r1, tile;
    ld.shared.u32 %r2, [%r1];
    and.b32 %r3, %r2, 1;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 trap;
    ret;
}
";

const LINE: &str = "check k.ptx --fill random";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("k.ptx", BY_SEED);
    bench
}

fn json(bench: &Bench, line: &str) -> (i32, Value) {
    let done = bench.run(&format!("{line} --format json"));
    (done.code, serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}")))
}

/// The seeds of single runs that show the trap.
fn trapping(bench: &Bench, seeds: std::ops::Range<u64>) -> Vec<u64> {
    let traps = |seed: &u64| bench.run(&format!("{LINE} --seed {seed}")).stdout.contains("error[trapped]");
    seeds.filter(traps).collect()
}

#[test]
fn a_finding_has_its_first_seed_and_the_number_of_its_seeds() {
    let bench = bench();
    let showing = trapping(&bench, 3..15);
    assert!(!showing.is_empty() && showing.len() < 12, "{showing:?}");
    let mut reports = vec![];
    for jobs in [1, 4] {
        let (code, report) = json(&bench, &format!("{LINE} --seed 3 --seeds 12 --jobs {jobs}"));
        let seeds = &report["seeds"];
        assert_eq!((code, &seeds["first"], &seeds["runs"]), (1, &Value::from(3), &Value::from(12)));
        assert_eq!(seeds["failed"], showing.len());
        let found: Vec<&Value> = report["findings"].as_array().unwrap().iter().filter(|f| f["code"] == "trapped").collect();
        assert_eq!(found.len(), 1, "{report:#}");
        let of_finding = &found[0]["seeds"];
        assert_eq!((&of_finding["first"], &of_finding["count"]), (&Value::from(showing[0]), &Value::from(showing.len())));
        let again = of_finding["command"].as_str().unwrap().strip_prefix("bcu ").unwrap();
        let again = bench.run(&again.replace("--format json", ""));
        assert!(again.code == 1 && again.stdout.contains("error[trapped]"), "{again:?}");
        reports.push(report["findings"].clone());
    }
    assert_eq!(reports[0].as_array().map(Vec::len), reports[1].as_array().map(Vec::len));
}

#[test]
fn text_and_sarif_name_the_seeds() {
    let bench = bench();
    let showing = trapping(&bench, 1..9);
    let text = bench.run(&format!("{LINE} --seeds 8"));
    let note =
        format!("{} of the 8 seeds show this, the first is seed {}: `bcu check k.ptx --fill random", showing.len(), showing[0]);
    assert!(text.code == 1 && text.stdout.contains(&note), "{note}: {text:?}");
    assert!(text.stdout.contains(&format!("; {} of the 8 seeds 1 to 8 fail\n", showing.len())), "{text:?}");
    let sarif: Value = serde_json::from_str(&bench.run(&format!("{LINE} --seeds 8 --format sarif")).stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let found = results.iter().find(|result| result["ruleId"] == "trapped").unwrap();
    assert_eq!(found["properties"]["seeds"]["count"], showing.len());
}

#[test]
fn seeds_need_files_and_the_model() {
    let bench = bench();
    for (line, part) in [
        ("check k.ptx --seeds 0", "invalid value"),
        ("check k.ptx --seeds 2 --engine rtl", "runs on the model only"),
        ("check - --lang ptx --seeds 2", "standard input"),
        ("check k.ptx --seeds 2 --schedules 2", "cannot be used with"),
        ("check k.ptx --seeds 2 --arg nothing=1", "it has no parameters"),
    ] {
        let done = bench.run_with(line, BY_SEED);
        assert!(done.code == 2 && done.stderr.contains(part), "{line}: {done:?}");
    }
}
