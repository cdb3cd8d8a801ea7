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
    /// The lowest bit of the count in a packed register.
    pub pack_lsb: u64,
    /// Memory accesses that may be issued, and performed, in a cycle.
    pub accesses_per_cycle: u64,
    /// Words of a CTA's shared memory.
    pub words: u64,
    /// Bits of the number of ticks that a warp may wait at an mbarrier.
    pub limit_bits: u64,
    /// Maximum CTAs of a cluster; 0 or 1: no clusters.
    pub cluster_size: u64,
    /// Number of cluster slots.
    pub cluster_slots: u64,
    /// Number of grid slots; 0: no grids.
    pub grids: u64,
    /// Multiprocessors that hubs serve.
    pub sms: u64,
    /// CTAs can belong to grids.
    pub has_grids: bool,
    /// There are mbarriers.
    pub mbarriers: bool,
}

impl Shape {
    /// Barriers of either kind built per CTA.
    pub(super) fn ids(&self) -> u64 {
        self.barriers.max(self.gateway_ids)
    }

    /// Whether mbarriers of other CTAs can be reached.
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

    /// A random kind of operation that the unit receives.
    pub(super) fn any_kind(&self, rng: &mut Rng) -> OpKind {
        let kinds: Vec<_> = OpKind::ALL.iter().copied().filter(|kind| self.has_kind(*kind)).collect();
        rng.pick(&kinds).unwrap_or(OpKind::Arrive)
    }

    /// Every warp.
    pub(super) fn all_warps(&self) -> u64 {
        u64::MAX >> (64 - self.warps.clamp(1, 64))
    }
}
