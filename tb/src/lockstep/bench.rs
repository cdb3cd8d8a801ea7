// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs single cases: records, checks the channel rules, replays on every backend, and reports the first divergence.

use super::backends::{Backend, BackendError};
use super::recording::{first_difference, record, Difference, Recording, Replay};
use super::report::{Case, Divergence};
use super::rules;
use super::shrink::shrink;
use crate::stimulus::Stimulus;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;

/// Why a lockstep run failed.
#[derive(Debug, thiserror::Error)]
pub enum LockstepError {
    #[error("{0}")]
    Divergence(Box<Divergence>),
    #[error("{command}: {source}")]
    Rule { command: String, source: rules::BrokenRule },
    #[error("{command}: backend `{backend}`: {source}")]
    Backend { command: String, backend: String, source: BackendError },
}

/// A backend, and the number of cycles that this backend may still replay.
pub struct Entrant {
    pub backend: Box<dyn Backend>,
    pub cycles_left: usize,
}

/// The constructor of the reference model, and the backends that are compared with it.
pub struct Bench {
    /// The unit's ports, equal for the model and every backend.
    pub ports: Vec<Port>,
    /// Creates a new instance of the model.
    pub model: Box<dyn Fn() -> Box<dyn Dut>>,
    pub entrants: Vec<Entrant>,
}

impl Bench {
    /// Runs one case, checks the channel rules, and compares every backend for as many cycles as it may still replay. The first divergence
    /// is shrunk and reported. Returns the recording, in which a caller can count coverage points.
    pub fn run(&mut self, case: &Case, stimulus: &mut dyn Stimulus) -> Result<Recording, LockstepError> {
        let recording = record(&self.ports, (self.model)().as_mut(), stimulus, case.cycles);
        if let Some(source) = rules::first_breach(&recording) {
            return Err(LockstepError::Rule { command: case.command.clone(), source });
        }
        let mut replays = vec![];
        let mut worst: Option<(Difference, usize)> = None;
        for (number, entrant) in self.entrants.iter_mut().enumerate() {
            let cycles = recording.cycles().min(entrant.cycles_left);
            let inputs = &recording.inputs[..cycles * recording.width(Dir::In)];
            let replay = match cycles {
                0 => Replay::default(),
                _ => entrant.backend.replay(inputs).map_err(|source| failed(case, entrant.backend.as_ref(), source))?,
            };
            entrant.cycles_left -= cycles;
            if let Some(found) = first_difference(&recording, &replay) {
                if worst.as_ref().is_none_or(|(w, _)| found.cycle < w.cycle) {
                    worst = Some((found, number));
                }
            }
            replays.push((entrant.backend.name().to_string(), replay));
        }
        let Some((difference, number)) = worst else {
            return Ok(recording);
        };
        let backend = self.entrants[number].backend.as_mut();
        let minimal = shrink(&recording, &self.model, backend, difference.cycle);
        let minimal = minimal.map_err(|source| failed(case, self.entrants[number].backend.as_ref(), source))?;
        Err(LockstepError::Divergence(Box::new(Divergence::new(case, &recording, &difference, &replays, &minimal))))
    }
}

fn failed(case: &Case, backend: &dyn Backend, source: BackendError) -> LockstepError {
    LockstepError::Backend { command: case.command.clone(), backend: backend.name().to_string(), source }
}
