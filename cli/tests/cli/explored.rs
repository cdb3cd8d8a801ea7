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
    assert_eq!((runs.as_u64(), priorities["seed"].as_u64(), priorities["depth"].as_u64()), (Some(22), Some(7), Some(2)));
    let (warps, operations) = (priorities["warps"].as_f64().unwrap(), priorities["operations"].as_f64().unwrap());
    let expected = 1.0 - (1.0 - 1.0 / (warps * operations)).powi(21);
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

/// A bounded loop of polls may count its rounds, so its warp does not give way to the others after two of them.
#[test]
fn random_priorities_find_a_wait_that_gives_up() {
    let bench = Bench::new();
    let text = std::fs::read_to_string(example("schedules/flag_read_once.ptx")).unwrap();
    let load = "    ld.relaxed.cta.shared.u32 %r1, [flag];\n    setp.eq.u32 %late, %r1, 0;\n";
    let polls = "    mov.u32 %r3, 0;\nPOLL:\n    ld.relaxed.cta.shared.u32 %r1, [flag];\n    setp.ne.u32 %late, %r1, 0;\n    \
                 @%late bra GO;\n    add.u32 %r3, %r3, 1;\n    setp.lt.u32 %late, %r3, 5;\n    @%late bra POLL;\nGO:\n    \
                 setp.eq.u32 %late, %r1, 0;\n";
    let polling = text.replacen(load, polls, 1);
    assert_ne!(polling, text);
    bench.file("polls.ptx", polling);
    let done = bench.run("check polls.ptx --fill zero --explore 1 --schedules 20");
    assert!(done.stdout.starts_with("error[schedule_fails]: another schedule hangs"), "{done:?}");
}

#[test]
fn a_schedule_that_does_not_fit_is_reported() {
    let bench = Bench::new();
    let text = std::fs::read_to_string(example("schedules/phase_missed.ptx")).unwrap();
    bench.file("k.ptx", &text);
    assert_eq!(bench.run("check k.ptx --fill zero --schedules 20 --save-schedule s.toml").code, 1);
    // An edit of a comment changes nothing; an instruction more does.
    bench.file("k.ptx", format!("// A comment.\n{text}"));
    assert_eq!(bench.run("run k.ptx --fill zero --schedule s.toml").code, 1);
    bench.file("k.ptx", text.replacen("    bar.sync 0;", "    bar.sync 0;\n    bar.warp.sync 0xffffffff;", 1));
    let done = bench.run("run k.ptx --fill zero --schedule s.toml");
    assert!(done.code == 2 && done.stderr.contains("the schedule was written for other instructions"), "{done:?}");
    // An execution that does not occur.
    bench.file("k.ptx", &text);
    let schedule = bench.text("s.toml").replace("time = 1 }", "time = 200 }");
    bench.file("s.toml", schedule);
    let done = bench.run("run k.ptx --fill zero --schedule s.toml");
    assert!(done.code == 0 && done.stderr.contains("has not followed 1 of the 1 constraints"), "{done:?}");
}

#[test]
fn priorities_and_times_that_cannot_be_are_refused() {
    let bench = Bench::new();
    let program = example("schedules/ticket.ptx");
    let executions = "after = { cta = 0, warp = 1, function = 0, instr = 8, time = 1 }";
    for (text, why) in [
        ("[priorities]\nseed = 1\ndepth = 4294967295\noperations = 10\n".to_string(), "expected a depth from 1 to 64"),
        ("[priorities]\nseed = 1\ndepth = 2\noperations = 0\n".to_string(), "at least one operation"),
        (
            format!("[[constraint]]\ndelayed = {{ cta = 0, warp = 0, function = 0, instr = 8, time = 0 }}\n{executions}\n"),
            "`time` is 0",
        ),
    ] {
        bench.file("s.toml", text);
        let done = bench.run(&format!("run {program} --fill zero --schedule s.toml"));
        assert!(done.code == 2 && done.stderr.contains(why), "{done:?}");
    }
}
