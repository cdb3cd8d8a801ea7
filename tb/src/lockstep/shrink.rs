// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shrinks a failing stimulus to fewer cycles, fewer operations and simpler values that still fail.
//!
//! Every candidate is made legal before it is tried: while the model has not taken an offer on a channel, the offer is held. So a shrunk
//! stimulus keeps the channel rules, as the recorded one does.

use super::backends::{Backend, BackendError};
use super::channels::{channels, pins, Channel};
use super::recording::{first_difference, Recording};
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::Dut;

struct Shrinker<'a> {
    model: &'a dyn Fn() -> Box<dyn Dut>,
    backend: &'a mut dyn Backend,
    ports: Vec<Port>,
    channels: Vec<Channel>,
    reset: Option<usize>,
    width: usize,
    /// Number of candidates that may still be tried.
    tries: usize,
}

/// Shrinks a recording that fails on `backend` in `cycle`. The result ends with the cycle in which the simulators differ.
pub fn shrink(
    recording: &Recording,
    model: &dyn Fn() -> Box<dyn Dut>,
    backend: &mut dyn Backend,
    cycle: usize,
) -> Result<Recording, BackendError> {
    let ports = recording.ports.clone();
    let channels = channels(&ports).into_iter().filter(|c| c.valid.port.dir == Dir::In && c.ready.is_some()).collect();
    let reset = pins(&ports).iter().find(|p| p.port.name == "reset").map(|p| p.index);
    let width = recording.width(Dir::In);
    let tries = backend.tries();
    let mut shrinker = Shrinker { model, backend, ports, channels, reset, width, tries };
    let start = recording.inputs[..(cycle + 1) * width].to_vec();
    let mut best = match shrinker.attempt(&start)? {
        Some(best) => best,
        None => return Ok(shrinker.legal(&start)),
    };
    loop {
        let before = size(&best);
        best = shrinker.drop_cycles(best)?;
        best = shrinker.idle_channels(best)?;
        best = shrinker.plain_values(best)?;
        if size(&best) >= before || shrinker.tries == 0 {
            return Ok(best);
        }
    }
}

/// The measure to minimise: first the number of cycles, then the number of non-zero values.
fn size(recording: &Recording) -> (usize, usize) {
    (recording.cycles(), recording.inputs.iter().filter(|v| **v != 0).count())
}

impl Shrinker<'_> {
    /// A candidate that is made legal, with the model's outputs for it.
    fn legal(&self, inputs: &[u64]) -> Recording {
        let mut model = (self.model)();
        let mut done = Recording::new(&self.ports);
        let mut outputs = vec![0; done.width(Dir::Out)];
        let mut last: Vec<u64> = vec![];
        for row in inputs.chunks_exact(self.width) {
            let mut row = row.to_vec();
            let may_change = last.is_empty() || self.reset.is_some_and(|r| last[r] == 1 || row[r] == 1);
            for channel in self.channels.iter().filter(|c| !may_change && c.valid.read(&last, &outputs) == 1) {
                if channel.ready.as_ref().is_some_and(|r| r.read(&last, &outputs) == 0) {
                    for pin in channel.payload.iter().chain([&channel.valid]) {
                        row[pin.index] = last[pin.index];
                    }
                }
            }
            model.cycle(&row, &mut outputs);
            done.inputs.extend_from_slice(&row);
            done.outputs.extend_from_slice(&outputs);
            last = row;
        }
        done
    }

    /// Makes a candidate legal and replays it. If the outputs differ, returns the candidate, cut after the first difference; otherwise
    /// `None`.
    fn attempt(&mut self, inputs: &[u64]) -> Result<Option<Recording>, BackendError> {
        if self.tries == 0 || inputs.is_empty() {
            return Ok(None);
        }
        self.tries -= 1;
        let mut legal = self.legal(inputs);
        let replay = self.backend.replay(&legal.inputs)?;
        let Some(difference) = first_difference(&legal, &replay) else {
            return Ok(None);
        };
        let outs = legal.width(Dir::Out);
        legal.inputs.truncate((difference.cycle + 1) * self.width);
        legal.outputs.truncate((difference.cycle + 1) * outs);
        Ok(Some(legal))
    }

    /// Keeps `candidate` if it fails and is smaller than `best`.
    fn better(&mut self, best: &mut Recording, candidate: &[u64]) -> Result<bool, BackendError> {
        match self.attempt(candidate)? {
            Some(found) if size(&found) < size(best) => {
                *best = found;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Removes runs of consecutive cycles, the longest runs first. The reset in cycle 0 remains.
    fn drop_cycles(&mut self, mut best: Recording) -> Result<Recording, BackendError> {
        let mut chunk = best.cycles() / 2;
        while chunk > 0 {
            let mut at = 1;
            while at < best.cycles() {
                let end = (at + chunk).min(best.cycles());
                let candidate = [&best.inputs[..at * self.width], &best.inputs[end * self.width..]].concat();
                if !self.better(&mut best, &candidate)? {
                    at += chunk;
                }
            }
            chunk /= 2;
        }
        Ok(best)
    }

    /// Removes offers: one channel in one cycle at a time.
    fn idle_channels(&mut self, mut best: Recording) -> Result<Recording, BackendError> {
        for channel in self.channels.clone() {
            let mut at = 0;
            while at < best.cycles() {
                if best.input(at)[channel.valid.index] == 1 {
                    let mut candidate = best.inputs.clone();
                    for pin in channel.payload.iter().chain([&channel.valid]) {
                        candidate[at * self.width + pin.index] = 0;
                    }
                    self.better(&mut best, &candidate)?;
                }
                at += 1;
            }
        }
        Ok(best)
    }

    /// Sets values to 0: for each input, first in all cycles at once, then in one cycle at a time. Cycle 0 keeps its reset.
    fn plain_values(&mut self, mut best: Recording) -> Result<Recording, BackendError> {
        for input in 0..self.width {
            let mut candidate = best.inputs.clone();
            candidate.iter_mut().skip(self.width + input).step_by(self.width).for_each(|v| *v = 0);
            if candidate != best.inputs && self.better(&mut best, &candidate)? {
                continue;
            }
            let mut at = 1;
            while at < best.cycles() {
                if best.input(at)[input] != 0 {
                    let mut candidate = best.inputs.clone();
                    candidate[at * self.width + input] = 0;
                    self.better(&mut best, &candidate)?;
                }
                at += 1;
            }
        }
        Ok(best)
    }
}
