// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Access to a recording's ports by name.

use super::points::CoverageError;
use crate::lockstep::Recording;
use bcu_isa::config::Config;
use bcu_isa::ports::Dir;
use bcu_model::sizes::MOST_ACCESSES;
use bcu_model::{inputs, Clocked, Sizes};

/// A port of a recording: its direction, and its index among the ports of this direction.
#[derive(Clone, Copy)]
pub struct Place {
    dir: Dir,
    index: usize,
}

pub struct View<'a> {
    recording: &'a Recording,
}

impl<'a> View<'a> {
    pub fn new(recording: &'a Recording) -> Self {
        View { recording }
    }

    /// The location of a port in the recording.
    pub fn place(&self, name: &'static str) -> Result<Place, CoverageError> {
        let ports = &self.recording.ports;
        let port = ports.iter().find(|p| p.name == name).ok_or(CoverageError::MissingPort(name))?;
        let index = ports.iter().filter(|p| p.dir == port.dir).position(|p| p.name == name);
        Ok(Place { dir: port.dir, index: index.ok_or(CoverageError::MissingPort(name))? })
    }

    /// The locations of the ports of these names.
    pub fn places<const N: usize>(&self, names: [&'static str; N]) -> Result<[Place; N], CoverageError> {
        let mut places = [Place { dir: Dir::In, index: 0 }; N];
        for (place, name) in places.iter_mut().zip(names) {
            *place = self.place(name)?;
        }
        Ok(places)
    }

    /// The locations of the ports `warp_cta_…`: each has one bit of every warp's CTA slot, lowest bit first.
    pub fn slot_bits(&self) -> Result<Vec<Place>, CoverageError> {
        let names = ["warp_cta_0", "warp_cta_1", "warp_cta_2", "warp_cta_3", "warp_cta_4", "warp_cta_5"];
        let is_there = |name: &&'static str| self.recording.ports.iter().any(|port| port.name == **name);
        names.into_iter().take_while(is_there).map(|name| self.place(name)).collect()
    }

    /// The locations of the strobes of memory accesses: valid and warp of each `issue`; valid, warp and epoch of each `perform`.
    pub fn accesses(&self, config: &Config) -> Result<Vec<([Place; 2], [Place; 3])>, CoverageError> {
        let strobes = ACCESSES.iter().take(config.accesses_per_cycle);
        strobes.map(|(issue, perform)| Ok((self.places(*issue)?, self.places(*perform)?))).collect()
    }

    /// The value of a port in a cycle.
    pub fn get(&self, place: Place, cycle: usize) -> u64 {
        match place.dir {
            Dir::In => self.recording.input(cycle)[place.index],
            Dir::Out => self.recording.output(cycle)[place.index],
        }
    }

    /// The typed inputs of a unit in a cycle.
    pub fn inputs<U: Clocked>(&self, sizes: &Sizes, cycle: usize) -> U::Inputs {
        inputs::<U>(sizes, self.recording.input(cycle))
    }

    /// Whether both ports are 1. For `valid` and `ready` of a channel: whether the channel has a transfer.
    pub fn both(&self, [one, other]: [Place; 2], cycle: usize) -> bool {
        self.get(one, cycle) == 1 && self.get(other, cycle) == 1
    }

    /// Cycles without `reset`, from the second cycle on, because the first cycle of a run is a reset.
    pub fn cycles(&self, reset: Place) -> impl Iterator<Item = usize> + use<'_, 'a> {
        (1..self.recording.cycles()).filter(move |cycle| self.get(reset, *cycle) == 0)
    }

    pub fn length(&self) -> usize {
        self.recording.cycles()
    }
}

/// The port names of the access strobes, by number.
const ACCESSES: [([&str; 2], [&str; 3]); MOST_ACCESSES] = [
    (["issue_0_valid", "issue_0_warp"], ["perform_0_valid", "perform_0_warp", "perform_0_epoch"]),
    (["issue_1_valid", "issue_1_warp"], ["perform_1_valid", "perform_1_warp", "perform_1_epoch"]),
    (["issue_2_valid", "issue_2_warp"], ["perform_2_valid", "perform_2_warp", "perform_2_epoch"]),
    (["issue_3_valid", "issue_3_warp"], ["perform_3_valid", "perform_3_warp", "perform_3_epoch"]),
];
