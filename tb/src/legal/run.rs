// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a legal user on the model, and replays its stimulus on a simulator of the unit.

use super::catalog::for_unit;
use crate::lockstep::channels::show_cycle;
use crate::lockstep::rules::{first_breach, BrokenRule};
use crate::lockstep::units::{bench_alone, BenchError, Lone};
use crate::lockstep::{first_difference, BackendError, Recording};
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_model::{shown_by_name, Sizes};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Number of cycles of a run with one seed.
pub const EPISODE: usize = 10_000;

/// The number of cycles that the report prints before a failure.
const HISTORY: usize = 30;

/// Why a run of a legal user failed.
#[derive(Debug, thiserror::Error)]
pub enum LegalError {
    #[error("`{unit}`: no legal user in configuration `{config}`")]
    NoUser { unit: String, config: String },
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error("{command}: {source}")]
    Rule { command: String, source: BrokenRule },
    #[error("{unit}/{config}, seed {seed}: a legal user finds a failure\n{what}\nthe cycles before it:\n{history}repeat with: {command}")]
    Failure { unit: String, config: String, seed: u64, what: String, history: String, command: String },
    #[error("{unit}/{config}, seed {seed}: the simulator of the unit differs from the model in cycle {cycle}\n{history}repeat with: {command}")]
    Difference { unit: String, config: String, seed: u64, cycle: usize, history: String, command: String },
}

impl LegalError {
    /// Whether the host caused the failure, for example by a missing tool, and not the unit.
    pub fn is_of_host(&self) -> bool {
        match self {
            LegalError::Bench(error) => error.is_of_host(),
            LegalError::Backend(error) => error.is_of_host(),
            _ => false,
        }
    }
}

/// The stimulus of a legal user and the model's responses.
pub fn recording(unit: &str, config: &Config, ports: &[Port], seed: u64, cycles: usize) -> Option<Recording> {
    episode(unit, config, ports, seed, cycles).map(|(recording, _)| recording)
}

/// Runs one seed on the model.
fn episode(unit: &str, config: &Config, ports: &[Port], seed: u64, cycles: usize) -> Option<(Recording, Outcome)> {
    let mut model = shown_by_name(unit, Sizes::try_from(config).ok()?)?;
    let mut user = for_unit(unit, ports, config, seed)?;
    let mut recording = Recording::new(ports);
    let mut outputs = vec![0; recording.width(Dir::Out)];
    let mut failure = None;
    for _ in 0..cycles {
        model.shown(&mut outputs);
        let inputs = user.drive(&outputs);
        recording.inputs.extend_from_slice(inputs);
        recording.outputs.extend_from_slice(&outputs);
        model.edge(inputs);
        failure = user.failure().map(str::to_string);
        if failure.is_some() {
            break;
        }
    }
    Some((recording, Outcome { failure, figures: user.figures() }))
}

struct Outcome {
    failure: Option<String>,
    figures: Vec<(String, u64)>,
}

/// Runs seeds from `seed` on, [`EPISODE`] cycles each, until `cycles` are done. A compiled simulator uses folders under `directory`.
/// `command` returns the command that repeats a seed for a number of cycles. Returns the figures of all seeds: the maximum of a figure
/// whose name begins with `worst`, the sum of any other figure.
///
/// # Errors
/// The first failure of the unit, or the first difference between the model and the simulator.
pub fn campaign(
    unit: &str,
    config: &Config,
    lone: Lone,
    cycles: usize,
    seed: u64,
    directory: PathBuf,
    command: &dyn Fn(u64, usize) -> String,
) -> Result<BTreeMap<String, u64>, LegalError> {
    let no_user = || LegalError::NoUser { unit: unit.to_string(), config: config.name.clone() };
    let mut bench = bench_alone(unit, config, lone, cycles, directory)?;
    let ports = bench.ports.clone();
    let Some(entrant) = bench.entrants.first_mut() else { return Err(no_user()) };
    let mut figures = BTreeMap::new();
    let mut cycles_left = cycles;
    for seed in (0..).map(|number| seed.wrapping_add(number)) {
        let cycles = cycles_left.min(EPISODE);
        if cycles == 0 {
            break;
        }
        let (recording, outcome) = episode(unit, config, &ports, seed, cycles).ok_or_else(no_user)?;
        let names = || (unit.to_string(), config.name.clone());
        let history = |end: usize| {
            let line = |at: usize| format!("  {at:>7}  {}\n", show_cycle(&ports, recording.input(at), recording.output(at)));
            (end.saturating_sub(HISTORY)..end).map(line).collect::<String>()
        };
        if let Some(what) = outcome.failure {
            let (unit, config) = names();
            let (history, command) = (history(recording.cycles()), command(seed, cycles));
            return Err(LegalError::Failure { unit, config, seed, what, history, command });
        }
        if let Some(source) = first_breach(&recording) {
            return Err(LegalError::Rule { command: command(seed, cycles), source });
        }
        let replay = entrant.backend.replay(&recording.inputs)?;
        if let Some(found) = first_difference(&recording, &replay) {
            let (unit, config) = names();
            let (history, command) = (history(found.cycle + 1), command(seed, cycles));
            return Err(LegalError::Difference { unit, config, seed, cycle: found.cycle, history, command });
        }
        for (name, value) in outcome.figures {
            let sum: &mut u64 = figures.entry(name.clone()).or_default();
            *sum = if name.starts_with("worst") { (*sum).max(value) } else { *sum + value };
        }
        cycles_left -= cycles;
    }
    Ok(figures)
}
