// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every unit of every configuration in lockstep: the rust-hdl block against the model, and its export under Verilator and
//! Icarus. The long campaign is `bcu regress lockstep`; these are the same runs, shorter.

use bcu_hw::catalog::UNITS;
use bcu_hw::config::{named, NAMED};
use bcu_tb::lockstep::units::{bench, campaign, Effort};
use std::path::PathBuf;

fn work() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep")
}

/// Runs every unit of a configuration; reports all that fail.
fn check(config: &str, effort: Effort, seeds: usize) {
    let config = named(config).unwrap();
    let mut failures = vec![];
    for unit in UNITS {
        let mut bench = bench(unit, &config, effort, work()).unwrap();
        let name = &config.name;
        let command = |seed, cycles| format!("bcu regress lockstep/{unit}/{name} --seed {seed} --cycles {cycles}");
        for seed in 0..seeds {
            let part = Effort { cycles: effort.cycles / seeds, ..effort };
            let done = campaign(&mut bench, unit, &config, part, seed as u64, &command, &mut |_| ());
            if let Err(error) = done {
                failures.push(error.to_string());
                break;
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

fn rust_only(config: &str) {
    check(config, Effort { cycles: 20_000, verilator: 0, icarus: 0 }, 20);
}

#[test]
fn tiny() {
    rust_only("tiny");
}
#[test]
fn small() {
    rust_only("small");
}
#[test]
fn default() {
    rust_only("default");
}
