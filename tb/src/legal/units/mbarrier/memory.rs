// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shared memory of a legal user of `mbarrier`: it answers each request in a later cycle, in order.

use super::super::pins::{Drain, Offer, Pace, Pins};
use crate::stimulus::Rng;
use bcu_isa::ports::Port;
use bcu_model::dut::NoPort;
use std::collections::{BTreeMap, VecDeque};

pub struct Memory {
    request: Drain<4>,
    response: Offer,
    ready: Pace,
    latency: u64,
    words: BTreeMap<(u64, u64), u64>,
    /// Answers that are due, each with the first cycle in which it may be given.
    answers: VecDeque<(u64, u64)>,
}

impl Memory {
    pub fn new(ports: &[Port], rng: &mut Rng) -> Result<Memory, NoPort> {
        Ok(Memory {
            request: Drain::new(ports, "mem_request", ["write", "cta", "object", "data"])?,
            response: Offer::strobe(ports, "mem_response", &["data"])?,
            ready: Pace::draw(rng),
            latency: rng.pick(&[0, 1, 5, 40]).unwrap_or(0),
            words: BTreeMap::new(),
            answers: [].into(),
        })
    }

    pub fn latency(&self) -> u64 {
        self.latency
    }

    pub fn word(&self, cta: u64, object: u64) -> u64 {
        self.words.get(&(cta, object)).copied().unwrap_or(0)
    }

    pub fn put(&mut self, cta: u64, object: u64, word: u64) {
        self.words.insert((cta, object), word);
    }

    /// Simulates one cycle. Returns the request that is transferred, if any: write, CTA, object.
    pub fn drive(&mut self, pins: &mut Pins, rng: &mut Rng, outputs: &[u64], cycle: u64) -> Option<[u64; 3]> {
        self.response.take(outputs);
        self.response.begin(pins);
        if let Some((_, word)) = self.answers.pop_front_if(|(due, _)| *due <= cycle) {
            self.response.put(pins, &[word]);
        }
        let ready = self.ready.allows_event(rng);
        let [write, cta, object, data] = self.request.drive(pins, outputs, ready)?;
        // A write may be performed at any time up to its answer; here it is performed at its transfer. The
        // data of its answer is don't care.
        let word = if write == 1 { rng.draw() } else { self.word(cta, object) };
        if write == 1 {
            self.put(cta, object, data);
        }
        self.answers.push_back((cycle + 1 + rng.below(self.latency + 1), word));
        Some([write, cta, object])
    }
}
