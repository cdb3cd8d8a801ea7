// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The formats of `bcu check`, the severity from which it fails, and quiet commands.

use crate::common::{example, Bench, HANG};
use serde_json::Value;
use serde_sarif::sarif::{ResultLevel, Sarif};

/// A correct program with a warning: a barrier where no warp waits.
const WARNING: &str = ".cta_warps 2\n.warps 0-1 both\nBAR.ARV 0x1, 0x40\nEXIT\n";
const GOOD: &str = ".cta_warps 2\nBAR.SYNC 0x1\nEXIT\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("hang.bcu", HANG).file("warning.bcu", WARNING).file("good.bcu", GOOD);
    bench
}

#[test]
fn sarif_has_rules_places_and_fingerprints() {
    let bench = bench();
    let file = example("check/count_mismatch.bcu");
    std::fs::copy(&file, bench.path("count mismatch.bcu")).unwrap();
    let output = bench.command().args(["check", "count mismatch.bcu", "--format", "sarif"]).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), &b""[..]));
    let text = String::from_utf8(output.stdout).unwrap();
    // The types of the crate are generated from the schema of the standard.
    let log: Sarif = serde_json::from_str(&text).unwrap();
    let run = &log.runs[0];
    let invocation = &run.invocations.as_ref().unwrap()[0];
    assert_eq!((invocation.exit_code, invocation.execution_successful), (Some(1), true));
    let rules = run.tool.driver.rules.as_ref().unwrap();
    let result = &run.results.as_ref().unwrap()[0];
    let rule = &rules[usize::try_from(result.rule_index.unwrap()).unwrap()];
    assert_eq!((rule.id.as_str(), result.rule_id.as_deref()), ("count_mismatch", Some("count_mismatch")));
    assert_eq!(result.level, Some(ResultLevel::Error));
    assert!([rule.short_description.is_some(), rule.full_description.is_some(), rule.help.is_some()] == [true; 3]);
    let physical = result.locations.as_ref().unwrap()[0].physical_location.as_ref().unwrap();
    assert_eq!(physical.artifact_location.as_ref().unwrap().uri.as_deref(), Some("count%20mismatch.bcu"));
    let region = physical.region.as_ref().unwrap();
    assert_eq!([region.start_line, region.start_column, region.end_line, region.end_column], [8, 1, 8, 19].map(Some));
    let related = result.related_locations.as_ref().unwrap();
    assert_eq!(related[0].physical_location.as_ref().unwrap().region.as_ref().unwrap().start_line, Some(4));
    // A fingerprint does not depend on the lines before the place.
    let print = |text: &str| -> Value {
        let log: Value = serde_json::from_str(text).unwrap();
        log["runs"][0]["results"][0]["partialFingerprints"]["bcuFinding/v1"].clone()
    };
    let moved = format!("// more\n// lines\n{}", bench.text("count mismatch.bcu"));
    bench.file("count mismatch.bcu", moved);
    let again = bench.command().args(["check", "count mismatch.bcu", "--format", "sarif"]).output().unwrap();
    let again = String::from_utf8(again.stdout).unwrap();
    assert!(print(&again).is_string() && print(&again) == print(&text) && again != text);
    let good = bench.run("check good.bcu --format sarif");
    let log: Sarif = serde_json::from_str(&good.stdout).unwrap();
    assert!(good.code == 0 && log.runs[0].results.as_ref().unwrap().is_empty());
}

/// Every example with findings gives a log with the structure of the standard, one result for each finding of the JSON.
#[test]
fn sarif_has_the_findings_of_the_json() {
    let bench = Bench::new();
    for name in ["deadlock.bcu", "mbarrier_wait.ptx", "race.ptx", "nobody_waits.bcu", "wait_cycle.bcu"] {
        let file = example(&format!("check/{name}"));
        let (sarif, json) =
            (bench.run(&format!("check {file} --format sarif")), bench.run(&format!("check {file} --format json")));
        let log: Sarif = serde_json::from_str(&sarif.stdout).unwrap();
        let json: Value = serde_json::from_str(&json.stdout).unwrap();
        let codes: Vec<String> = log.runs[0].results.iter().flatten().filter_map(|result| result.rule_id.clone()).collect();
        let expected: Vec<&str> = json["findings"].as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap()).collect();
        assert!(codes == expected && !codes.is_empty(), "{name}: {codes:?}");
    }
}

#[test]
fn github_gets_one_command_for_each_finding() {
    let file = example("check/count_mismatch.bcu");
    let done = Bench::new().run(&format!("check {file} --format github"));
    assert_eq!((done.code, done.stdout.lines().count()), (1, 1), "{done:?}");
    let shown = file.replace(',', "%2C");
    let begin = format!(
        "::error file={shown},line=8,endLine=8,col=1,endColumn=18,title=bcu%3A count_mismatch::warp 1 gives 96 threads"
    );
    assert!(done.stdout.starts_with(&begin), "{done:?}");
    assert!(done.stdout.contains("%0Anote: warp 0 arrived first") && done.stdout.contains("%0Ahelp: let every"), "{done:?}");
    let warning = bench().run("check warning.bcu --format github");
    assert!(warning.code == 0 && warning.stdout.starts_with("::warning file=warning.bcu,line=3,"), "{warning:?}");
}

#[test]
fn a_check_fails_from_the_chosen_severity() {
    let bench = bench();
    for (options, code) in [("", 0), ("--fail-on error", 0), ("--fail-on warning", 1), ("--fail-on note", 1)] {
        let done = bench.run(&format!("check warning.bcu {options}"));
        let verdict = if code == 0 { "pass: 0 errors, 1 warning" } else { "fail: 0 errors, 1 warning" };
        assert!(done.code == code && done.stdout.contains(verdict), "{options}: {done:?}");
    }
    let json: Value = serde_json::from_str(&bench.run("check warning.bcu --fail-on warning --format json").stdout).unwrap();
    assert_eq!((&json["verdict"], &json["fail_on"]), (&Value::from("fail"), &Value::from("warning")));
    assert_eq!(bench.run("check good.bcu --fail-on note").code, 0);
}

#[test]
fn quiet_commands_print_no_more_than_the_result() {
    let bench = bench();
    let good = bench.run("check good.bcu --quiet");
    assert_eq!((good.code, good.stdout.as_str(), good.stderr.as_str()), (0, "", ""));
    let hang = bench.run("check hang.bcu -q");
    assert!(hang.code == 1 && hang.stdout.starts_with("error[") && !hang.stdout.contains("fail:"), "{hang:?}");
    let run = bench.run("run hang.bcu -q");
    assert_eq!((run.code, run.stdout.lines().count()), (1, 1), "{run:?}");
    assert!(run.stdout.starts_with("verdict: hung after "), "{run:?}");
}

#[test]
fn a_schedule_excludes_an_exploration() {
    let bench = bench();
    for option in ["--schedules 3", "--reverse 3", "--explore 2", "--seeds 3"] {
        let done = bench.run(&format!("check good.bcu --schedule file {option}"));
        let named = option.split(' ').next().unwrap();
        assert!(done.code == 2 && done.stderr.contains("cannot be used with") && done.stderr.contains(named), "{done:?}");
    }
}

#[test]
fn faults_of_one_place_are_one_entry_of_a_report() {
    let done = Bench::new().run(&format!("run {}", example("cuda/wrong/count.ptx")));
    let faults: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with("fault count_mismatch")).collect();
    assert_eq!(faults.len(), 1, "{done:?}");
    assert!(
        faults[0].ends_with("(count.cu:9, PTX line 51: bar.arrive 1, 128); 2 times in all, the last in cycle 395"),
        "{faults:?}"
    );
}
