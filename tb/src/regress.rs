// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All tests of the project that a user can run: scenarios on their configurations, every unit in lockstep, and every unit under its legal
//! user.
//!
//! A test's name is a path: `scenario/<feature>/<name>/<config>`, `lockstep/<unit>/<config>` or `legal/<unit>/<config>`. Results are sorted
//! by name, so the same tests and seeds give the same output for any number of jobs. A long lockstep or legal test consists of several
//! [`Part`]s with some seeds each. So a single test uses all processors, an interrupted run resumes where it stopped, and the parts can be
//! distributed over machines as shards.

pub mod check;
pub mod edited;
pub mod join;
mod part;
pub mod plan;
pub mod result;
pub mod run;

pub use part::Part;

use super::legal::catalog::users_of;
use super::scenario::text::Suite;
use crate::cosim::Simulator;
use crate::lockstep::units::compared;
use bcu_hw::config;
use bcu_isa::config::Config;
use plan::{Kind, Plan, Test, PART};
use std::collections::BTreeSet;

/// All tests whose name contains `filter`, sorted by name.
fn list(filter: &str, scenarios: &Suite) -> Vec<Test> {
    let mut tests = vec![];
    for entry in &scenarios.entries {
        // An unreadable scenario is still a test: it fails with the reason.
        let configs = entry.scenario.as_ref().map(|s| s.configs.iter().map(|c| c.get_ref().clone()).collect());
        for config in configs.unwrap_or_else(|_| vec!["unreadable".to_string()]) {
            let name = format!("scenario/{}/{config}", entry.name);
            tests.push(Test { name, kind: Kind::Scenario { entry: entry.clone(), config } });
        }
    }
    for (name, _) in config::all() {
        let units = config::by_name(name).map_or(vec![], |config| compared(&config).collect());
        let lockstep_test =
            |unit| Test { name: format!("lockstep/{unit}/{name}"), kind: Kind::Lockstep { unit, config: name } };
        tests.extend(units.into_iter().map(lockstep_test));
        let units = config::by_name(name).map_or(vec![], |config| users_of(&config).collect());
        let legal_test = |unit| Test { name: format!("legal/{unit}/{name}"), kind: Kind::Legal { unit, config: name } };
        tests.extend(units.into_iter().map(legal_test));
    }
    tests.retain(|t| t.name.contains(filter));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests
}

/// The tests of a plan: the project's tests, or lockstep of the units of an edited export.
pub fn tests(plan: &Plan) -> Vec<Test> {
    let Some(edited) = &plan.edited else { return list(&plan.filter, &plan.scenarios) };
    let name = |unit| format!("lockstep/{unit}/{}", edited.config.name);
    let mut tests: Vec<Test> = edited.units().map(|unit| Test { name: name(unit), kind: Kind::Edited { unit } }).collect();
    tests.retain(|test| test.name.contains(&plan.filter));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests
}

/// The configurations whose unit sizes must be compiled into the program that runs the tests.
pub fn configs(tests: &[Test]) -> Vec<Config> {
    let name = |test: &Test| match &test.kind {
        Kind::Scenario { config, .. } => Some(config.clone()),
        Kind::Lockstep { config, .. } | Kind::Legal { config, .. } => Some(config.to_string()),
        // The model of an edited export takes its sizes at run time.
        Kind::Edited { .. } => None,
    };
    let names: BTreeSet<String> = tests.iter().filter_map(name).collect();
    names.iter().filter_map(|name| config::by_name(name)).collect()
}

/// The simulators that the parts of the plan's shard need.
pub fn simulators(plan: &Plan) -> BTreeSet<Simulator> {
    parts(plan).iter().flat_map(|part| part.simulators(plan)).collect()
}

/// The parts of the plan's shard, in order.
pub fn parts(plan: &Plan) -> Vec<Part> {
    let parts_of = |test: Test| {
        let cycles = if matches!(test.kind, Kind::Scenario { .. }) { 0 } else { plan.cycles };
        (0..cycles.max(1)).step_by(PART).map(move |first| (test.clone(), first, PART.min(cycles - first)))
    };
    let all = tests(plan).into_iter().flat_map(parts_of).enumerate();
    let part = |(position, (test, first, cycles))| Part { test, position, first, cycles };
    all.map(part).filter(|part| plan.shard.contains(part.position)).collect()
}
