// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What random runs reach, counted by the coverage tables: runs of the model alone.

use bcu_hw::catalog;
use bcu_hw::config::named;
use bcu_sim::model::{by_name, Sizes};
use bcu_tb::coverage::{CoverageError, Table};
use bcu_tb::lockstep::units::{compared, shape, EPISODE};
use bcu_tb::lockstep::{record, Recording};
use bcu_tb::stimulus::for_unit;

fn play(unit: &str, config: &str, seed: u64, cycles: usize) -> Recording {
    let config = named(config).unwrap();
    let ports = catalog::build(&config, unit).unwrap().ports();
    let mut stimulus = for_unit(unit, &ports, shape(&config), seed).unwrap();
    record(&ports, by_name(unit, Sizes::try_from(&config).unwrap()).unwrap().as_mut(), stimulus.as_mut(), cycles)
}

/// A table with this many seeds of a campaign.
fn table(unit: &str, config: &str, seeds: u64) -> Table {
    let mut table = Table::for_unit(&named(config).unwrap(), unit).unwrap();
    (0..seeds).for_each(|seed| table.record(&play(unit, config, seed, EPISODE)).unwrap());
    table
}

/// A campaign reaches every point of every unit.
fn check(config: &str, seeds: u64) {
    let mut wrong = vec![];
    for unit in compared(&named(config).unwrap()) {
        let table = table(unit, config, seeds);
        let found = table.uncovered().into_iter().chain(table.contradicted());
        wrong.extend(found.map(|point| format!("{unit}/{config}: {point}")));
    }
    assert!(wrong.is_empty(), "not reached, or reached against a reason:\n{}", wrong.join("\n"));
}

#[test]
fn every_point_is_reached_at_tiny() {
    check("tiny", 400);
}

#[test]
fn every_point_is_reached_at_small() {
    check("small", 240);
}

#[test]
fn every_point_is_reached_at_default() {
    check("default", 240);
}

#[test]
fn a_short_run_does_not() {
    let table = table("named", "small", 1);
    let missing = table.uncovered();
    assert!(!missing.is_empty());
    let text = table.to_string();
    assert!(text.starts_with("coverage of named/small: "), "{text}");
    assert!(missing.iter().all(|point| text.contains(&format!("MISSING     {point}\n"))), "{text}");
    assert!(text.contains("-  Arrive, open Popc, counted: goes on: kind_mismatch"), "{text}");
}

#[test]
fn a_table_says_which_units_and_which_ports_it_knows() {
    let config = named("tiny").unwrap();
    let error = Table::for_unit(&config, "gateway").unwrap_err().to_string();
    assert!(error.contains("`gateway`") && error.contains("residency"), "{error}");
    let mut table = Table::for_unit(&config, "named").unwrap();
    let error = table.record(&play("decode", "tiny", 1, 10)).unwrap_err();
    assert!(matches!(error, CoverageError::MissingPort(_)), "{error}");
}
