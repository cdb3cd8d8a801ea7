// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All tests of the project that a user can run: scenarios on their configurations, every unit in lockstep, and under a legal user.
//!
//! A test's name is a path: `scenario/<feature>/<name>/<config>`, `lockstep/<unit>/<config>` or `legal/<unit>/<config>`. Results come
//! sorted by name, so the same tests and seeds give the same output, whatever the number of jobs. A long test of the last two groups is
//! several [`Part`]s, some seeds each, so that one test keeps all processors busy and a run that was broken off goes on where it was.

mod part;

pub use part::Part;

use crate::coverage::Table;
use crate::legal::users_of;
use crate::lockstep::units::{compared, Lone, EPISODE};
use crate::scenario::{self, Scenario, Text};
use bcu_hw::{catalog, config};
use bcu_isa::config::Config;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What to run and how long.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Only tests whose name contains this; empty: all.
    pub filter: String,
    /// Seed of the lockstep runs and, if given, of the scenarios' machines.
    pub seed: Option<u64>,
    /// Cycles of each lockstep run; with all engines the rust-hdl block and Verilator run a tenth and Icarus a hundredth of them.
    pub cycles: usize,
    /// What runs beside the model.
    pub engine: Engine,
    /// Count what lockstep runs reach; a point that is not reached fails the test.
    pub coverage: bool,
    /// Tests at the same time; 0: one per processor.
    pub jobs: usize,
    /// Where simulators may compile.
    pub directory: PathBuf,
}

/// The simulators that a regression runs on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Scenarios on the rust-hdl block; lockstep on every simulator, the slow ones for fewer cycles.
    #[default]
    All,
    /// Machine code of the netlist alone.
    Compiled,
    /// The verilated export alone.
    Verilator,
}

impl Engine {
    /// As `--engine` has it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::All => "all",
            Engine::Compiled => "compiled",
            Engine::Verilator => "verilator",
        }
    }

    fn lone(self) -> Option<Lone> {
        match self {
            Engine::All => None,
            Engine::Compiled => Some(Lone::Compiled),
            Engine::Verilator => Some(Lone::Verilator),
        }
    }
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
    Legal { unit: &'static str, config: &'static str },
}

/// Cycles of a part: enough that making its simulators does not count.
const PART: usize = 100 * EPISODE;

/// How a part came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    pub name: String,
    /// Its first cycle within the test.
    pub first: usize,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that runs this part alone again.
    pub command: String,
}

/// How a test came out.
#[derive(Clone, Debug)]
pub struct TestResult {
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    /// The command that runs this test, or the part of it that failed, alone again.
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
    for (name, _) in config::all() {
        let units = config::by_name(name).map_or(vec![], |config| compared(&config).collect());
        let of = |unit| Test { name: format!("lockstep/{unit}/{name}"), kind: Kind::Lockstep { unit, config: name } };
        tests.extend(units.into_iter().map(of));
        let units = config::by_name(name).map_or(vec![], |config| users_of(&config).collect());
        let of = |unit| Test { name: format!("legal/{unit}/{name}"), kind: Kind::Legal { unit, config: name } };
        tests.extend(units.into_iter().map(of));
    }
    tests.retain(|t| t.name.contains(filter));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests
}

/// The configurations that tests need and whose sizes are not compiled in.
pub fn lacking(tests: &[Test]) -> Vec<Config> {
    let name = |test: &Test| match &test.kind {
        Kind::Scenario { config, .. } => config.clone(),
        Kind::Lockstep { config, .. } | Kind::Legal { config, .. } => config.to_string(),
    };
    let names: BTreeSet<String> = tests.iter().map(name).collect();
    names.iter().filter_map(|name| config::by_name(name)).filter(|config| !catalog::is_compiled(config)).collect()
}

/// The parts of all tests of a plan, in order.
pub fn parts(plan: &Plan) -> Vec<Part> {
    // What a whole test reaches can only be counted in one piece.
    let most = if plan.coverage { usize::MAX } else { PART };
    let of = |test: Test| {
        let cycles = if matches!(test.kind, Kind::Scenario { .. }) { 0 } else { plan.cycles };
        let first = (0..cycles.max(1)).step_by(most);
        let part = |first| Part { test: test.clone(), first, cycles: most.min(cycles - first) };
        first.map(part).collect::<Vec<_>>()
    };
    list(&plan.filter).into_iter().flat_map(of).collect()
}

/// Runs the plan but for the parts that are `known` from before; `done` is called as each part ends, from any thread. Parts behind
/// one of their test that failed are left out.
///
/// # Errors
/// If the threads cannot be made.
pub fn run(plan: &Plan, known: &[Done], done: &(dyn Fn(&Done) + Sync)) -> Result<Vec<TestResult>, rayon::ThreadPoolBuildError> {
    // Without optimisation a unit is moved over the stack whole.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.jobs).stack_size(32 << 20).build()?;
    let known: BTreeMap<(&str, usize), &Done> = known.iter().map(|d| ((d.name.as_str(), d.first), d)).collect();
    let parts = parts(plan);
    let failed: BTreeMap<&str, AtomicUsize> =
        parts.iter().map(|p| (p.test.name.as_str(), AtomicUsize::new(usize::MAX))).collect();
    let one = |part: &Part| {
        let name = part.test.name.as_str();
        let before = known.get(&(name, part.first));
        let (result, coverage) = match before {
            Some(before) => ((*before).clone(), None),
            None if failed[name].load(Ordering::Relaxed) < part.first => return None,
            None => part.run(plan),
        };
        if result.failure.is_some() {
            failed[name].fetch_min(part.first, Ordering::Relaxed);
        }
        if before.is_none() {
            done(&result);
        }
        Some((result, coverage))
    };
    let results: Vec<_> = pool.install(|| parts.par_iter().map(one).collect());
    let results: Vec<_> = results.into_iter().flatten().collect();
    let test = |of: &[(Done, Option<Table>)]| {
        let (first, coverage) = of.iter().find(|(d, _)| d.failure.is_some()).or(of.first())?;
        let Done { name, failure, command, .. } = first.clone();
        Some(TestResult { name, failure, command, coverage: coverage.clone() })
    };
    Ok(results.chunk_by(|(a, _), (b, _)| a.name == b.name).filter_map(test).collect())
}
