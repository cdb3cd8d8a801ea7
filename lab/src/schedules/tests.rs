// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the parts of `cargo lab schedules` that need no run.

use super::check::{repeat, Report};
use super::page::{names, seconds};
use super::{launch_files, named};

fn report(text: &str) -> Report {
    serde_json::from_str(text).unwrap()
}

#[test]
fn errors_are_compared_in_the_notation_of_the_launch_files() {
    let stopped = report(
        r#"{"run": "stopped", "errors": 1, "findings": [{"code": "bad_access", "severity": "error", "place": {"line": 51}},
            {"code": "race", "severity": "warning", "place": {"line": 3}}],
            "schedules": {"verdict": "not_proved", "reasons": [{"message": "the program was stopped", "operation": null}], "explored": null}}"#,
    );
    assert_eq!(stopped.found(), ["bad_access 51", "stopped 51"]);
    assert!(launch_files::missing("# finds: stopped 51", &stopped.found()).is_empty());
    assert!(stopped.run_fails() && !stopped.is_proved());
    assert_eq!(stopped.verdict(), "not proved: the program was stopped");
}

#[test]
fn a_run_with_wrong_contents_fails_and_can_be_a_proof() {
    let wrong = report(
        r#"{"run": "completed", "errors": 1, "findings": [{"code": "wrong_result", "severity": "error", "place": null}],
            "schedules": {"verdict": "every_schedule", "reasons": [],
            "explored": {"runs": 1, "orders": 1, "results": 1, "complete": true}}}"#,
    );
    assert_eq!(wrong.found(), ["values"]);
    assert!(wrong.run_fails() && wrong.is_proved() && wrong.explored().unwrap().complete);
    assert_eq!(wrong.verdict(), "every schedule");
}

#[test]
fn a_reason_has_its_line() {
    let flag = report(
        r#"{"run": "completed", "errors": 0, "findings": [], "schedules": {"verdict": "not_proved", "explored": null,
            "reasons": [{"message": "no rule", "operation": {"place": {"line": 84}}}]}}"#,
    );
    assert!(!flag.run_fails());
    assert_eq!(flag.verdict(), "not proved: no rule, line 84");
}

#[test]
fn names_and_figures() {
    let root = xtask::root();
    let files = ["relay/launch.toml", "relay/bugs/nobody_starts.toml"].map(|file| root.join("examples/kernels").join(file));
    let [[kernel, path], [bug, _]] = files.map(|file| named(&root, &file));
    assert_eq!((kernel.as_str(), bug.as_str()), ("relay", "relay/nobody_starts"));
    assert_eq!(
        repeat(&path, &["--schedules".into(), "30".into()]),
        "bcu check examples/kernels/relay/launch.toml --schedules 30"
    );
    assert_eq!((names([].iter()), names([kernel, bug].iter())), ("none".into(), "`relay`, `relay/nobody_starts`".into()));
    assert_eq!([Some(0.034), Some(11.2), None].map(|time| seconds(time, 60)), ["0.03", "11", "over 60"]);
}
