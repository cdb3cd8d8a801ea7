// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check --schedules` and `--explore`: what other schedules show does not depend on the number of threads, and can be repeated.

use crate::common::{example, Bench};
use serde_json::Value;

/// Programs whose runs are right, and which fail in another schedule, with the code of the finding.
const FAILING: [(&str, &str); 3] =
    [("flag_read_once", "schedule_fails"), ("phase_missed", "wait_in_other_phase"), ("ticket", "schedule_result")];

fn check(bench: &Bench, program: &str, options: &str) -> Value {
    let done =
        bench.run(&format!("check {} --fill zero --format json {options}", example(&format!("schedules/{program}.ptx"))));
    serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{program} {options}: {e}\n{done:?}"))
}

fn codes(checked: &Value) -> Vec<&str> {
    checked["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

#[test]
fn random_priorities_find_what_reversed_pairs_find() {
    let bench = Bench::new();
    for (program, code) in FAILING {
        for options in ["--schedules 20", "--explore 2 --schedules 60"] {
            let checked = check(&bench, program, options);
            assert!(codes(&checked).contains(&code), "{program} {options}: {checked:#}");
        }
    }
}

#[test]
fn the_result_does_not_depend_on_the_number_of_threads() {
    let bench = Bench::new();
    for options in ["--schedules 30", "--explore 3 --schedules 30"] {
        let [one, four] = [1, 4].map(|jobs| check(&bench, "ticket", &format!("{options} --jobs {jobs}")));
        assert_eq!(one, four, "{options}");
    }
}

#[test]
fn an_exploration_by_priorities_states_its_probability() {
    let bench = Bench::new();
    let checked = check(&bench, "flag_read_once", "--explore 2 --schedules 21 --seed 7");
    let explored = &checked["schedules"]["explored"];
    let (runs, priorities) = (&explored["runs"], &explored["priorities"]);
    assert_eq!((runs.as_u64(), priorities["seed"].as_u64(), priorities["depth"].as_u64()), (Some(21), Some(7), Some(2)));
    let (warps, operations) = (priorities["warps"].as_f64().unwrap(), priorities["operations"].as_f64().unwrap());
    let expected = 1.0 - (1.0 - 1.0 / (warps * operations)).powi(20);
    assert!((priorities["probability"].as_f64().unwrap() - expected).abs() < 1e-9, "{priorities}");
}

#[test]
fn a_saved_schedule_repeats_the_failure() {
    let bench = Bench::new();
    let program = example("schedules/phase_missed.ptx");
    for options in ["--schedules 20", "--reverse 20", "--explore 2 --schedules 60"] {
        let done = bench.run(&format!("check {program} --fill zero {options} --save-schedule s.toml"));
        assert!(done.stdout.ends_with("schedule: s.toml (`bcu run --schedule`)\n"), "{options}: {done:?}");
        assert_eq!(bench.run(&format!("run {program} --fill zero")).code, 0);
        let done = bench.run(&format!("run {program} --fill zero --schedule s.toml"));
        assert!(done.code == 1 && done.stdout.starts_with("verdict: hung"), "{options}: {done:?}");
    }
}

#[test]
fn a_schedule_file_with_priorities_repeats_a_run() {
    let bench = Bench::new();
    bench.file("s.toml", "[priorities]\nseed = 3\ndepth = 2\noperations = 12\n");
    let program = example("schedules/ticket.ptx");
    let run = || bench.run(&format!("run {program} --fill zero --schedule s.toml --format json"));
    let (one, other) = (run(), run());
    assert_eq!((one.code, &one.stdout), (0, &other.stdout), "{one:?}");
    assert_ne!(one.stdout, bench.run(&format!("run {program} --fill zero --format json")).stdout);
}

#[test]
fn an_empty_schedule_file_is_refused() {
    let bench = Bench::new();
    bench.file("s.toml", "");
    let done = bench.run(&format!("check {} --fill zero --schedule s.toml", example("schedules/ticket.ptx")));
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stderr.contains("s.toml: the schedule has no `[[constraint]]` and no `[priorities]`"), "{done:?}");
}
