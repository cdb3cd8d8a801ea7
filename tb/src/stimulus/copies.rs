// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Asynchronous copies of the CTAs: they are issued, and performed in any order, with any delay.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::Duty;

pub struct Copies {
    /// Ports of the strobe: `valid`, CTA slot.
    issue: [usize; 2],
    perform: [usize; 2],
    full: usize,
    issues: Duty,
    performs: Duty,
    /// Probability, in thousandths, that a copy is performed in the cycle in which it is issued.
    at_once: u64,
    slots: u64,
    /// CTA slots of the copies that are issued and not performed, one entry per copy.
    outstanding: Vec<u64>,
    /// Whether no copies are issued in this seed.
    silent: bool,
}

impl Copies {
    pub fn new(driver: &mut Driver, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Copies {
            issue: [driver.input("copy_issue_valid")?, driver.input("copy_issue_cta")?],
            perform: [driver.input("copy_perform_valid")?, driver.input("copy_perform_cta")?],
            full: driver.output("copies_full")?,
            issues: Duty::source(&mut driver.rng),
            performs: Duty::sink(&mut driver.rng),
            at_once: driver.rng.pick(&[0, 0, 200]).unwrap_or(0),
            slots: shape.slots,
            outstanding: vec![],
            silent: driver.rng.chance(500),
        })
    }

    /// Drives the strobes; `able` are the CTA slots whose CTAs may issue copies.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], able: u64) {
        let Driver { rng, swarm, inputs, .. } = driver;
        let full = if phase == Phase::Run { previous[self.full] } else { 0 };
        if phase != Phase::Run {
            self.outstanding.clear();
        }
        // A CTA that issued a copy in the previous cycle may have reached its limit, which the outputs do not show yet.
        let just_now = inputs[self.issue[0]] << inputs[self.issue[1]];
        let able = if rng.chance(swarm.broken) { (1 << self.slots) - 1 } else { able & !full & !just_now };
        let issued = if phase == Phase::Run && !self.silent && self.issues.allows_event(rng) {
            rng.bit(able).map(|slot| slot as u64)
        } else {
            None
        };
        let performed = if issued.is_some() && rng.chance(self.at_once) {
            issued
        } else {
            self.outstanding.extend(issued);
            // The number of copies without the copy that is issued in this cycle; that copy is the last in the list.
            let old = (self.outstanding.len() - usize::from(issued.is_some())) as u64;
            let due = old > 0 && self.performs.allows_event(rng);
            let astray = rng.chance(swarm.broken / 4).then(|| rng.below(self.slots));
            due.then(|| self.outstanding.remove(rng.below(old) as usize)).or(astray)
        };
        let idle = if swarm.noise { rng.below(self.slots) } else { 0 };
        (inputs[self.issue[0]], inputs[self.issue[1]]) = (u64::from(issued.is_some()), issued.unwrap_or(idle));
        (inputs[self.perform[0]], inputs[self.perform[1]]) = (u64::from(performed.is_some()), performed.unwrap_or(idle));
    }
}
