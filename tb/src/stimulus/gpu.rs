// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `gpu`: several multiprocessors, each with the stimulus of `bcu`; a launcher that distributes the CTAs of clusters and grids
//! over them; and a host.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::grid_host::Host;
use super::launcher::Launcher;
use super::multiprocessor::{Multiprocessor, Profile};
use super::shape::Shape;
use super::Stimulus;

pub struct Gpu {
    driver: Driver,
    reset: usize,
    may_launch: usize,
    sms: Vec<Multiprocessor>,
    launcher: Launcher,
    host: Host,
}

impl Gpu {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let launcher = Launcher::new(&mut driver.rng, shape);
        let profile = Profile::draw(&mut driver.rng);
        let sm = |number| Multiprocessor::new(&mut driver, shape, number, launcher.most_warps(), profile);
        let mut sms = (0..shape.sms as usize).map(sm).collect::<Result<Vec<_>, _>>()?;
        let numbers = sms.first().map_or(vec![], Multiprocessor::numbers);
        sms.iter_mut().for_each(|sm| sm.meet(&numbers, profile));
        driver.swarm.resets = driver.swarm.resets.min(50);
        Ok(Gpu {
            sms,
            launcher,
            reset: driver.input("reset")?,
            may_launch: driver.output("may_launch")?,
            host: Host::new(&mut driver, shape)?,
            driver,
        })
    }
}

impl Stimulus for Gpu {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let Gpu { driver, launcher, host, .. } = self;
        let phase = driver.begin(self.reset);
        let mut may_launch = 0;
        match phase {
            Phase::Run => {
                host.has_opened(previous).into_iter().for_each(|grid| launcher.opens(grid));
                self.sms.iter_mut().for_each(|sm| sm.look(driver, previous, launcher, &mut host.unlaunched));
                may_launch = previous[self.may_launch];
            }
            _ => launcher.clear(),
        }
        host.drive(driver, phase, previous);
        for sm in &mut self.sms {
            sm.drive(driver, phase, previous, launcher, &mut host.unlaunched, may_launch);
        }
        &driver.inputs
    }
}
