// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A memory beside a unit: warps issue accesses, which are performed in any order, at once, soon or late.

use super::line::{Line, Phase};
use super::swarm::Duty;
use super::{Rng, Shape, StimulusError};

pub struct Memory {
    shape: Shape,
    /// Warps that issue accesses.
    readers: u64,
    issues: Duty,
    /// When an outstanding access is performed.
    performs: Duty,
    /// Accesses are performed in the order of their issue.
    in_order: bool,
    /// Chance that an access is performed in the cycle in which it is issued.
    at_once: u64,
    /// valid and warp, valid and warp and epoch.
    issue: [usize; 2],
    perform: [usize; 3],
    epoch: usize,
    /// Accesses that were issued and not performed: warp and epoch.
    outstanding: Vec<(u64, u64)>,
    /// The access that is performed in this cycle, in which it is issued.
    instant: Option<(u64, u64)>,
}

impl Memory {
    /// Accesses of some of these warps.
    pub fn new(line: &mut Line, shape: Shape, warps: u64) -> Result<Self, StimulusError> {
        let some = line.rng.range(1, 2);
        let rng: &mut Rng = &mut line.rng;
        let readers = if rng.chance(300) { rng.subset(warps, some) } else { warps };
        let (issues, performs, in_order) = (Duty::source(rng), Duty::sink(rng), rng.chance(500));
        let at_once = rng.pick(&[0, 0, 200, 800]).unwrap_or(0);
        Ok(Memory {
            shape,
            readers,
            issues,
            performs,
            in_order,
            at_once,
            issue: [line.input("issue_valid")?, line.input("issue_warp")?],
            perform: [line.input("perform_valid")?, line.input("perform_warp")?, line.input("perform_epoch")?],
            epoch: line.output("epoch")?,
            outstanding: vec![],
            instant: None,
        })
    }

    /// No warp issues any access, in this seed.
    pub fn silence(&mut self) {
        self.readers = 0;
    }

    /// Drives the strobes: an access of a warp that is not held, and one that is done.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64], held: u64) {
        self.note(line, phase, previous);
        let Line { rng, swarm, inputs, .. } = line;
        let ignores = rng.chance(swarm.broken);
        // A warp that issued just now may be at its limit before it shows.
        let just_now = inputs[self.issue[0]] << inputs[self.issue[1]];
        let able = self.readers & if ignores { u64::MAX } else { !held & !just_now };
        let issuer = if self.issues.step(rng) { rng.bit(able) } else { None };
        // The epoch of this cycle is not known yet, so only where a wrong one names nothing.
        let alone = |warp: u64| self.outstanding.iter().all(|(other, _)| *other != warp);
        let epoch = |warp: u64| if phase == Phase::Run { previous[self.epoch] >> warp & 1 } else { 0 };
        let instant = issuer.map(|warp| warp as u64).filter(|warp| rng.chance(self.at_once) && alone(*warp));
        self.instant = instant.map(|warp| (warp, epoch(warp)));
        let done = if self.instant.is_some() {
            self.instant
        } else if rng.chance(swarm.broken / 4) {
            Some((rng.below(self.shape.warps), rng.below(2)))
        } else if self.performs.step(rng) && !self.outstanding.is_empty() {
            let at = if self.in_order { 0 } else { rng.below(self.outstanding.len() as u64) as usize };
            Some(self.outstanding.remove(at))
        } else {
            None
        };
        inputs[self.issue[0]] = issuer.is_some() as u64;
        inputs[self.perform[0]] = done.is_some() as u64;
        let noise = swarm.noise as u64;
        let idle = (rng.below(self.shape.warps) * noise, rng.below(2) * noise);
        inputs[self.issue[1]] = issuer.map_or(idle.0, |w| w as u64);
        (inputs[self.perform[1]], inputs[self.perform[2]]) = done.unwrap_or(idle);
    }

    /// Takes notice of an access that was issued in the cycle before.
    fn note(&mut self, line: &mut Line, phase: Phase, previous: &[u64]) {
        if phase != Phase::Run {
            // What was issued during a reset never happened.
            self.outstanding.clear();
            line.inputs[self.issue[0]] = 0;
        } else if line.inputs[self.issue[0]] == 1 {
            let warp = line.inputs[self.issue[1]];
            let access = (warp, previous[self.epoch] >> warp & 1);
            if self.instant != Some(access) {
                self.outstanding.push(access);
            }
        }
    }
}
