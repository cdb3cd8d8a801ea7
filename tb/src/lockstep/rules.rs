// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Protocol checker: the channel rules of `docs/contract/bcu.md`, checked on every recording. It checks the stimulus at the inputs and the
//! unit at its outputs.

use super::channels::{channels, pins, Channel, Event, Pin};
use super::recording::Recording;
use bcu_isa::ports::Dir;

/// A violation of a channel rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}, channel `{channel}`: {what}")]
pub struct BrokenRule {
    pub cycle: usize,
    pub channel: String,
    pub what: String,
}

/// The first violation of a rule, if there is one. Outputs are checked from cycle 1 on, because the first reset takes effect after cycle 0.
/// The rules that compare adjacent cycles therefore start with cycles 1 and 2.
pub fn first_breach(recording: &Recording) -> Option<BrokenRule> {
    let channels = channels(&recording.ports);
    let reset = pins(&recording.ports).into_iter().find(|p| p.port.name == "reset");
    let in_reset = |cycle: usize| reset.as_ref().is_some_and(|r| recording.input(cycle)[r.index] == 1);
    for cycle in 1..recording.cycles() {
        for channel in &channels {
            let breach = match channel.valid.port.dir {
                // The logic that drives the inputs is reset together with the unit, and may then withdraw an offer.
                Dir::In if in_reset(cycle) || in_reset(cycle - 1) => None,
                Dir::Out if in_reset(cycle - 1) => after_reset(recording, channel, cycle),
                _ if cycle == 1 => None,
                _ => between(recording, channel, cycle),
            };
            if let Some(what) = breach {
                return Some(BrokenRule { cycle, channel: channel.name.clone(), what });
            }
        }
    }
    None
}

fn event(recording: &Recording, channel: &Channel, cycle: usize) -> Event {
    channel.event(recording.input(cycle), recording.output(cycle))
}

fn after_reset(recording: &Recording, channel: &Channel, cycle: usize) -> Option<String> {
    let (inputs, outputs) = (recording.input(cycle), recording.output(cycle));
    match channel.valid.read(inputs, outputs) {
        0 => None,
        _ => Some("valid must be 0 after a reset".to_string()),
    }
}

/// The rules between two adjacent cycles without a reset.
fn between(recording: &Recording, channel: &Channel, cycle: usize) -> Option<String> {
    let [before, current] = [cycle - 1, cycle].map(|c| (recording.input(c), recording.output(c)));
    let valid = channel.valid.read(current.0, current.1) == 1;
    if event(recording, channel, cycle - 1) == Event::Waits {
        let value = |p: &Pin, (inputs, outputs)| p.show(p.read(inputs, outputs));
        let [earlier, later] = [before, current];
        let changed = channel.payload.iter().find(|p| p.read(earlier.0, earlier.1) != p.read(later.0, later.1));
        let rule = "an offer must hold, with its payload, until it is taken";
        match changed {
            _ if !valid => return Some(format!("{rule}; `{}` falls", channel.valid.port.name)),
            Some(p) => {
                return Some(format!("{rule}; `{}` changes from {} to {}", p.port.name, value(p, earlier), value(p, later)))
            }
            None => (),
        }
    }
    if channel.valid.port.dir == Dir::In || valid {
        return None;
    }
    let silent = |p: &Pin| !p.port.when.is_empty() || p.read(current.0, current.1) == 0;
    match channel.payload.iter().all(silent) {
        true => None,
        false => Some("while valid is 0, fields that are significant in every cycle must be 0".to_string()),
    }
}
