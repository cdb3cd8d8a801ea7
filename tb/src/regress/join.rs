// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joins the results of parts to those of their tests, in the order of the tests.

use super::plan::{Kind, Plan};
use super::result::{Done, TestResult};
use super::{parts, Part};
use crate::coverage::Table;
use bcu_hw::config;
use bcu_shard::Shard;
use std::collections::BTreeMap;

/// A test whose result is not complete yet.
struct Open {
    parts: Vec<Part>,
    /// By the parts' first cycles.
    done: BTreeMap<usize, Done>,
    /// Parts that have neither a result nor been skipped.
    left: usize,
}

/// Collects the results of the parts of a plan's shard. A test's result is complete with its last part, and is returned after those of all
/// earlier tests.
pub struct Join<'a> {
    plan: &'a Plan,
    open: BTreeMap<String, Open>,
}

impl<'a> Join<'a> {
    pub fn new(plan: &'a Plan) -> Join<'a> {
        let mut open = BTreeMap::new();
        for part in parts(plan) {
            let name = part.test.name.clone();
            let test = open.entry(name).or_insert(Open { parts: vec![], done: BTreeMap::new(), left: 0 });
            test.parts.push(part);
            test.left += 1;
        }
        Join { plan, open }
    }

    /// Adds the result of a part; `None`: the part was skipped. Returns the results of the tests that are complete now.
    pub fn add(&mut self, part: &Part, done: Option<Done>) -> Vec<TestResult> {
        if let Some(test) = self.open.get_mut(&part.test.name) {
            test.left -= 1;
            test.done.extend(done.map(|done| (part.first, done)));
        }
        let mut complete = vec![];
        while self.open.first_key_value().is_some_and(|(_, test)| test.left == 0) {
            complete.extend(self.open.pop_first().map(|(name, test)| result(self.plan, name, test)));
        }
        complete
    }

    /// Adds the results of parts, and returns those of all tests.
    pub fn all(mut self, done: Vec<Done>) -> Vec<TestResult> {
        for done in done {
            if let Some(test) = self.open.get_mut(&done.name) {
                test.done.insert(done.first, done);
            }
        }
        self.open.into_iter().map(|(name, test)| result(self.plan, name, test)).collect()
    }
}

/// The result of a test from those of its parts. Parts after a failed one do not count. Only a test with the results of all parts can lack
/// a coverage point.
fn result(plan: &Plan, name: String, test: Open) -> TestResult {
    let mut known: Vec<Done> = test.done.into_values().collect();
    if let Some(failed) = known.iter().position(|part| part.failure.is_some()) {
        known.truncate(failed + 1);
    }
    let failed = known.last().filter(|part| part.failure.is_some());
    let needed = test.parts.iter().filter(|part| failed.is_none_or(|failed| part.first <= failed.first));
    let is_known = |part: &&Part| known.iter().any(|done| done.first == part.first);
    let missing: Vec<usize> = needed.filter(|part| !is_known(part)).map(|part| part.position).collect();
    let (seed, failure, command) = match failed.or(known.first()) {
        Some(shown) => (shown.seed, shown.failure.clone(), shown.command.clone()),
        None => (test.parts.first().map_or(0, |part| part.test.seed(plan)), None, String::new()),
    };
    let seconds = known.iter().map(|part| part.seconds).sum();
    let mut result = TestResult { name, seed, seconds, failure, command, missing, coverage: None };
    if let (Some(Kind::Lockstep { unit, config }), true) = (test.parts.first().map(|part| &part.test.kind), plan.coverage) {
        let table = config::by_name(config).and_then(|config| Table::for_unit(&config, unit).ok());
        let table = table.map(|mut table| {
            known.iter().filter_map(|part| part.coverage.as_ref()).for_each(|hits| table.add(hits));
            table
        });
        let is_whole = plan.shard == Shard::WHOLE && result.missing.is_empty() && result.failure.is_none();
        let gaps = table.as_ref().filter(|_| is_whole).and_then(|table| gaps(table, plan.cycles));
        if gaps.is_some() {
            // The whole test misses a coverage point, and not one of its parts.
            let seed = plan.seed.unwrap_or(0);
            let engine = plan.engine.option();
            result.command = format!("bcu regress {} --coverage --seed {seed} --cycles {}{engine}", result.name, plan.cycles);
            result.failure = gaps;
        }
        result.coverage = table;
    }
    result
}

/// The least number of cycles that is proposed to a run that misses a coverage point: at `tiny` it reaches all.
const MORE: usize = 2_000_000;

/// The coverage points that a run of `cycles` cycles has not reached, and those that it has reached although they are listed as unreachable;
/// `None`: neither.
fn gaps(table: &Table, cycles: usize) -> Option<String> {
    let missing = table.uncovered().into_iter().map(|point| format!("not reached: {point}"));
    let wrong = table.contradicted().into_iter().map(|point| format!("reached, but listed as unreachable: {point}"));
    let more = cycles.saturating_mul(10).clamp(MORE, u32::MAX as usize);
    let help = format!("help: more cycles or seeds may reach it: --cycles {more}");
    let help = (!table.uncovered().is_empty()).then_some(help);
    let lines: Vec<String> = missing.chain(wrong).chain(help).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
