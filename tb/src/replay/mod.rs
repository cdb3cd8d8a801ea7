// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares a user's simulation of an exported unit with the model. The model runs with the inputs of a waveform, and its outputs must
//! equal the outputs in the waveform. Violations by the unit's user, and the warps that wait at the end, are reported as well.

mod finding;
mod scope;
mod text;
mod waiting;
mod waveform;
mod window;

pub use finding::Finding;
pub use scope::WaveformError;
pub use waiting::{Last, WaitingBarrier};
pub use waveform::{Value, Waveform};

use crate::lockstep::channels::{channels, Event};
use bcu_model::Sizes;
use finding::Search;
use waiting::{LastOps, Reference};
use window::{Window, HISTORY};

/// Number of cycles compared in one step.
const WINDOW: usize = 10_000;

/// The result of replaying a waveform.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The number of replayed cycles; replay ends at a finding.
    pub cycles: usize,
    /// The number of transfers on each channel and strobe.
    pub passed: Vec<(String, u64)>,
    /// The first fault that the unit reports: cycle, and the fault as text.
    pub fault: Option<(usize, String)>,
    /// The first difference, or the first violated rule.
    pub finding: Option<Finding>,
    /// The barriers at which warps wait at the end.
    pub waiting_barriers: Vec<WaitingBarrier>,
}

/// Replays a waveform on the model of a unit; `None` if a configuration of these sizes has no such unit.
pub fn replay(waveform: &Waveform, unit: &str, sizes: Sizes) -> Option<Replayed> {
    let mut model = Reference::new(unit, sizes)?;
    let ports = model.dut().ports().to_vec();
    let search = Search::new(&ports);
    let channels = channels(&ports);
    let mut done = Replayed {
        cycles: 0,
        passed: channels.iter().map(|channel| (channel.name.clone(), 0)).collect(),
        fault: None,
        finding: None,
        waiting_barriers: vec![],
    };
    let mut window = Window::new(&ports);
    let mut rows = waveform.rows();
    let mut last_ops = LastOps::default();
    loop {
        let before = window.recording.cycles();
        for row in rows.by_ref().take(WINDOW) {
            window.add(&row, &mut model);
            last_ops.see(window.first + window.recording.cycles() - 1, &model);
        }
        let cycles = window.recording.cycles();
        done.finding = search.first(&window);
        let end = done.finding.as_ref().map_or(cycles, |finding| finding.cycle + 1 - window.first);
        for cycle in before..end {
            let (inputs, outputs) = (window.recording.input(cycle), window.recording.output(cycle));
            for (channel, (name, passed)) in channels.iter().zip(&mut done.passed) {
                if channel.event(inputs, outputs) == Event::Passes {
                    *passed += 1;
                    if name == "fault" && done.fault.is_none() {
                        done.fault = channel.show(inputs, outputs).map(|text| (window.first + cycle, text));
                    }
                }
            }
        }
        done.cycles = window.first + end;
        if done.finding.is_some() || cycles == before {
            break;
        }
        window.keep(HISTORY);
    }
    if done.finding.is_none() {
        done.waiting_barriers = last_ops.waiting_barriers(&model, &sizes);
    }
    Some(done)
}
