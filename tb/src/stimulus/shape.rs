// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sizes of a configuration, for generators.

use super::rng::Rng;
use bcu_isa::op::OpKind;

/// The sizes of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Lanes of a warp.
    pub lanes: u64,
    /// Warps, at most 64.
    pub warps: u64,
    /// CTA slots.
    pub slots: u64,
    /// Barriers built per CTA, at most 16.
    pub barriers: u64,
    /// Barriers of Intel's gateway built per CTA, at most 32; 0: none.
    pub gateway_ids: u64,
    /// The lowest bit of the count in a register that holds id and count.
    pub pack_lsb: u64,
    /// Maximum number of memory accesses that may be issued in a cycle, and that may be performed in a cycle.
    pub accesses_per_cycle: u64,
    /// Words of a CTA's shared memory.
    pub words: u64,
    /// Width in bits of the limit of a wait at an mbarrier, which is in ticks.
    pub limit_bits: u64,
    /// Maximum CTAs of a cluster; 0 or 1: no clusters.
    pub cluster_size: u64,
    /// Number of cluster slots.
    pub cluster_slots: u64,
    /// Number of grid slots; 0: no grids.
    pub grids: u64,
    /// Number of multiprocessors that a hub serves.
    pub sms: u64,
    /// Whether CTAs can belong to grids.
    pub has_grids: bool,
    /// Whether the configuration has mbarriers.
    pub mbarriers: bool,
}

impl Shape {
    /// Number of barriers built per CTA, named barriers or those of the gateway.
    pub(super) fn ids(&self) -> u64 {
        self.barriers.max(self.gateway_ids)
    }

    /// Whether operations can reach mbarriers of other CTAs.
    pub(super) fn has_network(&self) -> bool {
        self.mbarriers && self.has_clusters()
    }

    /// Whether CTAs form clusters.
    pub(super) fn has_clusters(&self) -> bool {
        self.cluster_size > 1
    }

    /// Whether operations of this kind reach the barrier units.
    pub(super) fn has_kind(&self, kind: OpKind) -> bool {
        self.mbarriers || kind != OpKind::Mbarrier
    }

    /// A random kind of operation that the units downstream of `gather` receive.
    pub(super) fn any_kind(&self, rng: &mut Rng) -> OpKind {
        let kinds: Vec<_> = OpKind::ALL.iter().copied().filter(|kind| self.has_kind(*kind)).collect();
        rng.pick(&kinds).unwrap_or(OpKind::Arrive)
    }

    /// Every warp.
    pub(super) fn all_warps(&self) -> u64 {
        u64::MAX >> (64 - self.warps.clamp(1, 64))
    }
}
