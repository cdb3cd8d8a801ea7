// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every unit under a user that keeps its contract, on the model and on the machine code: no fault, nothing lost, nothing early. The campaign
//! of `bcu regress legal` makes the same runs, longer.
//!
//! `BCU_CONFIG`, `BCU_SEED` and `BCU_CYCLES` choose another run of `a_run_of_choice`, which prints its figures.

use bcu_hw::config::{named, NAMED};
use bcu_tb::legal::{campaign, users_of, EPISODE};

/// Runs every unit of a configuration that has a legal user; reports all that fail.
fn check(config: &str, episodes: usize) {
    let config = named(config).unwrap();
    let mut failures = vec![];
    for unit in users_of(&config) {
        let command = |seed, cycles| format!("bcu regress legal/{unit}/{} --seed {seed} --cycles {cycles}", config.name);
        match campaign(unit, &config, episodes * EPISODE, 0, &command) {
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
    xe_tiny: 10;
    warp8: 8;
    warp8_bare: 4;
    warp8_no_state: 4;
    small: 10;
    odd: 6;
    warp32: 3;
    core: 3;
    default: 4;
    slots512: 2;
    xe: 3;
    large: 2;
}

#[test]
fn a_run_of_choice() {
    let number = |name: &str, or: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    let name = std::env::var("BCU_CONFIG").unwrap_or("small".to_string());
    let config = named(&name).unwrap();
    let seed = number("BCU_SEED", 0) as u64;
    let command = |seed, cycles| format!("bcu regress legal/bcu/{name} --seed {seed} --cycles {cycles}");
    match campaign("bcu", &config, number("BCU_CYCLES", EPISODE), seed, &command) {
        Ok(figures) => figures.iter().for_each(|(name, value)| println!("{name} {value}")),
        Err(error) => panic!("\n{error}"),
    }
}
