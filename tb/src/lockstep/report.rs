// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a divergence for the engineer who debugs it.

use super::channels::{pins, show_cycle, Pin};
use super::recording::{Difference, Recording, Replay};
use bcu_isa::ports::Dir;
use std::fmt;

/// Cycles of history printed before the divergence.
const HISTORY: usize = 10;

/// A case: names for reports, and the command that repeats it.
#[derive(Clone, Debug)]
pub struct Case {
    pub unit: String,
    pub config: String,
    pub seed: u64,
    /// Number of cycles, including the first reset cycle.
    pub cycles: usize,
    /// The one command that repeats this case.
    pub command: String,
}

/// The first cycle in which the simulators disagree, with the cycles before it.
#[derive(Clone, Debug)]
pub struct Divergence {
    pub case: Case,
    /// Cycle of the full run; the reset is cycle 0.
    pub cycle: usize,
    /// For each differing port, its name and the value of each simulator, the model first.
    pub ports: Vec<(String, Vec<(String, String)>)>,
    /// The last cycles up to the divergence: number and events.
    pub history: Vec<(usize, String)>,
    /// The cycles of the shrunk stimulus that have events: number and events.
    pub minimal: Vec<(usize, String)>,
    /// Number of cycles of the shrunk stimulus; the divergence is in the last one.
    pub minimal_cycles: usize,
}

impl Divergence {
    /// Collects the report: the values of the differing ports on all simulators, the cycles up to the difference, and the cycles of the
    /// shrunk stimulus `minimal` in which a channel has an event.
    pub(super) fn new(
        case: &Case,
        recording: &Recording,
        difference: &Difference,
        replays: &[(String, Replay)],
        minimal: &Recording,
    ) -> Self {
        let outputs: Vec<Pin> = pins(&recording.ports).into_iter().filter(|p| p.port.dir == Dir::Out).collect();
        let cycle = difference.cycle;
        let values = |port: usize| {
            let at = cycle * outputs.len() + port;
            let show = |value: u64, unknown: u64| match unknown {
                0 => outputs[port].show(value),
                _ => four_state(value, unknown, outputs[port].port.width),
            };
            let mut list = vec![("model".to_string(), show(recording.outputs[at], 0))];
            for (name, replay) in replays {
                let value = replay.values.get(at).map(|v| show(*v, replay.unknown.get(at).copied().unwrap_or(0)));
                list.extend(value.map(|v| (name.clone(), v)));
            }
            (outputs[port].port.name.clone(), list)
        };
        let rows = |r: &Recording, from: usize| {
            let shown = |c: usize| (c, show_cycle(&r.ports, r.input(c), r.output(c)));
            (from..r.cycles()).map(shown).collect::<Vec<_>>()
        };
        let mut history = rows(recording, cycle.saturating_sub(HISTORY));
        history.truncate(cycle + 1 - cycle.saturating_sub(HISTORY));
        let mut table = rows(minimal, 0);
        table.retain(|(_, shown)| shown != "-");
        let ports = difference.ports.iter().map(|p| values(*p)).collect();
        Divergence { case: case.clone(), cycle, ports, history, minimal: table, minimal_cycles: minimal.cycles() }
    }
}

/// Binary, with `x` for bits that are neither 0 nor 1.
pub(crate) fn four_state(value: u64, unknown: u64, width: usize) -> String {
    let bit = |b: usize| match (unknown >> b & 1, value >> b & 1) {
        (1, _) => 'x',
        (_, 1) => '1',
        _ => '0',
    };
    format!("{width}'b{}", (0..width).rev().map(bit).collect::<String>())
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Case { unit, config, seed, command, .. } = &self.case;
        let names: Vec<&str> = self.ports.iter().map(|(name, _)| name.as_str()).collect();
        writeln!(f, "{unit}/{config}, seed {seed}: simulators disagree in cycle {} about {}", self.cycle, names.join(", "))?;
        for (name, values) in &self.ports {
            let values: Vec<String> = values.iter().map(|(backend, value)| format!("{backend} {value}")).collect();
            writeln!(f, "  {name}: {}", values.join(", "))?;
        }
        writeln!(f, "the cycles before it:")?;
        for (cycle, shown) in &self.history {
            writeln!(f, "  {cycle:>7}  {shown}")?;
        }
        writeln!(f, "shrunk to {} cycles, with these not idle (the difference is in the last cycle):", self.minimal_cycles)?;
        for (cycle, shown) in &self.minimal {
            writeln!(f, "  {cycle:>7}  {shown}")?;
        }
        write!(f, "repeat with: {command}")
    }
}
