// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A memory model: warps issue accesses, which are performed in any order, with any delay.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::Duty;
use super::Rng;

pub struct Memory {
    shape: Shape,
    /// Warps that issue accesses in this seed; one bit per warp.
    readers: u64,
    issues: Duty,
    /// The cycles in which an outstanding access is performed.
    performs: Duty,
    /// Whether accesses are performed in the order of their issue in this seed.
    in_order: bool,
    /// Probability, in thousandths, that an access is performed in the cycle in which it is issued.
    at_once: u64,
    strobes: Vec<Strobes>,
    epoch: usize,
    /// Accesses that were issued and are not performed: warp and epoch.
    outstanding: Vec<(u64, u64)>,
    /// The accesses that are issued and also performed in this cycle.
    instant: Vec<(u64, u64)>,
    /// Cycles since the last reset. The unit ignores accesses for some cycles after a reset.
    age: u64,
}

/// Indices of the ports of one pair of numbered strobes, `issue` and `perform`.
struct Strobes {
    /// Ports of the strobe `issue`: `valid`, `warp`.
    issue: [usize; 2],
    /// Ports of the strobe `perform`: `valid`, `warp`, `epoch`.
    perform: [usize; 3],
}

impl Strobes {
    fn new(driver: &Driver, number: u64) -> Result<Self, StimulusError> {
        let place = |name: &str| driver.input(&name.replace('#', &number.to_string()));
        Ok(Strobes {
            issue: [place("issue_#_valid")?, place("issue_#_warp")?],
            perform: [place("perform_#_valid")?, place("perform_#_warp")?, place("perform_#_epoch")?],
        })
    }
}

impl Memory {
    /// Creates a memory for accesses of some of `warps`.
    pub fn new(driver: &mut Driver, shape: Shape, warps: u64) -> Result<Self, StimulusError> {
        let reader_count = driver.rng.range(1, 2);
        let rng: &mut Rng = &mut driver.rng;
        let readers = if rng.chance(300) { rng.subset(warps, reader_count) } else { warps };
        let (issues, performs, in_order) = (Duty::source(rng), Duty::sink(rng), rng.chance(500));
        let at_once = rng.pick(&[0, 0, 200, 800]).unwrap_or(0);
        Ok(Memory {
            shape,
            readers,
            issues,
            performs,
            in_order,
            at_once,
            strobes: (0..shape.accesses_per_cycle).map(|number| Strobes::new(driver, number)).collect::<Result<_, _>>()?,
            epoch: driver.output("epoch")?,
            outstanding: vec![],
            instant: vec![],
            age: 0,
        })
    }

    /// Ends the accesses: from now on no warp issues one.
    pub fn silence(&mut self) {
        self.readers = 0;
    }

    /// Drives the strobes: accesses of warps that are not held, and performed accesses. The epochs of `turning` warps may change from one
    /// cycle to the next.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], held_warps: u64, turning: u64) {
        self.note(driver, phase, previous);
        self.age = if phase == Phase::Reset { 0 } else { self.age + 1 };
        let ignores = driver.rng.chance(driver.swarm.broken);
        // A warp that issued an access in the previous cycle may have reached its limit, which the outputs do not show yet.
        let just_now = self
            .strobes
            .iter()
            .fold(0, |mask, strobes| mask | driver.inputs[strobes.issue[0]] << driver.inputs[strobes.issue[1]]);
        let able = self.readers & if ignores { u64::MAX } else { !held_warps & !just_now };
        self.instant.clear();
        let epochs = if phase == Phase::Run { previous[self.epoch] } else { 0 };
        // The epochs of `turning` warps in this cycle are not known yet.
        let known = if ignores { 0 } else { !turning };
        let mut late = None;
        for number in 0..self.strobes.len() {
            late = self.pair(driver, number, [able, known, epochs], late);
        }
    }

    /// Drives the pair of strobes `issue` and `perform` with this `number`. `late` is an access that an `issue` strobe with a lower number
    /// issues in this cycle and this `perform` strobe performs. Returns the access that the next pair is to perform, if any.
    fn pair(&mut self, driver: &mut Driver, number: usize, warps: [u64; 3], late: Option<(u64, u64)>) -> Option<(u64, u64)> {
        let [able, known, epochs] = warps;
        let Driver { rng, swarm, inputs, .. } = driver;
        let issuer = if self.issues.allows_event(rng) { rng.bit(able) } else { None };
        let instant = issuer.map(|warp| warp as u64).filter(|warp| rng.chance(self.at_once) && known >> warp & 1 == 1);
        let instant = instant.map(|warp| (warp, epochs >> warp & 1));
        let waits = number + 1 < self.strobes.len() && (late.is_some() || rng.chance(200));
        // At most one access at a time is passed on to the strobe with the next number.
        let instant = instant.filter(|_| waits || late.is_none());
        self.instant.extend(instant);
        let performed = late.or(instant.filter(|_| !waits));
        let done = if performed.is_some() {
            performed
        } else if self.age <= self.shape.warps.max(2) && rng.chance(swarm.broken / 4) {
            // While the unit ignores accesses, an access that was never issued may be reported as performed.
            Some((rng.below(self.shape.warps), rng.below(2)))
        } else if self.performs.allows_event(rng) && !self.outstanding.is_empty() {
            let at = if self.in_order { 0 } else { rng.below(self.outstanding.len() as u64) as usize };
            Some(self.outstanding.remove(at))
        } else {
            None
        };
        let Strobes { issue, perform } = &self.strobes[number];
        inputs[issue[0]] = issuer.is_some() as u64;
        inputs[perform[0]] = done.is_some() as u64;
        let noise = swarm.noise as u64;
        let idle = (rng.below(self.shape.warps) * noise, rng.below(2) * noise);
        inputs[issue[1]] = issuer.map_or(idle.0, |w| w as u64);
        (inputs[perform[1]], inputs[perform[2]]) = done.unwrap_or(idle);
        instant.filter(|_| waits)
    }

    /// Notes the accesses that were issued in the previous cycle, if the unit did not ignore them.
    fn note(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        for Strobes { issue, .. } in &self.strobes {
            if phase != Phase::Run {
                // The unit ignores accesses that are issued during a reset.
                self.outstanding.clear();
                driver.inputs[issue[0]] = 0;
            } else if self.age > self.shape.warps.max(2) && driver.inputs[issue[0]] == 1 {
                let warp = driver.inputs[issue[1]];
                let access = (warp, previous[self.epoch] >> warp & 1);
                match self.instant.iter().position(|instant| *instant == access) {
                    Some(at) => drop(self.instant.remove(at)),
                    None => self.outstanding.push(access),
                }
            }
        }
    }
}
