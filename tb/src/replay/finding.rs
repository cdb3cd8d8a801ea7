// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors in a waveform: an input that is neither 0 nor 1, a violated channel rule, an output that differs from the model.

use super::window::{Window, HISTORY};
use crate::lockstep::channels::{pins, show_cycle, Pin};
use crate::lockstep::first_difference;
use crate::lockstep::report::four_state;
use crate::lockstep::rules::first_breach;
use bcu_isa::ports::{Dir, Port};

/// The first error in a waveform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Number of the cycle; the first cycle in reset is 0.
    pub cycle: usize,
    /// Whether the unit causes the error; otherwise its user does.
    pub is_of_unit: bool,
    /// The error in one sentence; for outputs, one sentence for each.
    pub what: Vec<String>,
    /// The cycles before the error: number, with the events of the cycle.
    pub history: Vec<(usize, String)>,
}

/// An error without history: cycle number within the window, whether the unit causes the error, sentences.
type Wrong = (usize, bool, Vec<String>);

/// The search for errors.
pub(super) struct Search {
    ports: Vec<Port>,
    pins: Vec<Pin>,
    /// Inputs, each with the condition under which it is significant: every listed pin has one of the listed values.
    inputs: Vec<(Pin, Vec<(Pin, Vec<u64>)>)>,
}

impl Search {
    pub fn new(ports: &[Port]) -> Search {
        let pins = pins(ports);
        let pin = |name: &str| pins.iter().find(|pin| pin.port.name == name).cloned();
        let conditions =
            |port: &Port| port.when.iter().filter_map(|when| Some((pin(&when.port)?, when.values.clone()))).collect();
        let inputs = pins.iter().filter(|pin| pin.port.dir == Dir::In);
        let inputs = inputs.map(|pin| (pin.clone(), conditions(&pin.port))).collect();
        Search { ports: ports.to_vec(), pins, inputs }
    }

    /// The first error in the cycles of `window`. Within a cycle, errors of the user precede errors of the unit.
    pub fn first(&self, window: &Window) -> Option<Finding> {
        let findings = [self.unknown(window), broken(window), self.difference(window)];
        let (cycle, is_of_unit, what) = findings.into_iter().flatten().min_by_key(|wrong| (wrong.0, wrong.1))?;
        let recording = &window.recording;
        let show = |cycle: usize| {
            let shown = show_cycle(&self.ports, recording.input(cycle), recording.output(cycle));
            (window.first + cycle, shown)
        };
        let history = (cycle.saturating_sub(HISTORY)..=cycle).map(show).collect();
        Some(Finding { cycle: window.first + cycle, is_of_unit, what, history })
    }

    /// The first significant input that is neither 0 nor 1.
    fn unknown(&self, window: &Window) -> Option<Wrong> {
        let width = window.recording.width(Dir::In);
        let at = |cycle: usize| (window.recording.input(cycle), window.recording.output(cycle));
        let in_reset =
            |cycle: &usize| self.inputs.iter().any(|(pin, _)| pin.port.name == "reset" && at(*cycle).0[pin.index] == 1);
        for cycle in (0..window.recording.cycles()).filter(|cycle| !in_reset(cycle)) {
            let (inputs, outputs) = at(cycle);
            for (pin, conditions) in &self.inputs {
                let unknown = window.unknown[cycle * width + pin.index];
                let counts = || conditions.iter().all(|(of, values)| values.contains(&of.read(inputs, outputs)));
                if unknown != 0 && counts() {
                    let value = four_state(inputs[pin.index], unknown, pin.port.width);
                    return Some((cycle, false, vec![format!("input `{}` is {value}", pin.port.name)]));
                }
            }
        }
        None
    }

    /// The first cycle in which significant outputs differ from the model's outputs.
    fn difference(&self, window: &Window) -> Option<Wrong> {
        let found = first_difference(&window.recording, &window.shown)?;
        let outputs: Vec<&Pin> = self.pins.iter().filter(|pin| pin.port.dir == Dir::Out).collect();
        let what = found.ports.iter().map(|port| {
            let (pin, at) = (outputs[*port], found.cycle * outputs.len() + port);
            let shown = match (window.shown.values[at], window.shown.unknown[at]) {
                (value, 0) => pin.show(value),
                (value, unknown) => four_state(value, unknown, pin.port.width),
            };
            format!(
                "output `{}`: the model has {}, the waveform {shown}",
                pin.port.name,
                pin.show(window.recording.outputs[at])
            )
        });
        Some((found.cycle, true, what.collect()))
    }
}

/// The first violation of a channel rule. The violation is at an input: the recording has the model's outputs, which violate no rule.
fn broken(window: &Window) -> Option<Wrong> {
    let broken = first_breach(&window.recording)?;
    Some((broken.cycle, false, vec![format!("channel `{}`: {}", broken.channel, broken.what)]))
}
