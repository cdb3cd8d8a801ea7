// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verdict of `bcu check` for every schedule: on the programs of `examples/schedules`, whose line `// Verdict:` states it, and on the
//! kernels of `examples/kernels`. The verdict must not depend on the schedule of the run.

use crate::common::Bench;
use serde_json::Value;
use std::path::{Path, PathBuf};

const SEEDS: [&str; 3] = ["", "--machine random.toml --seed 1", "--machine random.toml --seed 2"];

/// The kernels whose order matters or has no rule: atomic operations with a used result or of floating-point numbers, locks, flags,
/// `activemask`, barriers of cooperative grids, reserved shared memory and allocations of tensor memory.
const NOT_PROVED: [&str; 10] = [
    "atomics",
    "cuda_pipeline",
    "grid_reduce",
    "grid_sync",
    "last_block",
    "lookback_scan",
    "match",
    "spin_lock",
    "tcgen05_gemm",
    "warp_pairs",
];

fn examples(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The part `schedules` of a check.
fn schedules(arguments: &str) -> Value {
    let bench = Bench::new();
    bench.file("random.toml", "policy = \"random\"\n[latency]\nspread = 9\n");
    let done = bench.run(&format!("check {arguments} --format json"));
    let checked: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{arguments}: {e}\n{done:?}"));
    checked["schedules"].clone()
}

#[test]
fn programs_have_their_verdict_in_every_run() {
    let files = examples("schedules");
    let files: Vec<&PathBuf> = files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "ptx")).collect();
    assert!(files.len() >= 20, "{} files", files.len());
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        let header =
            |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("{file:?}: no `{key}`"));
        let (expected, command) = (header("// Verdict: "), header("// Command: bcu check "));
        let (_, options) = command.split_once(".ptx").unwrap();
        for seed in SEEDS {
            let found = schedules(&format!("{}{options} {seed}", file.display()));
            let verdict = found["verdict"].as_str().unwrap().replace('_', " ");
            assert_eq!(verdict, expected, "{} {seed}\n{found:#}", file.display());
            assert_eq!(found["reasons"].as_array().unwrap().is_empty(), expected == "every schedule");
        }
    }
}

#[test]
fn kernels_without_atomics_and_locks_are_proved_by_one_run() {
    let folders = examples("kernels");
    let folders: Vec<&PathBuf> = folders.iter().filter(|folder| folder.join("launch.toml").is_file()).collect();
    assert!(folders.len() >= 56, "{} kernels", folders.len());
    for folder in folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let found = schedules(&folder.join("launch.toml").display().to_string());
        let expected = if NOT_PROVED.contains(&name) { "not_proved" } else { "every_schedule" };
        assert_eq!(found["verdict"], expected, "{name}\n{found:#}");
    }
}

/// The other warp of the CTA loads what the earlier grid stores; in this run it does so after the wait.
#[test]
fn each_warp_must_wait_for_the_earlier_grids() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/kernels/dependent_grids");
    let text = std::fs::read_to_string(folder.join("sm_90a.ptx")).unwrap();
    let bench = Bench::new();
    for file in ["launch.toml", "in.npy", "out.npy"] {
        std::fs::copy(folder.join(file), bench.path(file)).unwrap();
    }
    // The second warp counts until the first one has waited.
    let one_waits = "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra COUNT;\ngriddepcontrol.wait;\nbra GO;\nmov.u32 %r4, 0;\nCOUNT:\n\
                     add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, 3000;\n@%p1 bra COUNT;\nGO:\n";
    let one_waits = text.replacen("griddepcontrol.wait;\n", one_waits, 1);
    assert_ne!(one_waits, text);
    for (text, verdict) in [(&text, "every_schedule"), (&one_waits, "not_proved")] {
        bench.file("sm_90a.ptx", text);
        let done = bench.run("check launch.toml --format json");
        let checked: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}\n{done:?}"));
        assert_eq!((checked["schedules"]["verdict"].as_str(), done.code), (Some(verdict), 0), "{checked:#}");
    }
}
