// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `grid_hub`: a host, and multiprocessors that execute the CTAs of its grids.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::grid_host::Host;
use super::shape::Shape;
use super::{Rng, Stimulus};
use bcu_hw::unit::grid::ports::GridMessageKind;

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    /// Maximum number of CTAs on a multiprocessor.
    most: usize,
    /// Probability that a CTA is launched.
    launch: u64,
    /// Probability that a CTA issues launch_dependents.
    issue: u64,
    /// Probability that a CTA ends.
    end: u64,
    /// Probability that a promise is broken.
    wild: u64,
}

impl Profile {
    fn draw(driver: &mut Driver) -> Self {
        let wild = driver.swarm.broken;
        let rng = &mut driver.rng;
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            most: pick(rng, &[1, 4, 32]) as usize,
            launch: pick(rng, &[50, 500, 1000]),
            issue: pick(rng, &[20, 300, 1000]),
            end: pick(rng, &[20, 300, 1000]),
            wild,
        }
    }
}

/// A CTA on a multiprocessor.
#[derive(Clone, Copy)]
struct Cta {
    grid: usize,
    issued: bool,
}

/// Indices of the ports.
struct Places {
    reset: usize,
    /// For each multiprocessor, the ports of its messages: `valid`, `kind`, `grid`.
    from: Vec<[usize; 3]>,
    may_launch: usize,
}

pub struct GridHub {
    driver: Driver,
    profile: Profile,
    shape: Shape,
    at: Places,
    host: Host,
    sms: Vec<Vec<Cta>>,
}

impl GridHub {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let from = |sm: u64| {
            let [valid, kind, grid] = ["valid", "kind", "grid"].map(|part| driver.input(&format!("from_{sm}_{part}")));
            Ok::<_, StimulusError>([valid?, kind?, grid?])
        };
        let at = Places {
            reset: driver.input("reset")?,
            from: (0..shape.sms).map(from).collect::<Result<_, _>>()?,
            may_launch: driver.output("may_launch")?,
        };
        Ok(GridHub {
            at,
            host: Host::new(&mut driver, shape)?,
            profile: Profile::draw(&mut driver),
            sms: vec![vec![]; shape.sms as usize],
            shape,
            driver,
        })
    }

    /// Drives the messages of the multiprocessors.
    fn execute(&mut self, may_launch: u64) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let profile = &self.profile;
        for (ctas, places) in self.sms.iter_mut().zip(&self.at.from) {
            let unlaunched = &mut self.host.unlaunched;
            let waiting =
                (0..unlaunched.len()).filter(|grid| unlaunched[*grid] > 0).fold(0, |mask: u64, grid| mask | 1 << grid);
            if let Some(grid) = rng.bit(waiting & may_launch).filter(|_| rng.chance(profile.launch)) {
                if ctas.len() < profile.most {
                    unlaunched[grid] -= 1;
                    ctas.push(Cta { grid, issued: false });
                }
            }
            let at = rng.below(ctas.len() as u64) as usize;
            let mut message = None;
            if let Some(cta) = ctas.get_mut(at) {
                if !cta.issued && rng.chance(profile.issue) {
                    cta.issued = true;
                    message = Some((GridMessageKind::LaunchedDependents, cta.grid as u64));
                } else if cta.issued && rng.chance(profile.end) {
                    message = Some((GridMessageKind::Ended, cta.grid as u64));
                    ctas.swap_remove(at);
                }
            }
            if rng.chance(profile.wild / 10) {
                message = rng.pick(GridMessageKind::ALL).map(|kind| (kind, rng.below(self.shape.grids)));
            }
            let [valid, kind, grid] = *places;
            inputs[valid] = u64::from(message.is_some());
            if message.is_some() || swarm.noise {
                let any = (GridMessageKind::LaunchedDependents, rng.below(self.shape.grids));
                let (message_kind, number) = message.unwrap_or(any);
                (inputs[kind], inputs[grid]) = (message_kind as u64, number);
            }
        }
    }
}

impl Stimulus for GridHub {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.at.reset);
        if phase == Phase::Reset {
            self.sms.iter_mut().for_each(Vec::clear);
            let Driver { rng, inputs, .. } = &mut self.driver;
            self.at.from.iter().for_each(|[valid, ..]| inputs[*valid] = rng.below(2));
        }
        self.host.drive(&mut self.driver, phase, previous);
        if phase != Phase::Reset {
            let may_launch = if phase == Phase::Run { previous[self.at.may_launch] } else { 0 };
            self.execute(may_launch);
        }
        &self.driver.inputs
    }
}
