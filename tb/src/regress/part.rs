// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One part of a test: a scenario on a configuration, or some seeds of a lockstep run or of a legal user.

use super::edited::Edited;
use super::plan::{Kind, Plan, Test};
use super::result::Done;
use crate::cosim::Simulator;
use crate::coverage::points::CoverageError;
use crate::coverage::runs::Run;
use crate::coverage::{hits, Hits, RunHits};
use crate::legal;
use crate::lockstep::units::{self, BenchError, Effort, Lone, EPISODE};
use crate::lockstep::Recording;
use crate::scenario;
use crate::scenario::text::Entry;
use crate::shell::quoted;
use bcu_hw::config;
use std::time::Instant;

/// With all engines, the rust-hdl block runs the first `1 / BLOCK_SHARE` of the cycles of a lockstep test.
const BLOCK_SHARE: usize = 10;
/// With all engines, Verilator runs the first `1 / VERILATOR_SHARE` of the cycles of a lockstep test.
const VERILATOR_SHARE: usize = 10;
/// With all engines, Icarus runs the first `1 / ICARUS_SHARE` of the cycles of a test.
const ICARUS_SHARE: usize = 100;

/// A part of a test; parts run independently of each other.
#[derive(Clone, Debug)]
pub struct Part {
    pub test: Test,
    /// The part's position in the run.
    pub position: usize,
    /// The part's first cycle within the test; 0 for a scenario.
    pub first: usize,
    /// The part's number of cycles; 0 for a scenario, whose machine limits the run.
    pub cycles: usize,
}

/// Why a part has not passed.
enum Reason {
    Failed(String),
    /// The host cannot run the part.
    Prevented(String),
}

impl Reason {
    fn new(why: String, is_of_host: bool) -> Reason {
        if is_of_host {
            Reason::Prevented(why)
        } else {
            Reason::Failed(why)
        }
    }
}

impl From<String> for Reason {
    fn from(why: String) -> Reason {
        Reason::Failed(why)
    }
}

impl From<CoverageError> for Reason {
    fn from(error: CoverageError) -> Reason {
        Reason::Failed(error.to_string())
    }
}

impl From<BenchError> for Reason {
    fn from(error: BenchError) -> Reason {
        Reason::new(error.to_string(), error.is_of_host())
    }
}

impl From<legal::LegalError> for Reason {
    fn from(error: legal::LegalError) -> Reason {
        Reason::new(error.to_string(), error.is_of_host())
    }
}

impl Part {
    /// The simulators that the part needs.
    pub(super) fn simulators(&self, plan: &Plan) -> Vec<Simulator> {
        let has_icarus = self.share(plan, ICARUS_SHARE) > 0;
        let (verilator, icarus) = match (&self.test.kind, plan.engine.lone()) {
            (_, Some(Lone::Compiled)) | (Kind::Scenario { .. } | Kind::Legal { .. }, None) => (false, false),
            (_, Some(Lone::Verilator)) => (true, false),
            (Kind::Lockstep { .. }, None) => (self.share(plan, VERILATOR_SHARE) > 0, has_icarus),
            (Kind::Edited { .. }, None) => (true, has_icarus),
        };
        let needed = [(verilator, Simulator::Verilator), (icarus, Simulator::Icarus)];
        needed.into_iter().filter_map(|(is_needed, simulator)| is_needed.then_some(simulator)).collect()
    }

    /// The number of cycles of this part that are among the first `plan.cycles / of` cycles of the test, rounded up.
    fn share(&self, plan: &Plan, of: usize) -> usize {
        plan.cycles.div_ceil(of).saturating_sub(self.first).min(self.cycles)
    }

    /// Runs the part.
    ///
    /// # Errors
    /// If the host cannot run it, for example without a simulator.
    pub(super) fn run(&self, plan: &Plan) -> Result<Done, String> {
        let start = Instant::now();
        let name = quoted(&self.test.name);
        let engine = plan.engine.option();
        let (seed, command, failure, coverage) = match &self.test.kind {
            Kind::Scenario { entry, config } => {
                let seed = plan.seed.map_or(String::new(), |s| format!(" --seed {s}"));
                let folder = plan.scenarios.folder.as_ref();
                let folder =
                    folder.map_or(String::new(), |folder| format!(" --scenarios {}", quoted(&folder.to_string_lossy())));
                let command = format!("bcu regress {name}{folder}{seed}{engine}");
                (self.test.seed(plan), command, scenario(entry, config, plan).err(), None)
            }
            Kind::Legal { unit, config } => {
                let seed = plan.seed.unwrap_or(0).wrapping_add((self.first / legal::EPISODE) as u64);
                let command = |seed, cycles| format!("bcu regress {name} --seed {seed} --cycles {cycles}{engine}");
                let config = config::by_name(config).ok_or_else(|| format!("configuration `{config}` does not exist"));
                let lone = plan.engine.lone().unwrap_or(Lone::Compiled);
                let run = |config| {
                    let directory = plan.directory.clone();
                    legal::campaign(unit, &config, lone, self.cycles, seed, directory, &command).map_err(Reason::from)
                };
                (seed, command(seed, self.cycles), config.map_err(Reason::from).and_then(run).err(), None)
            }
            Kind::Edited { unit } => {
                let folder = plan.edited.as_ref().map(|edited| quoted(&edited.folder.to_string_lossy())).unwrap_or_default();
                let command =
                    |seed, cycles| format!("bcu regress {name} --verilog {folder} --seed {seed} --cycles {cycles}{engine}");
                let seed = self.seed(plan);
                (seed, command(seed, self.cycles), self.edited(unit, plan, &command).err(), None)
            }
            Kind::Lockstep { unit, config } => {
                let command = |seed, cycles| format!("bcu regress {name} --seed {seed} --cycles {cycles}{engine}");
                let seed = self.seed(plan);
                match self.lockstep(unit, config, plan, &command) {
                    Ok(coverage) => (seed, command(seed, self.cycles), None, coverage),
                    Err(why) => (seed, command(seed, self.cycles), Some(why), None),
                }
            }
        };
        let failure = match failure {
            Some(Reason::Prevented(why)) => return Err(why),
            Some(Reason::Failed(why)) => Some(why),
            None => None,
        };
        let seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
        Ok(Done { name: self.test.name.clone(), first: self.first, seed, seconds, failure, command, coverage })
    }

    /// The seed of the part's first cycles.
    fn seed(&self, plan: &Plan) -> u64 {
        plan.seed.unwrap_or(0).wrapping_add((self.first / EPISODE) as u64)
    }

    /// Runs every cycle under Verilator and, with all engines, the first hundredth of the test under Icarus.
    fn edited(&self, unit: &'static str, plan: &Plan, command: &dyn Fn(u64, usize) -> String) -> Result<(), Reason> {
        let edited = plan.edited.as_ref().ok_or("no export is named".to_string())?;
        let icarus = if plan.engine.lone().is_none() { self.share(plan, ICARUS_SHARE) } else { 0 };
        let effort = Effort { cycles: self.cycles, block: 0, verilator: self.cycles, icarus };
        let Edited { config, text, has_async_reset, .. } = edited;
        let bench = units::bench_of_text(unit, config, text, *has_async_reset, effort, plan.directory.clone());
        let run = bench.and_then(|mut bench| {
            units::campaign(&mut bench, unit, &edited.config, effort, self.seed(plan), command, &mut |_| ())
        });
        run.map_err(Reason::from)
    }

    fn lockstep(
        &self,
        unit: &str,
        config: &str,
        plan: &Plan,
        command: &dyn Fn(u64, usize) -> String,
    ) -> Result<Option<RunHits>, Reason> {
        let config = config::by_name(config).ok_or_else(|| format!("configuration `{config}` does not exist"))?;
        let mut reached: Result<Hits, CoverageError> = Ok(Hits::new());
        let mut see = |recording: &Recording| {
            if let (true, Ok(reached_hits)) = (plan.coverage, &mut reached) {
                match hits(&config, unit, recording) {
                    Ok(hits) => hits.into_iter().for_each(|(name, hits)| *reached_hits.entry(name).or_insert(0) += hits),
                    Err(error) => reached = Err(error),
                }
            }
        };
        let share = |of| self.share(plan, of);
        let (verilator, icarus) = (share(VERILATOR_SHARE), share(ICARUS_SHARE));
        let effort = Effort { cycles: self.cycles, block: share(BLOCK_SHARE), verilator, icarus };
        let bench = match plan.engine.lone() {
            None => units::bench(unit, &config, effort, plan.directory.clone()),
            Some(lone) => units::bench_alone(unit, &config, lone, self.cycles, plan.directory.clone()),
        };
        let run =
            bench.and_then(|mut bench| units::campaign(&mut bench, unit, &config, effort, self.seed(plan), command, &mut see));
        run?;
        let run = Run { seed: self.seed(plan), cycles: self.cycles as u64 };
        reached.map(|hits| plan.coverage.then_some(RunHits { run, hits })).map_err(Reason::from)
    }
}

fn scenario(entry: &Entry, config: &str, plan: &Plan) -> Result<(), Reason> {
    let scenario = entry.scenario.as_ref().map_err(String::clone)?;
    let run = scenario::run(scenario, config, plan.seed, plan.engine.lone(), &plan.directory);
    run.map_err(|failure| {
        let place = if failure.has_place() { String::new() } else { format!("{}: ", entry.file) };
        Reason::new(format!("{place}{failure}"), failure.is_of_host())
    })
}
