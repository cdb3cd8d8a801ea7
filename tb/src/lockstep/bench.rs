// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case at a time: the recording, the channel rules, every lane, and the report of the first divergence.

use super::lanes::{Lane, LaneError};
use super::recording::{first_difference, record, Difference, Recording, Replay};
use super::report::{Case, Divergence};
use super::rules;
use super::shrink::shrink;
use crate::stimulus::Stimulus;
use bcu_hw::ports::{Dir, Port};
use bcu_sim::dut::Dut;

/// Why a lockstep run did not end well.
#[derive(Debug, thiserror::Error)]
pub enum LockstepError {
    #[error("{0}")]
    Divergence(Box<Divergence>),
    #[error("{command}: {source}")]
    Rule { command: String, source: rules::BrokenRule },
    #[error("{command}: lane `{lane}`: {source}")]
    Lane { command: String, lane: String, source: LaneError },
}

/// A lane, and how many cycles it will still replay.
pub struct Entrant {
    pub lane: Box<dyn Lane>,
    pub left: usize,
}

/// What can be compared: how to make the reference, and the lanes.
pub struct Bench {
    /// The unit's ports, as every lane and the model have them.
    pub ports: Vec<Port>,
    /// Makes a fresh model.
    pub model: Box<dyn Fn() -> Box<dyn Dut>>,
    pub entrants: Vec<Entrant>,
}

impl Bench {
    /// Runs one case, checks the channel rules, and compares every lane, each as far as its allowance goes; the first divergence is shrunk and reported. Returns
    /// the recording, so that a caller can count what was reached.
    pub fn run(&mut self, case: &Case, stimulus: &mut dyn Stimulus) -> Result<Recording, LockstepError> {
        let recording = record(&self.ports, (self.model)().as_mut(), stimulus, case.cycles);
        if let Some(source) = rules::first_breach(&recording) {
            return Err(LockstepError::Rule { command: case.command.clone(), source });
        }
        let mut replays = vec![];
        let mut worst: Option<(Difference, usize)> = None;
        for (number, entrant) in self.entrants.iter_mut().enumerate() {
            let cycles = recording.cycles().min(entrant.left);
            let inputs = &recording.inputs[..cycles * recording.width(Dir::In)];
            let replay = match cycles {
                0 => Replay::default(),
                _ => entrant.lane.replay(inputs).map_err(|source| failed(case, entrant.lane.as_ref(), source))?,
            };
            entrant.left -= cycles;
            if let Some(found) = first_difference(&recording, &replay) {
                if worst.as_ref().is_none_or(|(w, _)| found.cycle < w.cycle) {
                    worst = Some((found, number));
                }
            }
            replays.push((entrant.lane.name().to_string(), replay));
        }
        let Some((difference, number)) = worst else {
            return Ok(recording);
        };
        let lane = self.entrants[number].lane.as_mut();
        let minimal = shrink(&recording, &self.model, lane, difference.cycle);
        let minimal = minimal.map_err(|source| failed(case, self.entrants[number].lane.as_ref(), source))?;
        Err(LockstepError::Divergence(Box::new(Divergence::new(case, &recording, &difference, &replays, &minimal))))
    }
}

fn failed(case: &Case, lane: &dyn Lane, source: LaneError) -> LockstepError {
    LockstepError::Lane { command: case.command.clone(), lane: lane.name().to_string(), source }
}
