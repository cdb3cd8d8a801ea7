// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joins the results of parts to those of their tests.

use super::plan::{Kind, Plan};
use super::result::{Done, TestResult};
use super::{parts, Part};
use crate::coverage::Table;
use bcu_hw::config;
use std::collections::BTreeMap;

/// The results of the tests of a plan, and the parts without a result that their tests need. A test needs no part after a failed one.
pub fn join(plan: &Plan, done: &[Done]) -> (Vec<TestResult>, Vec<Part>) {
    let done: BTreeMap<(&str, usize), &Done> = done.iter().map(|part| ((part.name.as_str(), part.first), part)).collect();
    let (mut results, mut missing) = (vec![], vec![]);
    let parts = parts(plan);
    for test in parts.chunk_by(|a, b| a.test.name == b.test.name) {
        let mut known = vec![];
        for part in test {
            match done.get(&(part.test.name.as_str(), part.first)) {
                Some(part) => known.push(*part),
                None => missing.push(part.clone()),
            }
            if known.last().is_some_and(|part| part.failure.is_some()) {
                break;
            }
        }
        results.extend(result(plan, &test[0], &known, known.len() == test.len()));
    }
    (results, missing)
}

/// The result of a test from its parts with a result. Only a test with `all` parts can lack a coverage point.
fn result(plan: &Plan, test: &Part, known: &[&Done], all: bool) -> Option<TestResult> {
    let failed = known.iter().find(|part| part.failure.is_some());
    let Done { name, seed, failure, command, .. } = (**failed.or(known.first())?).clone();
    let seconds = known.iter().map(|part| part.seconds).sum();
    let mut result = TestResult { name, seed, seconds, failure, command, coverage: None };
    if let (Kind::Lockstep { unit, config }, true) = (&test.test.kind, plan.coverage) {
        let table = config::by_name(config).and_then(|config| Table::for_unit(&config, unit).ok());
        let table = table.map(|mut table| {
            known.iter().filter_map(|part| part.coverage.as_ref()).for_each(|hits| table.add(hits));
            table
        });
        let gaps = table.as_ref().filter(|_| all && result.failure.is_none()).and_then(gaps);
        if gaps.is_some() {
            // The whole test misses a coverage point, and not one of its parts.
            result.command = format!("bcu regress {} --coverage --seed {} --cycles {}", result.name, result.seed, plan.cycles);
            result.failure = gaps;
        }
        result.coverage = table;
    }
    Some(result)
}

/// The coverage points that were not reached, and those that were reached although they are listed as unreachable; `None`: neither.
fn gaps(table: &Table) -> Option<String> {
    let missing = table.uncovered().into_iter().map(|point| format!("not reached: {point}"));
    let wrong = table.contradicted().into_iter().map(|point| format!("reached, but listed as unreachable: {point}"));
    let lines: Vec<String> = missing.chain(wrong).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
