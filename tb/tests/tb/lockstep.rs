// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every unit of every configuration in lockstep: machine code and, for fewer cycles, the rust-hdl block against the model. In the smaller
//! configurations the export also runs under Verilator and Icarus. The campaign of `bcu regress lockstep` does the same runs with more
//! cycles.

use bcu_isa::config::{named, Config, NAMED};
use bcu_isa::units::{SEVERAL, WHOLE};
use bcu_tb::lockstep::units::{compared, lockstep, Effort, EPISODE};
use std::path::PathBuf;

/// Runs every unit of a configuration; reports all failures.
fn check(config: &str, effort: Effort) {
    let config = named(config).unwrap();
    run(&config, &compared(&config).collect::<Vec<_>>(), effort);
}

fn run(config: &Config, units: &[&str], effort: Effort) {
    // The rust-hdl block of a whole unit consists of the blocks of its parts, which also run separately, so it runs for fewer cycles.
    let block = |unit: &str| if [WHOLE, SEVERAL].contains(&unit) { effort.block / 4 } else { effort.block };
    let work = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let mut failures = vec![];
    for unit in units {
        let name = &config.name;
        let command = |seed, cycles| format!("bcu regress lockstep/{unit}/{name} --seed {seed} --cycles {cycles}");
        let (mut compared_cycles, effort) = (0, Effort { block: block(unit), ..effort });
        match lockstep(unit, config, effort, 0, work.clone(), &command, &mut |r| compared_cycles += r.cycles()) {
            Ok(()) => assert_eq!(compared_cycles, effort.cycles),
            Err(error) => failures.push(error.to_string()),
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

macro_rules! configurations {
    ($($name:ident: $effort:expr;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), $effort);
        })*

        #[test]
        fn every_configuration_is_run() {
            assert_eq!(NAMED.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

// The block is not optimised in this build and takes most of the time of a wide configuration, so it runs for few cycles. Its machine code
// runs all cycles.
const EXPORTED: Effort = Effort { cycles: 6 * EPISODE, block: 600, verilator: 6 * EPISODE, icarus: 1500 };
const BLOCK: Effort = Effort { block: 400, verilator: 0, icarus: 1000, ..EXPORTED };
// The configurations with this effort differ from `default` (`warp8`: from `small`) only in the numbers of slots and warps.
const SAME: Effort = Effort { cycles: 2 * EPISODE, block: 200, icarus: 500, ..BLOCK };

const SHORT: Effort = Effort { cycles: EPISODE, block: 300, icarus: 300, ..BLOCK };

// No number of this configuration is a power of two, so its export is compared as well.
const ODD: Effort = Effort { cycles: 2 * EPISODE, block: 300, verilator: EPISODE, icarus: 300 };

const WIDE: Effort = Effort { cycles: 3 * EPISODE, block: 200, icarus: 500, ..BLOCK };

configurations! {
    tiny: EXPORTED;
    intel_tiny: EXPORTED;
    warp8: SAME;
    warp8_bare: BLOCK;
    warp8_no_state: SAME;
    small: BLOCK;
    odd_sizes: ODD;
    warp32: SAME;
    default: BLOCK;
    named_only: SAME;
    rows512: SAME;
    intel: WIDE;
    large: WIDE;
}

#[test]
fn clusters_and_grids_without_faults() {
    let name = "small_bare".to_string();
    let bare = Config { name, faults: false, state_words: false, reductions: false, ..named("small").unwrap() };
    run(&bare, &["mbarrier", "cluster", "grid", "bcu"], Effort { verilator: 2 * EPISODE, ..SAME });
}

#[test]
fn faults_that_are_lost() {
    let lossy = Config { name: "small_lossy".to_string(), lose_faults: true, ..named("small").unwrap() };
    run(&lossy, &["named", "bcu"], EXPORTED);
}

#[test]
fn without_mbarriers() {
    let without = Config { name: "small_named".to_string(), mbarrier_objects: 0, ..named("small").unwrap() };
    run(&without, &["decode", "bcu"], EXPORTED);
}

#[test]
fn a_warp_with_an_access_outstanding_has_no_room() {
    let tight = Config { name: "tiny_tight".to_string(), max_outstanding: 2, ..named("tiny").unwrap() };
    run(&tight, &["mem_order", "bcu"], EXPORTED);
}

#[test]
fn several_multiprocessors_with_links_of_other_lengths() {
    for link_stages in [0, 3] {
        let name = format!("tiny_links_{link_stages}");
        run(&Config { name, link_stages, ..named("tiny").unwrap() }, &["gpu"], SHORT);
    }
}
