// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many cycles may pass without an event before a run is over or hangs: the longest that the unit may take, by its pages, from one
//! event that the machine sees to the next, for the sizes of the configuration.
//!
//! Memory, copies, operations on mbarriers and launches are no part of it: while one is under way the run is not silent (`Gpu::running`).

#[cfg(test)]
mod tests;

use super::gpu::Gpu;
use super::sm::Sm;
use bcu_isa::config::{warp_bits, Config};
use bcu_model::latency;

/// Cycles of a finished run that count after its last event, whatever `drain` is, so that the lengths of runs compare.
pub(super) const COUNTED: u64 = 8;

/// Limits for runs on one configuration, in cycles.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    /// After the last CTA's end the unit must stay silent for so long.
    pub drain: u64,
    /// A silent run hangs after `idle`; while CTAs leave a multiprocessor, after `drops` and `walk` for each of them, if that is more.
    idle: u64,
    drops: u64,
    walk: u64,
}

impl Patience {
    /// `several`: the unit is `gpu`; `hang_after`: the limit is that at least.
    pub fn new(config: &Config, several: bool, hang_after: u32) -> Patience {
        Patience::of(latency::ALL, config, several, hang_after)
    }

    /// With these latencies of the units.
    fn of(latencies: &[(&str, u64)], config: &Config, several: bool, hang_after: u32) -> Patience {
        let bounds = Bounds { latencies, config };
        let passage = bounds.passage(several);
        let mut idle = bounds.deadlock_detector().max(bounds.mem_order()).max(bounds.cta_table());
        if several {
            idle = idle.max(bounds.clusters()).max(bounds.grids());
        }
        let [walk, drops] = bounds.mbarrier();
        Patience { drain: passage, idle: (passage + idle).max(hang_after.into()), drops: passage + drops, walk }
    }

    /// Silent cycles after which a run hangs, now.
    pub fn limit(&self, gpu: &Gpu) -> u64 {
        self.while_leaving(gpu.sms.iter().map(Sm::leaving).max().unwrap_or(0))
    }

    /// The same while at most so many CTAs leave one multiprocessor.
    fn while_leaving(&self, ctas: usize) -> u64 {
        match ctas {
            0 => self.idle,
            _ => self.idle.max(self.drops + self.walk * ctas as u64),
        }
    }
}

/// What the limits are made of.
struct Bounds<'a> {
    latencies: &'a [(&'a str, u64)],
    config: &'a Config,
}

impl Bounds<'_> {
    /// All latencies of a unit, as if they were passed one after the other.
    fn sum(&self, unit: &str) -> u64 {
        self.latencies.iter().filter(|(name, _)| name.starts_with(unit)).map(|(_, cycles)| cycles).sum()
    }

    /// What the unit has taken is through: its longest latency (`docs/contract/bcu.md`), and the links there and back (`docs/contract/multiprocessors.md`).
    fn passage(&self, several: bool) -> u64 {
        let longest = self.latencies.iter().map(|(_, cycles)| *cycles).max().unwrap_or(0);
        longest + if several { 2 * self.config.link_stages as u64 } else { 0 }
    }

    /// A CTA in which nothing moves is reported (`docs/contract/deadlock_detector.md`, *What follows*). Launches and retirements, which delay
    /// that, end in an event.
    fn deadlock_detector(&self) -> u64 {
        (2 * self.config.warps * (self.config.cta_slots + 1)) as u64
    }

    /// An operation, a fence or the access limit is found after the last access that it waits for (`docs/contract/mem_order.md`, *What becomes
    /// of a warp that the scan looks at*).
    fn mem_order(&self) -> u64 {
        (8 << warp_bits(self.config.warps)) + 8
    }

    /// A retirement that finds a launch at work is taken: both walk over all warps (`docs/contract/cta_table.md`, *Latency*).
    fn cta_table(&self) -> u64 {
        self.sum("CTA_TABLE_") + 2 * self.config.warps as u64
    }

    /// The messages of a cluster have their turns: up to three of each CTA slot, and two of each cluster slot at the hub
    /// (`docs/contract/clusters.md`, *Messages*, *Turns*).
    fn clusters(&self) -> u64 {
        self.sum("CLUSTER_") + (3 * 2 * self.config.cta_slots + 2 * self.config.cluster_slots) as u64
    }

    /// The messages of grids have their turns: two of each CTA slot, two of each grid slot at the hub, and its requests to flush
    /// (`docs/contract/grids.md`, *CTAs*, *Messages*, *Completion*).
    fn grids(&self) -> u64 {
        self.sum("GRID_") + (2 * 2 * self.config.cta_slots + 2 * self.config.grid_slots + 2 * self.config.grid_slots) as u64
    }

    /// A CTA leaves: the walk over the entries, one CTA at a time, and its slot is given back, one a cycle; and for all of them, the entries
    /// that are dropped (`docs/contract/mbarrier.md`, *CTAs*; `docs/contract/bcu.md`, *Live, ended, freed*).
    fn mbarrier(&self) -> [u64; 2] {
        let entries = self.config.mbarrier_objects as u64;
        [entries + 7 + 1, 3 * entries]
    }
}
