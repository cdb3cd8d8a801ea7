// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that were in each warp slot, and the cycle of the first launch. The files for GTKWave and Surfer name rows after the warps,
//! and start their time window at the launch.

use bcu_isa::ports::{Dir, Port};
use bcu_machine::{Cycle, WarpIdentity};

/// The occupancy up to the current cycle.
pub struct Occupancy {
    /// For each multiprocessor, the positions of the launch channel's `valid` among the inputs and of its `ready` among the outputs.
    launches: Vec<(usize, usize)>,
    cycles: u64,
    /// The first cycle in which a launch was accepted.
    launched: Option<u64>,
    /// For each warp slot, the warps that occupied it, in order.
    owners: Vec<Vec<WarpIdentity>>,
}

impl Occupancy {
    pub fn new(ports: &[Port], warps: usize) -> Occupancy {
        let ports_of = |dir: Dir, suffix: &'static str| {
            ports.iter().filter(move |p| p.dir == dir).map(move |p| p.name.strip_suffix(suffix))
        };
        let valid = ports_of(Dir::In, "launch_valid").enumerate().filter_map(|(at, of)| Some((at, of?)));
        let ready = |of_valid: &str| ports_of(Dir::Out, "launch_ready").position(|of_ready| of_ready == Some(of_valid));
        let launches = valid.filter_map(|(at, which)| Some((at, ready(which)?))).collect();
        Occupancy { launches, cycles: 0, launched: None, owners: vec![vec![]; warps] }
    }

    pub fn cycle(&mut self, cycle: &Cycle) {
        let is_high = |values: &[u64], at: usize| values.get(at).is_some_and(|value| *value == 1);
        // In cycle 0, the reset cycle, the outputs are invalid.
        let is_launched =
            self.cycles > 0 && self.launches.iter().any(|(v, r)| is_high(cycle.inputs, *v) && is_high(cycle.outputs, *r));
        if is_launched {
            self.launched.get_or_insert(self.cycles);
        }
        self.cycles += 1;
        for (slot, owners) in self.owners.iter_mut().enumerate() {
            owners.extend(cycle.identify_warp(slot).filter(|identity| owners.last() != Some(identity)));
        }
    }

    /// The display name of a warp slot: its first warp, and the number of later warps.
    pub fn alias(&self, slot: usize) -> Option<String> {
        let (first, later) = self.owners.get(slot)?.split_first()?;
        Some(if later.is_empty() { first.to_string() } else { format!("{first} +{}", later.len()) })
    }

    /// The text of a warp slot's row in the waveform; `does` is the activity of the warp in the
    /// slot. The row has the name of the slot's first warp, so the text of a later warp begins with
    /// its own name.
    pub fn text(&self, slot: usize, does: String) -> String {
        match self.owners.get(slot).and_then(|owners| owners.get(1..)?.last()) {
            Some(identity) if !does.is_empty() => format!("{}: {does}", WarpIdentity { role: None, ..identity.clone() }),
            _ => does,
        }
    }

    /// The time window in cycles: the cycle of the first launch, and the number of cycles of the
    /// run.
    pub fn window(&self) -> (u64, u64) {
        (self.launched.unwrap_or(0), self.cycles)
    }
}
