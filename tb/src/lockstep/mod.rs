// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep: one stimulus, every simulator, every output port in every cycle.
//!
//! The model drives the reactive stimulus and is the reference; every other simulator is a [`Lane`] that replays the
//! recording from a fresh start. Cycle 0 is a reset; comparing begins with the cycle after it, since nothing is said about
//! outputs before the first rising edge.

pub mod channels;
mod lanes;
mod report;

pub use lanes::{IcarusLane, Lane, Replay, RustLane, VerilatorLane};
pub use report::Divergence;

use crate::cosim::CosimError;
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
pub fn record(model: &mut dyn Dut, stimulus: &mut dyn Stimulus, cycles: usize) -> Recording {
    let ports = model.ports().to_vec();
    let mut recording = Recording { ports, inputs: vec![], outputs: vec![] };
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
    Cosim { command: String, source: CosimError },
}

/// What can be compared: how to make the reference, and the lanes.
pub struct Bench {
    /// Makes a fresh model.
    pub model: Box<dyn Fn() -> Box<dyn Dut>>,
    pub lanes: Vec<Box<dyn Lane>>,
}

impl Bench {
    /// Runs one case on every lane; the first divergence is shrunk and reported. Returns the recording, so that a caller can
    /// count what was reached.
    pub fn run(&mut self, case: &Case, stimulus: &mut dyn Stimulus) -> Result<Recording, LockstepError> {
        let cosim = |source| LockstepError::Cosim { command: case.command.clone(), source };
        let recording = record((self.model)().as_mut(), stimulus, case.cycles);
        let mut replays = vec![];
        for lane in &mut self.lanes {
            let cycles = recording.cycles().min(lane.limit());
            let replay = lane.replay(&recording.inputs[..cycles * recording.width(Dir::In)]).map_err(cosim)?;
            replays.push((lane.name().to_string(), replay));
        }
        let worst = (0..replays.len()).filter_map(|l| Some((first_difference(&recording, &replays[l].1)?, l)));
        let Some((difference, lane)) = worst.min_by_key(|(d, _)| d.cycle) else {
            return Ok(recording);
        };
        let minimal =
            crate::shrink::shrink(&recording, &self.model, self.lanes[lane].as_mut(), difference.cycle).map_err(cosim)?;
        Err(LockstepError::Divergence(Box::new(Divergence::new(case, &recording, &difference, &replays, &minimal))))
    }
}
