// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The environment of grids: a hub that opens grids and sends Ready.

use crate::stimulus::driver::{Driver, Phase};
use crate::stimulus::error::StimulusError;
use crate::stimulus::shape::Shape;
use bcu_hw::unit::grid::ports::GridHubKind;

/// The messages that the hub has sent about a grid.
#[derive(Clone, Copy, Default)]
struct Known {
    opened: bool,
    /// The unit has reported the grid as opened, so CTAs of it may be launched.
    shown: bool,
    ready: bool,
}

pub struct Grids {
    /// Mask of the grid slots in use.
    grids: u64,
    /// The probability, in thousandths per cycle, that the hub sends a message.
    talks: u64,
    /// The probability, in thousandths per cycle, that the hub breaks a promise.
    wild: u64,
    /// Probability, in thousandths, that the hub sends Ready in a cycle in which Ready is permitted.
    readies: u64,
    /// Input ports of the hub's messages: `valid`, `kind`, `grid`.
    message: [usize; 3],
    /// Output ports of the strobe that reports an opened grid: `valid`, `grid`.
    opened: [usize; 2],
    known: Vec<Known>,
}

impl Grids {
    /// Creates the environment. `opened` is the name of the strobe by which the unit reports an opened grid.
    pub fn new(driver: &mut Driver, shape: Shape, opened: &str) -> Result<Self, StimulusError> {
        let message = [driver.input("grid_in_valid")?, driver.input("grid_in_kind")?, driver.input("grid_in_grid")?];
        let opened = [driver.output(&format!("{opened}_valid"))?, driver.output(&format!("{opened}_grid"))?];
        let wild = driver.swarm.broken;
        let rng = &mut driver.rng;
        let few = rng.range(1, 3);
        let all_grids = u64::MAX >> (64 - shape.grids.clamp(1, 64));
        Ok(Grids {
            grids: if rng.chance(500) { rng.subset(all_grids, few) } else { all_grids },
            talks: rng.pick(&[5, 50, 300, 1000]).unwrap_or(1000),
            wild,
            readies: rng.pick(&[20, 200, 1000]).unwrap_or(1000),
            message,
            opened,
            known: vec![Known::default(); shape.grids as usize],
        })
    }

    /// The grids whose CTAs may be launched, one bit per grid.
    pub fn shown(&self) -> u64 {
        self.known.iter().enumerate().filter(|(_, known)| known.shown).fold(0, |mask, (grid, _)| mask | 1 << grid)
    }

    /// Drives the hub's next message. `present` returns whether a CTA of the grid is resident.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], present: impl Fn(u64) -> bool) {
        if phase != Phase::Run {
            self.known.iter_mut().for_each(|known| *known = Known::default());
        } else if previous[self.opened[0]] == 1 {
            self.known[previous[self.opened[1]] as usize].shown = true;
        }
        let Driver { rng, swarm, inputs, .. } = driver;
        let grid = rng.bit(self.grids).unwrap_or(0);
        let is_there = present(grid as u64);
        let known = &mut self.known[grid];
        let kind = match *known {
            _ if phase != Phase::Run || !rng.chance(self.talks) => None,
            Known { opened: false, .. } => Some(GridHubKind::Opened),
            Known { ready: false, .. } if rng.chance(self.readies) => Some(GridHubKind::Ready),
            Known { ready: false, .. } => None,
            _ => {
                known.opened &= is_there;
                known.shown &= is_there;
                None
            }
        };
        let wild = rng.chance(self.wild).then(|| rng.pick(GridHubKind::ALL)).flatten();
        let kind = wild.or(kind);
        match kind {
            Some(GridHubKind::Opened) => (known.opened, known.ready) = (true, false),
            Some(GridHubKind::Ready) => known.ready = true,
            None => (),
        }
        let [valid, of_kind, of_grid] = self.message;
        inputs[valid] = u64::from(kind.is_some());
        if kind.is_some() || swarm.noise {
            let kind = kind.or(rng.pick(GridHubKind::ALL));
            (inputs[of_kind], inputs[of_grid]) = (kind.map_or(0, |kind| kind as u64), grid as u64);
        }
    }
}
