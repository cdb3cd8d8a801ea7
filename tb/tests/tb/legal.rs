// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every unit under a legal user, on the model and on the machine code: no fault occurs, and no event is lost or early. The campaign of
//! `bcu regress legal` does the same runs with more cycles.
//!
//! `BCU_UNIT`, `BCU_CONFIG`, `BCU_SEED` and `BCU_CYCLES` select another run for `a_run_of_choice`, which prints its figures.

use bcu_isa::config::{named, NAMED};
use bcu_isa::ports::Port;
use bcu_isa::units::WHOLE;
use bcu_model::dut::ByName;
use bcu_model::{shown_by_name, Sizes};
use bcu_tb::legal::catalog::{for_unit, users_of};
use bcu_tb::legal::{campaign, EPISODE};
use bcu_tb::lockstep::units::Lone;
use std::path::PathBuf;

fn work() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("legal")
}

/// Number of episodes of a single unit, which has fewer states than the whole unit.
const OF_A_UNIT: usize = 4;

/// Runs every unit of a configuration that has a legal user; the whole unit runs for `episodes` episodes. Reports all failures.
fn check(config: &str, episodes: usize) {
    let config = named(config).unwrap();
    let mut failures = vec![];
    for unit in users_of(&config) {
        let command = |seed, cycles| format!("bcu regress legal/{unit}/{} --seed {seed} --cycles {cycles}", config.name);
        let episodes = if unit == WHOLE { episodes } else { OF_A_UNIT };
        match campaign(unit, &config, Lone::Compiled, episodes * EPISODE, 0, work(), &command) {
            Ok(figures) => assert!(figures.values().any(|value| *value > 0)),
            Err(error) => failures.push(error.to_string()),
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

macro_rules! configurations {
    ($($name:ident: $episodes:expr;)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), $episodes);
        })*

        #[test]
        fn every_configuration_is_run() {
            assert_eq!(NAMED.map(|(name, _)| name), [$(stringify!($name)),*]);
        }
    };
}

configurations! {
    tiny: 10;
    intel_tiny: 10;
    warp8: 8;
    warp8_bare: 4;
    warp8_no_state: 4;
    small: 10;
    odd_sizes: 6;
    warp32: 3;
    default: 4;
    named_only: 3;
    rows512: 2;
    intel: 3;
    large: 2;
}

#[test]
fn a_run_of_choice() {
    let number = |name: &str, or: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    let [unit, name] =
        [("BCU_UNIT", WHOLE), ("BCU_CONFIG", "small")].map(|(name, or)| std::env::var(name).unwrap_or(or.to_string()));
    let config = named(&name).unwrap();
    let seed = number("BCU_SEED", 0) as u64;
    let command = |seed, cycles| format!("bcu regress legal/{unit}/{name} --seed {seed} --cycles {cycles}");
    match campaign(&unit, &config, Lone::Compiled, number("BCU_CYCLES", EPISODE), seed, work(), &command) {
        Ok(figures) => figures.iter().for_each(|(name, value)| println!("{name} {value}")),
        Err(error) => panic!("\n{error}"),
    }
}

/// The first failure, over the seeds from 0 on, that a core reports when `change` modifies the outputs of a unit.
fn first_failure(change: &mut dyn FnMut(&[Port], &mut [u64])) -> String {
    let config = named("small").unwrap();
    for seed in 0..40 {
        let mut model = shown_by_name("bcu", Sizes::try_from(&config).unwrap()).unwrap();
        let ports = model.ports().to_vec();
        let mut core = for_unit("bcu", &ports, &config, seed).unwrap();
        let mut outputs = vec![0; ports.count(bcu_isa::ports::Dir::Out)];
        for _ in 0..EPISODE {
            model.shown(&mut outputs);
            change(&ports, &mut outputs);
            model.edge(core.drive(&outputs));
            // The unit itself is not modified. A fault only shows that the changed outputs have misled the core, so the next seed is tried.
            match core.failure() {
                Some(failure) if failure.lines().next().is_some_and(|line| line.contains(": fault ")) => break,
                Some(failure) => return failure.to_string(),
                None => (),
            }
        }
    }
    String::new()
}

/// The index of an output.
fn place(ports: &[Port], name: &str) -> usize {
    ports.output(name).unwrap().index()
}

#[test]
fn a_warp_that_is_not_released_is_told() {
    let failure = first_failure(&mut |ports, outputs| {
        let warps = place(ports, "release_warps");
        outputs[warps] &= !1;
    });
    assert!(failure.contains("releases warps 0x") && failure.contains(", but 0x"), "{failure}");
}

#[test]
fn a_release_that_is_not_shown_is_told() {
    let failure = first_failure(&mut |ports, outputs| outputs[place(ports, "release_valid")] = 0);
    assert!(failure.contains("without a release"), "{failure}");
}

#[test]
fn a_warp_that_stays_blocked_is_told() {
    let mut released = 0;
    let failure = first_failure(&mut |ports, outputs| {
        released |= if outputs[place(ports, "release_valid")] == 1 { outputs[place(ports, "release_warps")] } else { 0 };
        outputs[place(ports, "blocked")] |= released;
    });
    assert!(failure.contains("none of its warps makes progress"), "{failure}");
}

#[test]
fn a_wrong_reduction_is_told() {
    let failure = first_failure(&mut |ports, outputs| outputs[place(ports, "release_value")] ^= 1);
    assert!(failure.contains("has reduction"), "{failure}");
}

#[test]
fn a_wrong_leader_is_told() {
    let failure = first_failure(&mut |ports, outputs| outputs[place(ports, "lanes_leaders")] = 0);
    assert!(failure.contains("elect"), "{failure}");
}

#[test]
fn a_phase_that_is_told_early_is_told() {
    let failure = first_failure(&mut |ports, outputs| outputs[place(ports, "token_predicate")] = 1);
    assert!(failure.contains("a test of phase") && failure.contains("is answered true, but only"), "{failure}");
}

#[test]
fn a_wake_that_is_lost_is_told() {
    let failure = first_failure(&mut |ports, outputs| {
        let is_wake = outputs[place(ports, "wake_valid")] == 1;
        outputs[place(ports, "wake_warps")] = 0;
        outputs[place(ports, "wake_valid")] &= u64::from(!is_wake);
    });
    assert!(failure.contains("without a release"), "{failure}");
}

#[test]
fn a_cta_that_does_not_retire_is_told() {
    let failure = first_failure(&mut |ports, outputs| outputs[place(ports, "retired_valid")] = 0);
    assert!(failure.contains("`retired` has not been output") || failure.contains("its launch is not taken"), "{failure}");
}

/// In these seeds an access of a retired CTA is performed so late that `retired` comes after thousands of cycles.
#[test]
fn accesses_of_a_retired_cta_are_no_delay_of_the_unit() {
    let config = named("default").unwrap();
    for seed in [2159, 3405, 4648] {
        let command = |seed, cycles| format!("bcu regress legal/bcu/default --seed {seed} --cycles {cycles}");
        let figures =
            campaign(WHOLE, &config, Lone::Compiled, EPISODE, seed, work(), &command).unwrap_or_else(|e| panic!("{e}"));
        let [all, of_unit] = ["worst_retirement", "worst_retirement_by_the_unit"].map(|name| figures[name]);
        assert!(all > 2500 && of_unit < 100, "seed {seed}: {all} cycles, {of_unit} of them the unit's");
    }
}
