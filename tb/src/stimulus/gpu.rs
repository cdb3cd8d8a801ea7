// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `gpu`: several multiprocessors, each with the stimulus of `bcu`, a launcher that places clusters and CTAs of grids on them, and a host.

use super::grid_host::Host;
use super::launcher::Launcher;
use super::line::{Line, Phase};
use super::multiprocessor::{Habits, Multiprocessor};
use super::{Shape, Stimulus, StimulusError};

pub struct Gpu {
    line: Line,
    reset: usize,
    may_launch: usize,
    sms: Vec<Multiprocessor>,
    launcher: Launcher,
    host: Host,
}

impl Gpu {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        let launcher = Launcher::new(&mut line.rng, shape);
        let habits = Habits::draw(&mut line.rng);
        let sm = |number| Multiprocessor::new(&mut line, shape, number, launcher.most_warps(), habits);
        let mut sms = (0..shape.sms as usize).map(sm).collect::<Result<Vec<_>, _>>()?;
        let numbers = sms.first().map_or(vec![], Multiprocessor::numbers);
        sms.iter_mut().for_each(|sm| sm.meet(&numbers, habits));
        line.swarm.resets = line.swarm.resets.min(50);
        Ok(Gpu {
            sms,
            launcher,
            reset: line.input("reset")?,
            may_launch: line.output("may_launch")?,
            host: Host::new(&mut line, shape)?,
            line,
        })
    }
}

impl Stimulus for Gpu {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let Gpu { line, launcher, host, .. } = self;
        let phase = line.begin(self.reset);
        let mut may_launch = 0;
        match phase {
            Phase::Run => {
                host.has_opened(previous).into_iter().for_each(|grid| launcher.opens(grid));
                self.sms.iter_mut().for_each(|sm| sm.look(line, previous, launcher, &mut host.left));
                may_launch = previous[self.may_launch];
            }
            _ => launcher.clear(),
        }
        host.drive(line, phase, previous);
        for sm in &mut self.sms {
            sm.drive(line, phase, previous, launcher, &mut host.left, may_launch);
        }
        &line.inputs
    }
}
