// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep: one stimulus, every simulator, every output port in every cycle.
//!
//! The model drives the reactive stimulus and is the reference; every other simulator is a [`Lane`] that replays the
//! recording from a fresh start. Cycle 0 is a reset; comparing begins with the cycle after it, since nothing is said about
//! outputs before the first rising edge.

pub mod channels;
mod lanes;
mod report;
pub mod rules;
pub mod units;

pub use lanes::{CompiledLane, EngineLane, IcarusLane, Lane, LaneError, Replay, VerilatorLane};
pub use report::Divergence;

use crate::shrink::shrink;
use crate::stimulus::Stimulus;
use bcu_hw::ports::{Dir, Port};
use bcu_sim::dut::Dut;

/// What runs: names for reports, and the command that repeats it.
#[derive(Clone, Debug)]
pub struct Case {
    pub unit: String,
    pub config: String,
    pub seed: u64,
    /// Cycles, the first reset cycle included.
    pub cycles: usize,
    /// The one command that repeats this case.
    pub command: String,
}

/// The inputs of a run, and what the model answered.
#[derive(Clone, Debug)]
pub struct Recording {
    pub ports: Vec<Port>,
    /// One value per input port and cycle, in port order.
    pub inputs: Vec<u64>,
    /// One value per output port and cycle, in port order.
    pub outputs: Vec<u64>,
}

impl Recording {
    /// Number of ports of one direction.
    pub fn width(&self, dir: Dir) -> usize {
        self.ports.iter().filter(|p| p.dir == dir).count()
    }

    pub fn cycles(&self) -> usize {
        self.inputs.len() / self.width(Dir::In).max(1)
    }

    /// Inputs of one cycle.
    pub fn input(&self, cycle: usize) -> &[u64] {
        let width = self.width(Dir::In);
        &self.inputs[cycle * width..(cycle + 1) * width]
    }

    /// The model's outputs of one cycle.
    pub fn output(&self, cycle: usize) -> &[u64] {
        let width = self.width(Dir::Out);
        &self.outputs[cycle * width..(cycle + 1) * width]
    }
}

/// Lets the stimulus play against the model from a fresh start.
pub fn record(ports: &[Port], model: &mut dyn Dut, stimulus: &mut dyn Stimulus, cycles: usize) -> Recording {
    let mut recording = Recording { ports: ports.to_vec(), inputs: vec![], outputs: vec![] };
    let mut outputs = vec![0; recording.width(Dir::Out)];
    for _ in 0..cycles {
        let inputs = stimulus.next(&outputs);
        recording.inputs.extend_from_slice(inputs);
        model.cycle(inputs, &mut outputs);
        recording.outputs.extend_from_slice(&outputs);
    }
    recording
}

/// The first cycle in which a lane shows something else than the model, with every port that differs there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub cycle: usize,
    /// Index among the output ports.
    pub ports: Vec<usize>,
}

/// Compares one lane's answer with the recording, from cycle 1 on, as far as the lane went.
pub fn first_difference(recording: &Recording, replay: &Replay) -> Option<Difference> {
    let width = recording.width(Dir::Out).max(1);
    let differs = |at: usize| replay.values[at] != recording.outputs[at] || replay.unknown.get(at).is_some_and(|u| *u != 0);
    let first = (width..replay.values.len().min(recording.outputs.len())).find(|at| differs(*at))?;
    let cycle = first / width;
    Some(Difference { cycle, ports: (0..width).filter(|p| differs(cycle * width + p)).collect() })
}

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
