// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plays a scene on a unit or on its model: drives the inputs of the steps, answers for shared memory, and compares the outputs with the
//! steps.

use super::scene::{Number, Scene, Step, Values, Word};
use bcu_isa::ports::{Dir, Part, Port};
use bcu_model::dut::{ByName, Dut, Pins};
use bcu_model::meaning::Meaning;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The maximum number of cycles for which a step waits for an event.
const PATIENCE: usize = 1000;
/// Maximum number of cycles of a step. It is limited because the values of every cycle are stored.
const MOST_CYCLES: u64 = 100_000;

/// Inputs and outputs of every cycle.
pub type Played = Vec<(Vec<u64>, Vec<u64>)>;

/// Values of the fields of a channel.
type Fields = BTreeMap<String, u64>;

/// A device under test and its simulated environment.
struct Player<'a> {
    pins: Pins<&'a mut dyn Dut>,
    played: Played,
    latency: u64,
    memory: BTreeMap<(u64, u64), u64>,
    /// Answers of shared memory that are due: the cycle and the data of each.
    answers: VecDeque<(usize, u64)>,
    /// For each output channel, the transfers that no step has matched yet: the cycle and the payload of each.
    come: BTreeMap<String, VecDeque<(usize, Fields)>>,
}

/// Plays the scene. The error is the first deviation from the expected outputs.
pub fn play(scene: &Scene, dut: &mut dyn Dut) -> Result<Played, String> {
    let (memory, answers, come) = Default::default();
    let mut player = Player { pins: Pins::new(dut), played: vec![], latency: scene.latency, memory, answers, come };
    player.set("reset", 1)?;
    for name in player.names(|port, part| port.dir == Dir::In && part == Part::Ready) {
        player.set(&name, 1)?;
    }
    player.cycle()?;
    player.set("reset", 0)?;
    for (at, step) in scene.steps.iter().enumerate() {
        player.run_step(step).map_err(|why| format!("step {}, in cycle {}: {why}", at + 1, player.played.len()))?;
    }
    let seen = scene.steps.iter().filter_map(|step| if let Step::See(seen) = step { Some(seen.keys()) } else { None });
    for channel in seen.flatten().map(String::as_str).chain(["fault"]).collect::<BTreeSet<_>>() {
        if let Some((cycle, fields)) = player.come.get(channel).and_then(VecDeque::front) {
            return Err(format!("`{channel}`: no step expects the transfer of cycle {cycle}: {}", shown(fields)));
        }
    }
    Ok(player.played)
}

/// The first significant difference between two plays of one scene.
pub fn difference(ports: &[Port], first: &Played, second: &Played) -> Option<String> {
    let meaning = Meaning::new(ports);
    for (cycle, ((inputs, unit_values), (driven, model_values))) in first.iter().zip(second).enumerate() {
        if let Some(at) = meaning.difference(inputs, unit_values, model_values) {
            let name = ports.iter().filter(|port| port.dir == Dir::Out).nth(at).map_or("", |port| &port.name);
            return Some(format!(
                "cycle {cycle}, `{name}`: the unit has {:#x}, the model {:#x}",
                unit_values[at], model_values[at]
            ));
        }
        if inputs != driven {
            return Some(format!("cycle {cycle}: the steps drive the unit and the model in different ways"));
        }
    }
    (first.len() != second.len()).then(|| format!("{} cycles of the unit, {} of the model", first.len(), second.len()))
}

fn shown(fields: &Fields) -> String {
    fields.iter().map(|(name, value)| format!("{name} {value:#x}")).collect::<Vec<_>>().join(", ")
}

impl Player<'_> {
    fn port(&self, name: &str) -> Option<&Port> {
        self.pins.ports().iter().find(|port| port.name == name)
    }

    /// The names of the ports for which `includes` holds. Its arguments are the port and the port's part in a channel.
    fn names(&self, includes: impl Fn(&Port, Part) -> bool) -> Vec<String> {
        let part = |port: &&Port| port.channel.as_ref().is_some_and(|channel| includes(port, channel.part));
        self.pins.ports().iter().filter(part).map(|port| port.name.clone()).collect()
    }

    fn set(&mut self, name: &str, value: u64) -> Result<(), String> {
        let input = self.pins.ports().input(name).map_err(|no_port| no_port.to_string())?;
        let width = self.port(name).map_or(0, |port| port.width);
        if width < 64 && value >> width != 0 {
            return Err(format!("{value:#x} does not fit into `{name}`, which has {width} bits"));
        }
        self.pins.set(input, value);
        Ok(())
    }

    fn get(&self, name: &str) -> Result<u64, String> {
        Ok(self.pins.get(self.pins.ports().output(name).map_err(|no_port| no_port.to_string())?))
    }

    fn value(&self, name: &str, number: &Number) -> Result<u64, String> {
        number.value_for(self.port(name)).map_err(|why| format!("`{name}`: {why}"))
    }

    /// Executes one step. The error states how the unit deviates from the step, or why the step cannot be executed.
    fn run_step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Send(channels) => self.send(channels),
            Step::See(channels) => channels.iter().try_for_each(|(channel, values)| self.see(channel, values)),
            Step::Set(values) => values.iter().try_for_each(|(name, number)| self.set(name, self.value(name, number)?)),
            Step::Is(values) => {
                values.iter().try_for_each(|(name, number)| match (self.value(name, number)?, self.get(name)?) {
                    (expected, found) if expected == found => Ok(()),
                    (expected, found) => Err(format!("expected `{name}` to be {expected:#x}, got {found:#x}")),
                })
            }
            Step::Cycles(count) if *count > MOST_CYCLES => {
                Err(format!("{count} cycles are too many: expected at most {MOST_CYCLES} in a step"))
            }
            Step::Cycles(count) => (0..*count).try_for_each(|_| self.cycle()),
            Step::Store(word) => {
                self.memory.insert((word.cta, word.object), word.word.value_for(None)?);
                Ok(())
            }
            Step::Memory(Word { cta, object, word }) => {
                let (expected, found) = (word.value_for(None)?, self.memory.get(&(*cta, *object)).copied().unwrap_or(0));
                let wrong = || format!("expected {expected:#x} at object {object} of CTA {cta}, got {found:#x}");
                if expected == found {
                    Ok(())
                } else {
                    Err(wrong())
                }
            }
        }
    }

    /// Offers a payload on each of `channels` until all are taken.
    fn send(&mut self, channels: &BTreeMap<String, Values>) -> Result<(), String> {
        for (channel, values) in channels {
            self.has(channel, Dir::In)?;
            let fields = self.names(|port, part| part == Part::Payload && is_of_channel(port, channel));
            let unknown = values.keys().find(|name| !fields.contains(&format!("{channel}_{name}")));
            if let Some(name) = unknown {
                return Err(format!("`{channel}_{name}`: no port of this name"));
            }
            for field in fields {
                let number = values.get(plain(&field, channel));
                let value = number.map_or(Ok(0), |number| self.value(&field, number))?;
                self.set(&field, value)?;
            }
            self.set(&format!("{channel}_valid"), 1)?;
        }
        let mut offered: Vec<&String> = channels.keys().collect();
        for _ in 0..PATIENCE {
            self.cycle()?;
            let was_taken = |channel: &&String| {
                let ready = format!("{channel}_ready");
                self.port(&ready).is_none() || self.get(&ready) == Ok(1)
            };
            let (was_taken, remaining): (Vec<&String>, Vec<&String>) = offered.into_iter().partition(was_taken);
            was_taken.into_iter().try_for_each(|channel| self.set(&format!("{channel}_valid"), 0))?;
            offered = remaining;
            if offered.is_empty() {
                return Ok(());
            }
        }
        Err(format!("`{}`: the unit does not accept the transfer within {PATIENCE} cycles", offered[0]))
    }

    /// Checks that a channel or strobe of this name exists in this direction.
    fn has(&self, channel: &str, dir: Dir) -> Result<(), String> {
        let direction = if dir == Dir::In { "input" } else { "output" };
        match self.names(|port, part| part == Part::Valid && port.dir == dir && is_of_channel(port, channel)).is_empty() {
            true => Err(format!("`{channel}`: no {direction} channel of this name")),
            false => Ok(()),
        }
    }

    fn see(&mut self, channel: &str, values: &Values) -> Result<(), String> {
        self.has(channel, Dir::Out)?;
        for _ in 0..PATIENCE {
            let Some((cycle, fields)) = self.come.get_mut(channel).and_then(VecDeque::pop_front) else {
                self.cycle()?;
                continue;
            };
            for (name, number) in values {
                let expected = self.value(&format!("{channel}_{name}"), number)?;
                let found = fields.get(name).ok_or_else(|| format!("`{channel}` has no field `{name}`"))?;
                if expected != *found {
                    let all_fields = shown(&fields);
                    return Err(format!("expected {name} {expected:#x} on `{channel}` in cycle {cycle}, got {all_fields}"));
                }
            }
            return Ok(());
        }
        Err(format!("`{channel}`: no transfer within {PATIENCE} cycles"))
    }

    /// Runs one cycle: memory answers, and transfers on output channels are recorded.
    fn cycle(&mut self) -> Result<(), String> {
        let cycle = self.played.len();
        let has_memory = self.port("mem_response_valid").is_some();
        if has_memory {
            let due = self.answers.front().is_some_and(|(due, _)| *due <= cycle);
            let answer = if due { self.answers.pop_front() } else { None };
            self.set("mem_response_valid", answer.is_some().into())?;
            self.set("mem_response_data", answer.map_or(0, |(_, data)| data))?;
        }
        self.pins.cycle();
        let (inputs, outputs) = self.pins.values();
        self.played.push((inputs.to_vec(), outputs.to_vec()));
        for valid in self.names(|port, part| part == Part::Valid && port.dir == Dir::Out) {
            let channel = valid.trim_end_matches("_valid").to_string();
            let ready = self.pins.ports().input(&format!("{channel}_ready")).map_or(1, |ready| self.pins.driven(ready));
            if self.get(&valid)? & ready == 0 {
                continue;
            }
            let mut fields = Fields::new();
            for name in self.names(|port, part| part == Part::Payload && is_of_channel(port, &channel)) {
                let value = self.get(&name)?;
                fields.insert(plain(&name, &channel).to_string(), value);
            }
            if has_memory && channel == "mem_request" {
                self.remember(&fields, cycle);
            }
            self.come.entry(channel).or_default().push_back((cycle, fields));
        }
        Ok(())
    }

    /// Performs a request to shared memory, and schedules its answer.
    fn remember(&mut self, fields: &Fields, cycle: usize) {
        let [write, cta, object, data] = ["write", "cta", "object", "data"].map(|name| fields.get(name).copied().unwrap_or(0));
        if write == 1 {
            self.memory.insert((cta, object), data);
        }
        let word = self.memory.get(&(cta, object)).copied().unwrap_or(0);
        let due = (cycle + 1).saturating_add(usize::try_from(self.latency.max(1) - 1).unwrap_or(usize::MAX));
        self.answers.push_back((due, word));
    }
}

/// The name of a channel's port without the channel's name as prefix.
fn plain<'a>(port: &'a str, channel: &str) -> &'a str {
    port.strip_prefix(channel).map_or(port, |rest| rest.trim_start_matches('_'))
}

fn is_of_channel(port: &Port, channel: &str) -> bool {
    port.channel.as_ref().is_some_and(|of| of.name == channel)
}
