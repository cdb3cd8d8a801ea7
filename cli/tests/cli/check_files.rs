// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu check` with the options of `bcu run` that write files, and `--full`.

use crate::common::{example, Bench, HANG};
use serde_json::Value;

/// The lines of a report without its times.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

#[test]
fn check_writes_the_files_that_run_writes() {
    for (program, options) in [("hang.bcu".to_string(), "--config tiny"), (example("producer_consumer.ptx"), "--engine model")]
    {
        let bench = Bench::new();
        bench.file("hang.bcu", HANG);
        let files = |name: &str| format!("--timeline {name}.svg --trace {name}.json --wave {name}.vcd");
        let run = bench.run(&format!("run {program} {options} {}", files("run")));
        let check = bench.run(&format!("check {program} {options} {}", files("check")));
        assert_eq!((check.code, check.stderr.as_str()), (run.code, ""), "{check:?}");
        for part in ["timeline: check.svg\n", "trace: check.json\n", "waveform: check.vcd\n", "  gtkwave check.gtkw\n"] {
            assert!(check.stdout.contains(part), "{part}: {}", check.stdout);
        }
        // Race detection does not change the run.
        for ending in ["svg", "json", "vcd"] {
            assert!(
                bench.text(&format!("check.{ending}")) == bench.text(&format!("run.{ending}")),
                "{ending} of {program} differs"
            );
        }
        assert_eq!(bench.text("check.gtkw"), bench.text("run.gtkw").replace("run.", "check."));
    }
}

#[test]
fn findings_as_json_and_a_stopped_program_have_their_files_too() {
    let bench = Bench::new();
    bench.file("hang.bcu", HANG);
    let done = bench.run("check hang.bcu --config tiny --trace t.json --timeline t.svg --wave w.vcd --format json");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(serde_json::from_str::<Value>(&done.stdout).is_ok(), "{done:?}");
    assert_eq!(bench.files().iter().filter(|name| name.starts_with(['t', 'w'])).count(), 5, "{:?}", bench.files());
    let done = bench.run(&format!("check {} --trace s.json --timeline s.svg --wave s.vcd", example("check/bad_access.ptx")));
    assert_eq!(done.code, 1, "{done:?}");
    assert!(bench.text("s.json").contains("the program stops the run") && bench.path("s.svg").exists());
    assert!(bench.path("s.vcd").exists() && bench.path("s.gtkw").exists());
}

#[test]
fn a_check_with_other_schedules_records_its_first_run() {
    let bench = Bench::new();
    let program = example("check/schedule_fails.ptx");
    let done = bench.run(&format!("check {program} --schedules 20 --trace t.json --picture p.svg --timeline t.svg"));
    assert_eq!(done.code, 1, "{done:?}");
    assert!(bench.path("p.svg").exists() && bench.text("t.json").contains("\"completed\""), "{done:?}");
}

#[test]
fn full_prints_every_reason_and_the_report() {
    let bench = Bench::new();
    let program = example("schedules/byte_range.ptx");
    let [short, full] = ["", "--full"].map(|option| bench.run(&format!("check {program} {option}")));
    let reasons = |text: &str| text.matches("not proved for every schedule: ").count();
    let json: Value = serde_json::from_str(&bench.run(&format!("check {program} --format json")).stdout).unwrap();
    let all = json["schedules"]["reasons"].as_array().unwrap().len();
    assert!(all > 1, "{json}");
    assert_eq!((reasons(&short.stdout), reasons(&full.stdout)), (1, all), "{full:?}");
    let others = if all == 2 { "and 1 other reason:".to_string() } else { format!("and {} other reasons:", all - 1) };
    assert!(short.stdout.contains(&others) && !full.stdout.contains("other reason"), "{short:?}");
    // A report begins with its verdict.
    let report = bench.run(&format!("run {program}")).stdout;
    assert!(full.stdout.contains(first_line(&report)) && !short.stdout.contains(first_line(&report)), "{full:?}");
    assert!(full.stdout.starts_with(short.stdout.split("  and ").next().unwrap()), "{full:?}");
}
