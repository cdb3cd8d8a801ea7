// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plays a diagram: its inputs with the model's outputs, and the differences from the drawing.

use super::source::{Diagram, Row, Stage};
use crate::lockstep::Recording;
use bcu_hw::unit::latency;
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::{ByName, Dut};
use bcu_model::meaning::Meaning;

/// The maximum number of cycles for which an offer before the first column may wait: far above any latency of a unit.
const PATIENCE: usize = 10_000;

/// Why a diagram is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Mismatch {
    #[error("`{0}` is not taken before the first column")]
    NotTaken(String),
    #[error("`{port}`: drawn as {drawn} in column {column}, but the unit outputs {shown}; its row is\n  \"wave\": \"{wave}\", \"data\": [{data}]")]
    Output { port: String, column: usize, drawn: u64, shown: String, wave: String, data: String },
    #[error("arrow `{arrow}` is {columns} columns long, but the latency is {cycles} cycles")]
    Latency { arrow: String, columns: i64, cycles: u64 },
    #[error("arrow `{0}` names no latency")]
    NoLatency(String),
}

/// The inputs of a unit in one cycle, and the recording to which they are appended.
struct Player<'a> {
    model: &'a mut dyn Dut,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    recording: Recording,
}

impl Player<'_> {
    fn set(&mut self, port: &str, value: u64) {
        // The port names were checked when the diagram was read. Rows of outputs are not driven.
        if let Ok(place) = self.recording.ports.input(port) {
            self.inputs[place.index()] = value;
        }
    }

    fn shows(&self, port: &str) -> Option<u64> {
        let place = self.recording.ports.output(port).ok()?;
        Some(self.outputs[place.index()])
    }

    fn cycle(&mut self) {
        self.model.cycle(&self.inputs, &mut self.outputs);
        self.recording.inputs.extend_from_slice(&self.inputs);
        self.recording.outputs.extend_from_slice(&self.outputs);
    }

    /// Offers a payload until it is taken; a strobe has no `ready` and lasts one cycle.
    fn offer(&mut self, channel: &str, payload: &[(String, u64)]) -> Result<(), Mismatch> {
        payload.iter().for_each(|(port, value)| self.set(port, *value));
        let [valid, ready] = ["valid", "ready"].map(|part| format!("{channel}_{part}"));
        self.set(&valid, 1);
        for _ in 0..PATIENCE {
            self.cycle();
            if self.shows(&ready).is_none_or(|ready| ready == 1) {
                self.set(&valid, 0);
                return Ok(());
            }
        }
        Err(Mismatch::NotTaken(channel.to_string()))
    }
}

impl Diagram {
    /// Plays the diagram on the model. In columns in which an input is not drawn, all its bits are 0 or, with `undrawn`, all its bits are
    /// 1. Returns the recording and the cycle of the first column.
    ///
    /// # Errors
    /// If an offer before the first column is not taken.
    pub fn play(&self, ports: &[Port], model: &mut dyn Dut, undrawn: bool) -> Result<(Recording, usize), Mismatch> {
        let [inputs, outputs] = [Dir::In, Dir::Out].map(|dir| vec![0; ports.count(dir)]);
        let recording = Recording::new(ports);
        let mut player = Player { model, inputs, outputs, recording };
        self.inputs.iter().for_each(|(port, value)| player.set(port, *value));
        player.set("reset", 1);
        player.cycle();
        player.set("reset", 0);
        for stage in &self.before {
            match stage {
                Stage::Idle(cycles) => (0..*cycles).for_each(|_| player.cycle()),
                Stage::Offer { channel, payload } => player.offer(channel, payload)?,
            }
        }
        let first = player.recording.cycles();
        for column in 0..self.columns {
            for Row { port, cells } in &self.rows {
                let width = ports.iter().find(|p| p.name == *port).map_or(1, |port| port.width);
                let undrawn_value = if undrawn { u64::MAX >> (64 - width.clamp(1, 64)) } else { 0 };
                player.set(port, cells[column].unwrap_or(undrawn_value));
            }
            player.cycle();
        }
        Ok((player.recording, first))
    }

    /// Compares the drawing with a recording whose cycle `first` is the first column, and the lengths of arrows with the latencies.
    ///
    /// # Errors
    /// The first output that differs from the drawing, or the first arrow of another length.
    pub fn compare(&self, config: &Config, recording: &Recording, first: usize) -> Result<(), Mismatch> {
        for arrow in &self.arrows {
            // Only a label in capitals is the name of a latency constant; an arrow with another label may have any length.
            if arrow.label.chars().any(|c| c.is_ascii_lowercase()) || arrow.label.is_empty() {
                continue;
            }
            let Some(latency) = latency::ALL.iter().find(|latency| latency.name == arrow.label) else {
                return Err(Mismatch::NoLatency(arrow.text.clone()));
            };
            let (columns, cycles) = (arrow.to as i64 - arrow.from as i64, latency.cycles(config));
            if columns != cycles as i64 {
                return Err(Mismatch::Latency { arrow: arrow.text.clone(), columns, cycles });
            }
        }
        let meaning = Meaning::new(&recording.ports);
        for Row { port, cells } in &self.rows {
            let Ok(place) = recording.ports.output(port) else { continue };
            let shown = |column: usize| {
                let (inputs, outputs) = (recording.input(first + column), recording.output(first + column));
                meaning.holds(place.index(), inputs, outputs).then(|| place.read(outputs))
            };
            let differs = |column: &usize| cells[*column].is_some_and(|drawn| shown(*column) != Some(drawn));
            if let Some(column) = (0..self.columns).find(differs) {
                let values: Vec<_> = (0..self.columns).map(shown).collect();
                let description = recording.ports.iter().find(|p| p.name == *port);
                let (wave, data) = description.map_or_else(Default::default, |port| wave(port, &values));
                let shown = values[column].map_or("without meaning".to_string(), |value| value.to_string());
                let drawn = cells[column].unwrap_or(0);
                return Err(Mismatch::Output { port: port.clone(), column, drawn, shown, wave, data });
            }
        }
        Ok(())
    }
}

/// WaveDrom's `wave` and `data` strings for the values of a port.
fn wave(port: &Port, values: &[Option<u64>]) -> (String, String) {
    let (mut wave, mut data) = (String::new(), vec![]);
    for (at, value) in values.iter().enumerate() {
        wave.push(match value {
            value if at > 0 && values[at - 1] == *value => '.',
            None => 'x',
            Some(0) if port.width == 1 => '0',
            Some(1) if port.width == 1 => '1',
            Some(value) => {
                data.push(format!("\"{}\"", port.values.get(*value as usize).map_or_else(|| value.to_string(), String::clone)));
                '='
            }
        });
    }
    (wave, data.join(", "))
}
