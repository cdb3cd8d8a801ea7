// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The inputs of a run with the model's outputs, a simulator's outputs for the same inputs, and their differences.

use crate::stimulus::Stimulus;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;
use bcu_model::meaning::Meaning;
use std::cell::LazyCell;
use std::ops::Range;

/// The inputs of a run, and the model's outputs.
#[derive(Clone, Debug)]
pub struct Recording {
    pub ports: Vec<Port>,
    /// Number of input ports and of output ports.
    widths: [usize; 2],
    /// One value per input port and cycle, in port order.
    pub inputs: Vec<u64>,
    /// One value per output port and cycle, in port order.
    pub outputs: Vec<u64>,
}

impl Recording {
    /// Creates a recording without cycles.
    pub fn new(ports: &[Port]) -> Self {
        let widths = [Dir::In, Dir::Out].map(|dir| ports.iter().filter(|p| p.dir == dir).count());
        Recording { ports: ports.to_vec(), widths, inputs: vec![], outputs: vec![] }
    }

    /// Number of ports of one direction.
    pub fn width(&self, dir: Dir) -> usize {
        match dir {
            Dir::In => self.widths[0],
            Dir::Out => self.widths[1],
        }
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

/// Runs the stimulus against the model from its initial state.
pub fn record(ports: &[Port], model: &mut dyn Dut, stimulus: &mut dyn Stimulus, cycles: usize) -> Recording {
    let mut recording = Recording::new(ports);
    let mut outputs = vec![0; recording.width(Dir::Out)];
    for _ in 0..cycles {
        let inputs = stimulus.next(&outputs);
        recording.inputs.extend_from_slice(inputs);
        model.cycle(inputs, &mut outputs);
        recording.outputs.extend_from_slice(&outputs);
    }
    recording
}

/// A backend's outputs: one entry per cycle and output port, in port order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    pub values: Vec<u64>,
    /// The bits that are neither 0 nor 1; empty for two-state simulators.
    pub unknown: Vec<u64>,
}

/// The first cycle in which a significant output of a backend differs from the model, with all outputs that differ in this cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub cycle: usize,
    /// Index among the output ports.
    pub ports: Vec<usize>,
}

/// The first of `places` for which `differs` is true and the output is significant. A place is an index into [`Recording::outputs`].
pub fn first_that_counts(recording: &Recording, places: Range<usize>, differs: impl Fn(usize) -> bool) -> Option<usize> {
    let width = recording.width(Dir::Out).max(1);
    // Usually no output differs, so the conditions of the ports are computed only on demand.
    let meaning = LazyCell::new(|| Meaning::new(&recording.ports));
    let counts = |at: usize| meaning.holds(at % width, recording.input(at / width), recording.output(at / width));
    places.into_iter().find(|at| differs(*at) && counts(*at))
}

/// Compares one backend's outputs with the recording, from cycle 1 to the last cycle that the backend ran.
pub fn first_difference(recording: &Recording, replay: &Replay) -> Option<Difference> {
    let width = recording.width(Dir::Out).max(1);
    let differs = |at: usize| replay.values[at] != recording.outputs[at] || replay.unknown.get(at).is_some_and(|u| *u != 0);
    let end = replay.values.len().min(recording.outputs.len());
    let cycle = first_that_counts(recording, width..end, differs)? / width;
    let of_port = |port: usize| first_that_counts(recording, cycle * width + port..cycle * width + port + 1, differs);
    Some(Difference { cycle, ports: (0..width).filter(|port| of_port(*port).is_some()).collect() })
}
