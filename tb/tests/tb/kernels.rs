// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole kernels on the machine code of the unit: the results are right in two schedules, and planted bugs are found at their
//! locations. `cargo lab kernels` covers more schedules and targets.

use bcu_tb::kernels::{bugs, expected, kernels, missing, Bench};
use std::path::PathBuf;

fn files() -> Vec<PathBuf> {
    let files = kernels(&PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/kernels"))).unwrap();
    assert!(files.len() >= 20, "only {} kernels", files.len());
    files
}

#[test]
fn kernels_give_the_expected_results() {
    let mut bench = Bench::new().unwrap();
    for file in files() {
        for seed in [1, 2] {
            let outcome = bench.run(&file, None, seed, seed == 1);
            assert_eq!((outcome.wrong, outcome.found), (vec![], vec![]), "{}, seed {seed}", file.display());
        }
    }
}

#[test]
fn planted_bugs_are_found_where_they_are() {
    let mut bench = Bench::new().unwrap();
    let bug_files: Vec<PathBuf> = files().iter().flat_map(|file| bugs(file)).collect();
    assert!(bug_files.len() >= 12, "only {} planted bugs", bug_files.len());
    for file in bug_files {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(!expected(&text).is_empty(), "{}: no `# finds:` line", file.display());
        let found = bench.run(&file, None, 1, true).found;
        let missing = missing(&text, &found);
        assert!(missing.is_empty(), "{}: found {found:?}, but not {missing:?}", file.display());
    }
}

#[test]
fn a_finding_stands_at_its_line_or_within_its_lines() {
    let text = "# finds: race 12, cycle_limit 41-59, values\n";
    let found = |list: &[&str]| missing(text, &list.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(found(&["race 12", "cycle_limit 59", "values", "deadlock 3"]).is_empty());
    assert_eq!(found(&["race 13", "cycle_limit 60", "values"]), ["race 12", "cycle_limit 41-59"]);
    assert_eq!(found(&["cycle_limit 41"]), ["race 12", "values"]);
}
