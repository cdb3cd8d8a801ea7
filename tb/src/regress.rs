// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All tests of the project that a user can run: scenarios on their configurations, and every unit in lockstep.
//!
//! A test's name is a path: `scenario/<feature>/<name>/<config>` or `lockstep/<unit>/<config>`. Results come sorted by name,
//! so the same tests and seeds give the same output, whatever the number of jobs.

use crate::coverage::{CoverageError, Table};
use crate::lockstep::units::{self, Effort};
use crate::lockstep::Recording;
use crate::scenario::{self, Scenario, Text};
use bcu_hw::{catalog, config};
use rayon::prelude::*;
use std::path::PathBuf;

/// What to run and how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Only tests whose name contains this; empty: all.
    pub filter: String,
    /// Seed of the lockstep runs and, if given, of the scenarios' machines.
    pub seed: Option<u64>,
    /// Cycles of each lockstep run in Rust; Verilator runs a tenth and Icarus a hundredth of them.
    pub cycles: usize,
    /// Count what lockstep runs reach; a point that is not reached fails the test.
    pub coverage: bool,
    /// Tests at the same time; 0: one per processor.
    pub jobs: usize,
    /// Where simulators may compile.
    pub directory: PathBuf,
}

/// One test.
#[derive(Clone, Debug)]
pub struct Test {
    pub name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Scenario { text: Text, config: String },
    Lockstep { unit: &'static str, config: &'static str },
}

/// How a test came out.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that runs this test alone again.
    pub command: String,
    /// What a lockstep run has reached, as far as it went, if the plan asks for it.
    pub coverage: Option<Table>,
}

/// All tests whose name contains `filter`, sorted by name.
pub fn list(filter: &str) -> Vec<Test> {
    let mut tests = vec![];
    for text in scenario::all() {
        // A scenario that cannot be read is still a test: it fails and says why.
        let configs = Scenario::parse(text.text).map(|s| s.configs.iter().map(|c| c.get_ref().clone()).collect());
        for config in configs.unwrap_or_else(|_| vec!["unreadable".to_string()]) {
            tests.push(Test { name: format!("scenario/{}/{config}", text.name()), kind: Kind::Scenario { text, config } });
        }
    }
    for unit in catalog::UNITS {
        let of =
            |config: &'static str| Test { name: format!("lockstep/{unit}/{config}"), kind: Kind::Lockstep { unit, config } };
        tests.extend(config::NAMED.iter().map(|(config, _)| of(config)));
    }
    tests.retain(|t| t.name.contains(filter));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests
}

/// Runs the tests; `done` is called as each ends, from any thread.
///
/// # Errors
/// If the threads cannot be made.
pub fn run(plan: &Plan, done: &(dyn Fn(&TestResult) + Sync)) -> Result<Vec<TestResult>, rayon::ThreadPoolBuildError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs).build()?;
    let one = |test: &Test| {
        let result = test.run(plan);
        done(&result);
        result
    };
    Ok(pool.install(|| list(&plan.filter).par_iter().map(one).collect()))
}

impl Test {
    fn run(&self, plan: &Plan) -> TestResult {
        let name = self.name.clone();
        match &self.kind {
            Kind::Scenario { text, config } => {
                let seed = plan.seed.map_or(String::new(), |s| format!(" --seed {s}"));
                let failure = match Scenario::parse(text.text) {
                    Ok(scenario) => scenario::run(&scenario, config, plan.seed).err().map(|e| e.to_string()),
                    Err(d) => {
                        let (line, column) = d.position(text.text);
                        Some(format!("{}.toml:{line}:{column}: {} ({})", text.name(), d.message, d.label))
                    }
                };
                let command = format!("bcu regress {name}{seed}");
                TestResult { name, failure, command, coverage: None }
            }
            Kind::Lockstep { unit, config } => {
                let seed = plan.seed.unwrap_or(0);
                let command = |seed, cycles| format!("bcu regress {name} --seed {seed} --cycles {cycles}");
                let (failure, coverage) = match lockstep(unit, config, seed, plan, &command) {
                    Ok(None) => (None, None),
                    Ok(Some(table)) => (gaps(&table), Some(table)),
                    Err(why) => (Some(why), None),
                };
                // A point is missed by the whole run, not by a seed of it.
                let flag = if failure.is_some() && coverage.is_some() { " --coverage" } else { "" };
                let command = command(seed, plan.cycles) + flag;
                TestResult { name, failure, command, coverage }
            }
        }
    }
}

/// What the table misses, or has against its own reasons.
fn gaps(table: &Table) -> Option<String> {
    let missing = table.uncovered().into_iter().map(|point| format!("not reached: {point}"));
    let wrong =
        table.contradicted().into_iter().map(|point| format!("reached, although the table says that it cannot be: {point}"));
    let lines: Vec<String> = missing.chain(wrong).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn lockstep(
    unit: &str,
    config: &str,
    seed: u64,
    plan: &Plan,
    command: &dyn Fn(u64, usize) -> String,
) -> Result<Option<Table>, String> {
    let config = config::named(config).ok_or_else(|| format!("there is no configuration `{config}`"))?;
    let effort = Effort { cycles: plan.cycles, verilator: plan.cycles.div_ceil(10), icarus: plan.cycles.div_ceil(100) };
    let table = plan.coverage.then(|| Table::for_unit(&config, unit)).transpose();
    let mut table: Result<Option<Table>, CoverageError> = table;
    let mut see = |recording: &Recording| {
        if let Ok(Some(counted)) = &mut table {
            if let Err(error) = counted.record(recording) {
                table = Err(error);
            }
        }
    };
    let run = units::lockstep(unit, &config, effort, seed, plan.directory.clone(), command, &mut see);
    run.map_err(|e| e.to_string())?;
    table.map_err(|e| e.to_string())
}
