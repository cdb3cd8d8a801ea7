// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A downstream unit that takes operations. Some time after each, it answers with the warp of the operation, in the order of the transfers.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::shape::Shape;
use super::Rng;
use std::collections::VecDeque;

pub struct Answer {
    /// Port `ready` of the operation channel.
    ready: usize,
    /// Ports `valid` and `warp` of the operation channel.
    op_ports: [usize; 2],
    answer: usize,
    warps: u64,
    /// In thousandths per cycle: the probability of the answer to the oldest operation.
    soon: u64,
    /// In thousandths per cycle: the probability of an answer for a random warp.
    astray: u64,
    due: VecDeque<u64>,
}

impl Answer {
    /// Creates the downstream unit. It takes operations on the channel `op` and drives its answers on the input `name`, which has one bit
    /// per warp.
    pub fn new(driver: &mut Driver, shape: Shape, name: &str) -> Result<Self, StimulusError> {
        let rng: &mut Rng = &mut driver.rng;
        let (soon, astray) = (rng.pick(&[50, 400, 1000]), rng.pick(&[0, 0, 0, 20, 200]));
        Ok(Answer {
            ready: driver.input("op_ready")?,
            op_ports: [driver.output("op_valid")?, driver.output("op_warp")?],
            answer: driver.input(name)?,
            warps: shape.warps,
            soon: soon.unwrap_or(1000),
            astray: astray.unwrap_or(0),
            due: VecDeque::new(),
        })
    }

    /// Drives the answers of the next cycle. `driver.inputs` must still hold the inputs of the previous cycle. `answered` decides whether a
    /// taken operation needs an answer.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], answered: impl Fn(&[u64]) -> bool) {
        let Driver { rng, inputs, .. } = driver;
        let [valid, warp] = self.op_ports;
        if phase != Phase::Run {
            self.due.clear();
        } else if previous[valid] == 1 && inputs[self.ready] == 1 && answered(previous) {
            self.due.push_back(previous[warp]);
        }
        let next = if rng.chance(self.soon) { self.due.pop_front() } else { None };
        let next = next.or_else(|| rng.chance(self.astray).then(|| rng.below(self.warps)));
        // Two downstream units may answer in the same cycle.
        let second = if next.is_some() && rng.chance(100) { self.due.pop_front() } else { None };
        inputs[self.answer] = [next, second].iter().flatten().fold(0, |warps, warp| warps | 1 << warp);
    }
}
