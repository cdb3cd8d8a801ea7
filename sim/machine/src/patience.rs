// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number of silent cycles after which a run counts as ended or as hung. A cycle is silent if the machine observes no event in it. The
//! limit is the longest time that the unit may take between two events. It is computed from the latencies on the contract pages of the
//! unit, for the sizes of the configuration.
//!
//! The limit does not cover memory, copies, operations on mbarriers and launches: while one of them is in flight the run is not silent
//! (`Gpu::running`).

#[cfg(test)]
mod tests;

use super::gpu::Gpu;
use super::sm::Sm;
use bcu_isa::config::{warp_bits, Config};
use bcu_model::latency;

/// The reported length of a finished run includes this number of silent cycles after its last event. The number is a constant and not
/// `drain`, so that the lengths of runs on different configurations are comparable.
pub(super) const COUNTED: u64 = 8;

/// Limits for runs on one configuration, in cycles.
#[derive(Clone, Debug)]
pub(super) struct Patience {
    /// The number of cycles that the unit must stay silent after the last CTA has ended.
    pub drain: u64,
    /// The number of silent cycles after which a run hangs, if no CTA leaves a multiprocessor. It is also the minimum of the limit while
    /// CTAs leave.
    idle: u64,
    /// The part of the limit, while CTAs leave a multiprocessor, that does not depend on the number of these CTAs.
    drops: u64,
    /// The part of the limit for each CTA that leaves the multiprocessor.
    walk: u64,
}

impl Patience {
    /// The limits for the unit `gpu` if `several` is set, else for `bcu`; `hang_after` is the minimum of `idle`.
    pub fn new(config: &Config, several: bool, hang_after: u32) -> Patience {
        Patience::from_latencies(latency::ALL, config, several, hang_after)
    }

    /// The limits if the units have the latencies `latencies`, in cycles.
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

    /// The limit, in silent cycles, while CTAs leave; `ctas` is the largest number of CTAs that leave one multiprocessor. 0: no CTA leaves.
    fn while_leaving(&self, ctas: usize) -> u64 {
        match ctas {
            0 => self.idle,
            _ => self.idle.max(self.drops + self.walk * ctas as u64),
        }
    }
}

/// The parts of the limits, in cycles.
struct Bounds<'a> {
    latencies: &'a [(&'a str, u64)],
    config: &'a Config,
}

impl Bounds<'_> {
    /// The sum of all latencies of a unit, as an upper bound: an operation takes only some of them.
    /// The names of these latencies begin with `unit`.
    fn sum(&self, unit: &str) -> u64 {
        self.latencies.iter().filter(|(name, _)| name.starts_with(unit)).map(|(_, cycles)| cycles).sum()
    }

    /// The cycles until an accepted operation is complete: the longest latency of the unit (`docs/contract/bcu.md`), and the links in both
    /// directions (`docs/contract/multiprocessors.md`).
    fn passage(&self, several: bool) -> u64 {
        let longest = self.latencies.iter().map(|(_, cycles)| *cycles).max().unwrap_or(0);
        longest + if several { 2 * self.config.link_stages as u64 } else { 0 }
    }

    /// The cycles until a CTA without progress is reported (`docs/contract/deadlock_detector.md`,
    /// *What follows*). A launch or a retirement delays the report, but is itself an event, so the
    /// silent cycles are counted anew.
    fn deadlock_detector(&self) -> u64 {
        (2 * self.config.warps * (self.config.cta_slots + 1)) as u64
    }

    /// The cycles from the last access for which an item waits until the scan finds the item. The item is an operation, a fence, or a warp
    /// at its access limit (`docs/contract/mem_order.md`, *The scanned warp*).
    fn mem_order(&self) -> u64 {
        (8 << warp_bits(self.config.warps)) + 8
    }

    /// The cycles until a retirement is accepted during a launch. The retirement and the launch each walk over all warps
    /// (`docs/contract/cta_table.md`, *Latency*).
    fn cta_table(&self) -> u64 {
        self.sum("CTA_TABLE_") + 2 * self.config.warps as u64
    }

    /// The cycles until the messages of a cluster have had their turns. Each CTA slot sends up to three messages, one in every other cycle.
    /// The hub sends two messages for each cluster slot, one a cycle (`docs/contract/clusters.md`, *Messages*, *Turns*).
    fn clusters(&self) -> u64 {
        self.sum("CLUSTER_") + (3 * 2 * self.config.cta_slots + 2 * self.config.cluster_slots) as u64
    }

    /// The cycles until the messages of grids have had their turns. Each CTA slot sends two messages, one in every other cycle. For each
    /// grid slot the hub sends two messages, one a cycle, and requests one flush, one in every other cycle (`docs/contract/grids.md`,
    /// *CTAs*, *Messages*, *Completion*).
    fn grids(&self) -> u64 {
        self.sum("GRID_") + (2 * 2 * self.config.cta_slots + 2 * self.config.grid_slots + 2 * self.config.grid_slots) as u64
    }

    /// The cycles until CTAs have left, in two parts. The first part is needed for each CTA: the
    /// walk over the cache entries, for one CTA at a time, and the release of the CTA slot, one CTA
    /// slot a cycle. The second part is needed once for all CTAs together: the dropped cache
    /// entries (`docs/contract/mbarrier.md`, *CTAs*; `docs/contract/bcu.md`, *Live, ended, freed*).
    fn mbarrier(&self) -> [u64; 2] {
        let entries = self.config.mbarrier_objects as u64;
        [entries + 7 + 1, 3 * entries]
    }
}
