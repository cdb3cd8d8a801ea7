// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shared memory downstream of `mbarrier`: takes requests, and answers each one later, in order.

use super::driver::{Driver, Phase, Sink};
use super::error::StimulusError;
use super::mbarrier::abstract_state::garbage;
use std::collections::{BTreeMap, VecDeque};

pub struct SharedMemory {
    request: Sink,
    /// Output ports of the requests: `valid`, `write`, CTA slot, object, data.
    request_ports: [usize; 5],
    ready: usize,
    response: [usize; 2],
    /// Minimum and maximum number of cycles from a request to its answer.
    latency: [u64; 2],
    /// Probability, in thousandths, that a word is random before it is first written.
    garbage: u64,
    /// Answers that are due: the minimum number of cycles until each is given, and its data.
    answers: VecDeque<(u64, u64)>,
    words: BTreeMap<(u64, u64), u64>,
}

impl SharedMemory {
    pub fn new(driver: &mut Driver) -> Result<Self, StimulusError> {
        let [request, write, slot, object, data] =
            ["valid", "write", "cta", "object", "data"].map(|part| driver.output(&format!("mem_request_{part}")));
        Ok(SharedMemory {
            request: driver.sink("mem_request")?,
            request_ports: [request?, write?, slot?, object?, data?],
            ready: driver.input("mem_request_ready")?,
            response: [driver.input("mem_response_valid")?, driver.input("mem_response_data")?],
            latency: driver.rng.pick(&[[1, 1], [1, 3], [1, 20], [20, 50], [0, 0]]).unwrap_or([1, 1]),
            garbage: driver.rng.pick(&[0, 0, 200, 1000]).unwrap_or(0),
            answers: VecDeque::new(),
            words: BTreeMap::new(),
        })
    }

    /// Drives the inputs of the next cycle. `driver.inputs` must still hold the inputs of the previous cycle. The contents survive a reset.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        let [valid, write, slot, object, data] = self.request_ports;
        match phase {
            Phase::Run if previous[valid] == 1 && driver.inputs[self.ready] == 1 => {
                let at = (previous[slot], previous[object]);
                let rng = &mut driver.rng;
                let [least, most] = self.latency;
                let latency = rng.range(least, most);
                let first = if rng.chance(self.garbage) { garbage(rng) } else { 0 };
                let word = self.words.entry(at).or_insert(first);
                if previous[write] == 1 {
                    *word = previous[data];
                }
                let answer = if previous[write] == 1 { rng.draw() } else { *word };
                self.answers.push_back((latency, answer));
            }
            Phase::Run => (),
            Phase::Reset | Phase::Fresh => self.answers.clear(),
        }
        driver.drain(&mut self.request);
        let Driver { rng, swarm, inputs, .. } = driver;
        self.answers.iter_mut().for_each(|(left, _)| *left = left.saturating_sub(1));
        let due = self.answers.pop_front_if(|(left, _)| *left == 0).map(|(_, data)| data);
        inputs[self.response[0]] = u64::from(due.is_some());
        match due {
            Some(data) => inputs[self.response[1]] = data,
            None if swarm.noise => inputs[self.response[1]] = rng.draw(),
            None => (),
        }
    }
}
