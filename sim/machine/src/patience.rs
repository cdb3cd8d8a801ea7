// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number of cycles without an event after which a run counts as ended or hung: the maximum that the unit may take, by its pages, from
//! one event that the machine observes to the next, for the sizes of the configuration.
//!
//! Memory, copies, operations on mbarriers and launches are excluded: while one is in flight the run is not silent (`Gpu::running`).

#[cfg(test)]
mod tests;

use super::gpu::Gpu;
use super::sm::Sm;
use bcu_isa::config::{warp_bits, Config};
use bcu_model::latency;

/// Cycles of a finished run that count after its last event, independent of `drain`, so that the lengths of runs are comparable.
pub(super) const COUNTED: u64 = 8;

/// Limits for runs on one configuration, in cycles.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    /// The number of cycles that the unit must stay silent after the last CTA has ended.
    pub drain: u64,
    /// A silent run hangs after `idle` cycles. While CTAs leave a multiprocessor, the limit is `drops` plus `walk` for each of them, if
    /// that is more.
    idle: u64,
    drops: u64,
    walk: u64,
}

impl Patience {
    /// `several`: the unit is `gpu`; `hang_after`: the minimum of the limit.
    pub fn new(config: &Config, several: bool, hang_after: u32) -> Patience {
        Patience::from_latencies(latency::ALL, config, several, hang_after)
    }

    /// The limits for these latencies of the units.
    fn from_latencies(latencies: &[(&str, u64)], config: &Config, several: bool, hang_after: u32) -> Patience {
        let bounds = Bounds { latencies, config };
        let passage = bounds.passage(several);
        let mut idle = bounds.deadlock_detector().max(bounds.mem_order()).max(bounds.cta_table());
        if several {
            idle = idle.max(bounds.clusters()).max(bounds.grids());
        }
        let [walk, drops] = bounds.mbarrier();
        Patience { drain: passage, idle: (passage + idle).max(hang_after.into()), drops: passage + drops, walk }
    }

    /// The number of silent cycles after which a run hangs, in the present state.
    pub fn limit(&self, gpu: &Gpu) -> u64 {
        self.while_leaving(gpu.sms.iter().map(Sm::leaving).max().unwrap_or(0))
    }

    /// That number while at most `ctas` CTAs leave one multiprocessor.
    fn while_leaving(&self, ctas: usize) -> u64 {
        match ctas {
            0 => self.idle,
            _ => self.idle.max(self.drops + self.walk * ctas as u64),
        }
    }
}

/// The components of the limits.
struct Bounds<'a> {
    latencies: &'a [(&'a str, u64)],
    config: &'a Config,
}

impl Bounds<'_> {
    /// The sum of all latencies of a unit, as if they followed one another.
    fn sum(&self, unit: &str) -> u64 {
        self.latencies.iter().filter(|(name, _)| name.starts_with(unit)).map(|(_, cycles)| cycles).sum()
    }

    /// Until an accepted operation is complete: the longest latency of the unit (`docs/contract/bcu.md`), and the links in both directions
    /// (`docs/contract/multiprocessors.md`).
    fn passage(&self, several: bool) -> u64 {
        let longest = self.latencies.iter().map(|(_, cycles)| *cycles).max().unwrap_or(0);
        longest + if several { 2 * self.config.link_stages as u64 } else { 0 }
    }

    /// Until a CTA without progress is reported (`docs/contract/deadlock_detector.md`, *What follows*). Launches and retirements, which
    /// delay the report, end in an event.
    fn deadlock_detector(&self) -> u64 {
        (2 * self.config.warps * (self.config.cta_slots + 1)) as u64
    }

    /// Until the scan finds an operation, a fence or the access limit after the last access that it waits for
    /// (`docs/contract/mem_order.md`, *The scanned warp*).
    fn mem_order(&self) -> u64 {
        (8 << warp_bits(self.config.warps)) + 8
    }

    /// Until a retirement is accepted during a launch: both walk over all warps (`docs/contract/cta_table.md`, *Latency*).
    fn cta_table(&self) -> u64 {
        self.sum("CTA_TABLE_") + 2 * self.config.warps as u64
    }

    /// Until the messages of a cluster have had their turns: up to three of each CTA slot, and two of each cluster slot at the hub
    /// (`docs/contract/clusters.md`, *Messages*, *Turns*).
    fn clusters(&self) -> u64 {
        self.sum("CLUSTER_") + (3 * 2 * self.config.cta_slots + 2 * self.config.cluster_slots) as u64
    }

    /// Until the messages of grids have had their turns: two of each CTA slot, two of each grid slot at the hub, and its requests to flush
    /// (`docs/contract/grids.md`, *CTAs*, *Messages*, *Completion*).
    fn grids(&self) -> u64 {
        self.sum("GRID_") + (2 * 2 * self.config.cta_slots + 2 * self.config.grid_slots + 2 * self.config.grid_slots) as u64
    }

    /// Until a CTA has left: the walk over the entries, one CTA at a time, and the release of its slot, one a cycle; and for all CTAs
    /// together, the dropped entries (`docs/contract/mbarrier.md`, *CTAs*; `docs/contract/bcu.md`, *Live, ended, freed*).
    fn mbarrier(&self) -> [u64; 2] {
        let entries = self.config.mbarrier_objects as u64;
        [entries + 7 + 1, 3 * entries]
    }
}
