// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The coverage of random runs, counted by the coverage tables, on the model alone.

use bcu_hw::catalog;
use bcu_isa::config::named;
use bcu_model::{by_name, Sizes};
use bcu_tb::coverage::points::CoverageError;
use bcu_tb::coverage::runs::Run;
use bcu_tb::coverage::{hits, RunHits, Table};
use bcu_tb::lockstep::units::{compared, shape, EPISODE};
use bcu_tb::lockstep::{record, Recording};
use bcu_tb::stimulus::for_unit;
use std::ops::RangeInclusive;

fn play(unit: &str, config: &str, seed: u64, cycles: usize) -> Recording {
    let config = named(config).unwrap();
    let ports = catalog::build(&config, unit).unwrap().ports();
    let mut stimulus = for_unit(unit, &ports, shape(&config), seed).unwrap();
    record(&ports, by_name(unit, Sizes::try_from(&config).unwrap()).unwrap().as_mut(), stimulus.as_mut(), cycles)
}

/// The number of seeds of a campaign: at least the lower bound. Up to the upper bound, further seeds run while a point is not reached.
const SEEDS: RangeInclusive<u64> = 20..=960;

/// The coverage table after runs of `seeds`.
fn table(unit: &str, config: &str, seeds: RangeInclusive<u64>) -> Table {
    let config_of_run = named(config).unwrap();
    let mut table = Table::for_unit(&config_of_run, unit).unwrap();
    for seed in 0..*seeds.end() {
        if seed >= *seeds.start() && seed.is_multiple_of(20) && table.uncovered().is_empty() {
            break;
        }
        let hits = hits(&config_of_run, unit, &play(unit, config, seed, EPISODE)).unwrap();
        table.add(&RunHits { run: Run { seed, cycles: EPISODE as u64 }, hits });
    }
    table
}

/// A campaign reaches every reachable point of every unit.
fn check(config: &str) {
    let mut wrong = vec![];
    for unit in compared(&named(config).unwrap()) {
        let table = table(unit, config, SEEDS);
        let found = table.uncovered().into_iter().chain(table.contradicted());
        wrong.extend(found.map(|point| format!("{unit}/{config}: {point}")));
    }
    assert!(wrong.is_empty(), "not reached, or reached against a reason:\n{}", wrong.join("\n"));
}

#[test]
fn every_point_is_reached_at_tiny() {
    check("tiny");
}

#[test]
fn every_point_is_reached_at_intel_tiny() {
    check("intel_tiny");
}

#[test]
fn every_point_is_reached_at_small() {
    check("small");
}

#[test]
fn every_point_is_reached_at_default() {
    check("default");
}

/// Random values at the ports include the numbers of warps and CTA slots that are not built.
#[test]
fn points_are_counted_at_sizes_that_are_no_powers_of_two() {
    for unit in compared(&named("odd_sizes").unwrap()) {
        let table = table(unit, "odd_sizes", 4..=4);
        assert!(table.covered().0 > 0 && table.contradicted().is_empty(), "{unit}: {table}");
    }
}

#[test]
fn a_short_run_does_not() {
    let table = table("named", "small", 1..=1);
    let missing = table.uncovered();
    assert!(!missing.is_empty());
    let text = table.to_string();
    assert!(text.starts_with("coverage of named/small: "), "{text}");
    assert!(missing.iter().all(|point| text.contains(&format!("MISSING     {point}\n"))), "{text}");
    assert!(text.contains("-  Arrive, open Popc, counted: takes effect: kind_mismatch"), "{text}");
}

#[test]
fn a_table_says_which_units_and_which_ports_it_knows() {
    let config = named("tiny").unwrap();
    let error = Table::for_unit(&config, "nothing").unwrap_err().to_string();
    assert!(error.contains("`nothing`") && error.contains("cta_table"), "{error}");
    let error = hits(&config, "named", &play("decode", "tiny", 1, 10)).unwrap_err();
    assert!(matches!(error, CoverageError::MissingPort(_)), "{error}");
}

/// Every point of every configuration has a meaning that is a sentence, and a unique name.
#[test]
fn points_have_meanings_and_unique_names() {
    for (name, _) in bcu_isa::config::NAMED {
        let config = named(name).unwrap();
        for unit in compared(&config) {
            let table = Table::for_unit(&config, unit).unwrap();
            assert!(table.points.windows(2).all(|pair| pair[0].name < pair[1].name), "{unit}/{name}");
            for point in &table.points {
                assert!(point.meaning.ends_with('.') && point.meaning.len() > 10, "{unit}/{name}: {point:?}");
            }
        }
    }
}
