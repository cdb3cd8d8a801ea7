// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A window of cycles of a waveform.

use super::waiting::Reference;
use super::waveform::Value;
use crate::lockstep::{Recording, Replay};
use bcu_isa::ports::{Dir, Port};

/// Number of cycles that are printed before a finding. Every window begins with the last `HISTORY` cycles of the previous window.
pub const HISTORY: usize = 10;

/// Consecutive cycles: the waveform's inputs, the model's outputs for those inputs, and the waveform's outputs.
pub struct Window {
    /// Number of the first cycle.
    pub(super) first: usize,
    pub(super) recording: Recording,
    /// Bits of inputs that are neither 0 nor 1. The model is run with 0 for them.
    pub(super) unknown: Vec<u64>,
    pub(super) shown: Replay,
    dirs: Vec<Dir>,
}

impl Window {
    pub(super) fn new(ports: &[Port]) -> Window {
        let dirs = ports.iter().map(|port| port.dir).collect();
        Window { first: 0, recording: Recording::new(ports), unknown: vec![], shown: Replay::default(), dirs }
    }

    pub(super) fn add(&mut self, row: &[Value], model: &mut Reference) {
        let from = self.recording.inputs.len();
        for (value, dir) in row.iter().zip(&self.dirs) {
            let (values, unknown) = match dir {
                Dir::In => (&mut self.recording.inputs, &mut self.unknown),
                Dir::Out => (&mut self.shown.values, &mut self.shown.unknown),
            };
            values.push(value.bits & !value.unknown);
            unknown.push(value.unknown);
        }
        let mut outputs = vec![0; self.recording.width(Dir::Out)];
        model.dut().cycle(&self.recording.inputs[from..], &mut outputs);
        self.recording.outputs.extend(outputs);
    }

    /// Drops all cycles of the window except the last `cycles`.
    pub(super) fn keep(&mut self, cycles: usize) {
        let dropped_cycles = self.recording.cycles().saturating_sub(cycles);
        let [ins, outs] = [Dir::In, Dir::Out].map(|dir| dropped_cycles * self.recording.width(dir));
        self.recording.inputs.drain(..ins);
        self.unknown.drain(..ins);
        self.recording.outputs.drain(..outs);
        self.shown.values.drain(..outs);
        self.shown.unknown.drain(..outs);
        self.first += dropped_cycles;
    }
}
