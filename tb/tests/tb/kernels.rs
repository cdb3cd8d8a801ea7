// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whole kernels as the compiler wrote them: right results in two schedules, and planted bugs found where they are.
//! `cargo xtask kernels` goes through more schedules and targets.

use bcu_tb::kernels::{bugs, expected, kernels, Bench};
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
    let all: Vec<PathBuf> = files().iter().flat_map(|file| bugs(file)).collect();
    assert!(all.len() >= 12, "only {} planted bugs", all.len());
    for file in all {
        let wanted = expected(&std::fs::read_to_string(&file).unwrap());
        assert!(!wanted.is_empty(), "{} does not say what it finds", file.display());
        let found = bench.run(&file, None, 1, true).found;
        let missing: Vec<&String> = wanted.iter().filter(|one| !found.contains(one)).collect();
        assert!(missing.is_empty(), "{}: found {found:?}, but not {missing:?}", file.display());
    }
}
