// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joins the results of parts to those of their tests.

use super::plan::{Kind, Plan};
use super::result::{Done, TestResult};
use super::{parts, Part};
use crate::coverage::Table;
use bcu_hw::config;
use std::collections::BTreeMap;

/// The results of the tests of a plan, from those of its parts; a test without a result of a part has none. The parts after a failed one do not
/// count.
pub fn join(plan: &Plan, done: &[Done]) -> Vec<TestResult> {
    let done: BTreeMap<(&str, usize), &Done> = done.iter().map(|part| ((part.name.as_str(), part.first), part)).collect();
    let parts = parts(plan);
    let of_test = |test: &[Part]| {
        let known = test.iter().filter_map(|part| done.get(&(part.test.name.as_str(), part.first)).copied());
        let mut known: Vec<&Done> = known.collect();
        if let Some(failed) = known.iter().position(|part| part.failure.is_some()) {
            known.truncate(failed + 1);
        }
        result(plan, &test[0], &known, known.len() == test.len())
    };
    parts.chunk_by(|a, b| a.test.name == b.test.name).filter_map(of_test).collect()
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
