// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the kernels of `examples/races`. A correct kernel has no finding in any of several schedules. A kernel with a mistake has the
//! finding that its line `// code:` names. A kernel with the line `// missed:` has a mistake that `bcu check` does not find. `BCU_SEEDS=N`
//! sets the number of random schedules of each correct kernel.

use crate::common::Bench;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The files of a folder of `examples/races`, sorted.
fn kernels(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/races").join(kind);
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|ending| ending == "ptx")).collect();
    files.sort();
    files
}

/// The findings of a check, as severity and code, and whether the run completed.
fn check(file: &Path, text: &str, options: &str) -> (Vec<(String, String)>, bool) {
    let given = text.lines().find_map(|line| line.strip_prefix("// check: ")).unwrap_or("");
    let bench = Bench::new();
    bench.file("random.toml", "policy = \"random\"\n");
    let done = bench.run(&format!("check {} {given} --max-cycles 20000 --format json {options}", file.display()));
    let found: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{}: {e}\n{done:?}", file.display()));
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_string();
    let findings = found["findings"].as_array().unwrap().iter();
    let codes = findings.map(|finding| (text(finding, "severity"), text(finding, "code"))).collect();
    (codes, found["run"] == "completed")
}

fn all_of(kind: &str, least: usize) {
    let seeds: u64 = std::env::var("BCU_SEEDS").map_or(2, |seeds| seeds.parse().expect("BCU_SEEDS is a number"));
    let files = kernels(kind);
    assert!(files.len() >= least, "{kind}: {} files", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        let header = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        match header("// code: ") {
            _ if header("// missed: ").is_some() => assert_eq!(check(&file, &text, ""), (vec![], true), "{name} is found now"),
            Some(code) => {
                let (found, _) = check(&file, &text, "");
                assert!(found.iter().any(|(_, found)| found == code), "{name}: expected {code}, found {found:?}");
            }
            None => {
                assert_eq!(check(&file, &text, ""), (vec![], true), "{name}");
                for seed in 1..=seeds {
                    let found = check(&file, &text, &format!("--machine random.toml --seed {seed}"));
                    assert_eq!(found, (vec![], true), "{name}, seed {seed}");
                }
            }
        }
    }
}

#[test]
fn kernels_of_one_cta() {
    all_of("group", 48);
}

#[test]
fn kernels_on_graphs() {
    all_of("graph", 36);
}

#[test]
fn kernels_with_scopes_and_fences() {
    all_of("scope", 66);
}

#[test]
fn right_kernels_whose_ctas_start_and_exit_in_legal_ways() {
    all_of("cluster", 8);
}

#[test]
fn kernels_of_single_clauses_of_ptx() {
    all_of("clause", 40);
}

#[test]
fn kernels_with_products_of_warpgroups() {
    all_of("wgmma", 34);
}
