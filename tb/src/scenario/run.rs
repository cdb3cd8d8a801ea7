// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a scenario on the unit and on the model, and compares the two reports. The unit is simulated as machine code, as the rust-hdl block
//! or as its export under Verilator.

use super::expect::Expect;
use super::file::Scenario;
use super::play::{difference, play};
use super::{check, Scene};
use crate::cosim::verilator::Optimisation;
use crate::lockstep::units::{verilated, BenchError, Lone, POWER_UP};
use bcu_engine::Engine;
use bcu_engine::Unsettled;
use bcu_hw::catalog;
use bcu_hw::config;
use bcu_isa::config::Config;
use bcu_isa::diag::Diagnostic;
use bcu_jit::Compiled;
use bcu_machine::{self, Report, RunError};
use bcu_model::dut::Dut;
use bcu_model::sizes::SizeError;
use bcu_model::{by_name, Sizes};
use bcu_program::{Kind, Loaded};
use std::cell::RefCell;
use std::collections::hash_map::{Entry, HashMap};
use std::path::Path;

/// Why a scenario did not meet its expectations, or could not run.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("unit `{unit}` does not exist in a configuration `{config}`")]
    NoUnit { unit: String, config: String },
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Errors of the program or of the machine, each on a line that begins with its place.
    #[error("{0}")]
    Placed(String),
    #[error("on the {on}: {error}")]
    Run { on: &'static str, error: RunError },
    #[error(transparent)]
    Unsettled(Box<Unsettled>),
    #[error(transparent)]
    Unit(Box<BenchError>),
    #[error("the unit and the model give different reports\nthe unit:\n{unit}\nthe model:\n{model}")]
    Differ { unit: Box<Report>, model: Box<Report> },
    #[error("{}\nthe report:\n{report}", wrong.join("\n"))]
    Unexpected { wrong: Vec<String>, report: Box<Report> },
    #[error("on the {on}: {wrong}")]
    Ports { on: &'static str, wrong: String },
    #[error("the unit and the model differ: {0}")]
    PortsDiffer(String),
}

impl Failure {
    /// Whether the host caused the failure, for example by a missing tool, and not the unit.
    pub fn is_of_host(&self) -> bool {
        matches!(self, Failure::Unit(error) if error.is_of_host())
    }

    /// Whether the text begins with a place in a file.
    pub fn has_place(&self) -> bool {
        matches!(self, Failure::Placed(_))
    }
}

/// Runs of at most this many cycles also use the rust-hdl block, which takes a hundred times as long as the machine code.
const BLOCK_CYCLES: u64 = 250;

thread_local! {
    /// The machine code of units, by name and configuration. All scenarios of a thread share it.
    static CODES: RefCell<HashMap<(String, String), Compiled>> = RefCell::default();
}

/// Runs the scenario in one configuration, on the simulator that `lone` names. Without `lone` it runs on the machine code and, if the run
/// is short, also on the rust-hdl block. `seed` replaces the seed of the scenario's machine. A verilated unit is compiled under
/// `directory`.
pub fn run(scenario: &Scenario, config: &str, seed: Option<u64>, lone: Option<Lone>, directory: &Path) -> Result<(), Failure> {
    let missing_unit = || missing_unit(scenario, config);
    let sizes = config::by_name(config).ok_or_else(missing_unit)?;
    match lone {
        None => {
            if on_code(scenario, &sizes, seed)? > BLOCK_CYCLES {
                return Ok(());
            }
            let mut engine = Engine::new(catalog::build(&sizes, scenario.unit()).ok_or_else(missing_unit)?);
            let cycles = run_on(scenario, &sizes, seed, "rust-hdl unit", &mut engine);
            match engine.failure() {
                Some(failure) => Err(Failure::Unsettled(Box::new(failure.clone()))),
                None => cycles.map(|_| ()),
            }
        }
        Some(Lone::Compiled) => on_code(scenario, &sizes, seed).map(|_| ()),
        Some(Lone::Verilator) => {
            let unit = catalog::build(&sizes, scenario.unit()).ok_or_else(missing_unit)?;
            let design =
                verilated(unit.as_ref(), &sizes, Optimisation::None, directory).map_err(|e| Failure::Unit(Box::new(e)))?;
            run_on(scenario, &sizes, seed, "verilated unit", &mut design.instance(POWER_UP)).map(|_| ())
        }
    }
}

fn missing_unit(scenario: &Scenario, config: &str) -> Failure {
    Failure::NoUnit { unit: scenario.unit().to_string(), config: config.to_string() }
}

fn on_code(scenario: &Scenario, config: &Config, seed: Option<u64>) -> Result<u64, Failure> {
    CODES.with_borrow_mut(|codes| {
        let code = match codes.entry((scenario.unit().to_string(), config.name.clone())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let unit = catalog::build(config, scenario.unit()).ok_or_else(|| missing_unit(scenario, &config.name))?;
                new.insert(Compiled::new(unit).map_err(|e| Failure::Unit(Box::new(BenchError::Backend(e.into()))))?)
            }
        };
        code.restart();
        run_on(scenario, config, seed, "machine code of the unit", code)
    })
}

/// Runs the scenario on the given simulation of the unit and on the model, and compares the two. `on` is the name of the simulation in
/// messages. Returns the number of cycles.
pub fn run_on(
    scenario: &Scenario,
    config: &Config,
    seed: Option<u64>,
    on: &'static str,
    unit: &mut dyn Dut,
) -> Result<u64, Failure> {
    let model = by_name(scenario.unit(), Sizes::try_from(config)?);
    let mut model = model.ok_or_else(|| missing_unit(scenario, &config.name))?;
    if let Some(scene) = &scenario.ports {
        return at_ports(scene, on, unit, model.as_mut());
    }
    let Some(expect) = &scenario.expect else { return Err(missing_unit(scenario, &config.name)) };
    program(scenario, expect, (config, seed), on, unit, model.as_mut())
}

fn at_ports(scene: &Scene, on: &'static str, unit: &mut dyn Dut, model: &mut dyn Dut) -> Result<u64, Failure> {
    let ports = unit.ports().to_vec();
    let played = play(scene, unit).map_err(|wrong| Failure::Ports { on, wrong })?;
    let of_model = play(scene, model).map_err(|wrong| Failure::Ports { on: "model", wrong })?;
    match difference(&ports, &played, &of_model) {
        Some(difference) => Err(Failure::PortsDiffer(difference)),
        None => Ok(played.len() as u64),
    }
}

fn program(
    scenario: &Scenario,
    expect: &Expect,
    (config, seed): (&Config, Option<u64>),
    on: &'static str,
    unit: &mut dyn Dut,
    model: &mut dyn Dut,
) -> Result<u64, Failure> {
    let loaded = load(scenario, config)?;
    let mut machine = scenario.machine.clone();
    machine.seed = scenario.seed(seed);
    machine.size(loaded.threads);
    let run = |dut: &mut dyn Dut, on| {
        bcu_machine::run(dut, config, &machine, &loaded.programs, &mut |_| ()).map_err(|error| not_run(scenario, on, error))
    };
    let report = run(unit, on)?;
    let of_model = run(model, "model")?;
    if report != of_model {
        return Err(Failure::Differ { unit: Box::new(report), model: Box::new(of_model) });
    }
    let wrong = check(expect, scenario.lines_before_program(), &report);
    match wrong.is_empty() {
        true => Ok(report.cycles),
        false => Err(Failure::Unexpected { wrong, report: Box::new(report) }),
    }
}

/// The failure of a run on the simulation `on` that ended without a report.
fn not_run(scenario: &Scenario, on: &'static str, error: RunError) -> Failure {
    match error {
        RunError::Misfit(error) if !error.span.is_empty() => Failure::Placed(scenario.machine_error(&error)),
        RunError::Program { cta, warp, stopped, .. } => {
            let error = stopped.diagnostic;
            let message = format!("on the {on}, CTA {cta} warp {warp}: {}", error.message);
            Failure::Placed(scenario.program_error(&Diagnostic { message, ..error }))
        }
        error => Failure::Run { on, error },
    }
}

fn load(scenario: &Scenario, config: &Config) -> Result<Loaded, Failure> {
    let (name, _) = scenario.source();
    let kind = Kind::from_file_name(name).unwrap_or(Kind::Bcu);
    let failed = |errors: Vec<Diagnostic>| {
        Failure::Placed(errors.iter().map(|error| scenario.program_error(error)).collect::<Vec<_>>().join("\n"))
    };
    bcu_program::load(kind, &scenario.program_text(), &scenario.machine.launch(config.lanes)).map_err(failed)
}
