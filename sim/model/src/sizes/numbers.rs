// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers, widths and parts derived from the parameters of a unit (`docs/contract/bcu.md`, *Sizes*: W, L, C, I, LW, LC, CW, VW).

use super::{index_bits, mask, Clusters, Objects, Parts, Sizes};
use crate::op::Kind;

impl Sizes {
    /// Whether `gateway` is built instead of `named`.
    #[inline]
    pub fn has_gateway(&self) -> bool {
        self.gateway_ids > 0
    }

    /// I of `gateway`, the barriers of a thread group.
    #[inline]
    pub fn gateway_ids(&self) -> usize {
        self.gateway_ids as usize
    }

    /// Whether `mbarrier` is built.
    #[inline]
    pub fn has_mbarrier(&self) -> bool {
        self.objects.cached > 0
    }

    /// Whether a unit for operations of this kind is built.
    #[inline]
    pub fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Mbarrier => self.has_mbarrier(),
            Kind::Gateway => self.has_gateway(),
            Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::Read | Kind::Write => !self.has_gateway(),
            kind if kind.is_of_cluster() => self.has_clusters(),
            kind if kind.is_of_grid() => self.has_grids(),
            _ => true,
        }
    }

    /// Whether `cluster` is built.
    #[inline]
    pub fn has_clusters(&self) -> bool {
        self.clusters.size > 1
    }

    /// Whether `grid` is built.
    #[inline]
    pub fn has_grids(&self) -> bool {
        self.grids
    }

    /// Whether operations on mbarriers can reach objects of other CTAs.
    #[inline]
    pub fn has_network(&self) -> bool {
        self.has_mbarrier() && self.has_clusters()
    }

    /// The parameters of clusters and of remote operations.
    #[inline]
    pub fn clusters(&self) -> Clusters {
        self.clusters
    }

    /// KC: bits of the number of a cluster slot.
    #[inline]
    pub fn cluster_bits(&self) -> usize {
        self.clusters.slots.ilog2() as usize
    }

    /// G, the number of grid slots.
    #[inline]
    pub fn grid_slots(&self) -> usize {
        self.grid_slots as usize
    }

    /// KG: bits of the number of a grid slot.
    #[inline]
    pub fn grid_bits(&self) -> usize {
        self.grid_slots.ilog2() as usize
    }

    /// M, the multiprocessors that hubs serve.
    #[inline]
    pub fn sms(&self) -> usize {
        self.sms as usize
    }

    /// N, the register stages of each link.
    #[inline]
    pub fn link_stages(&self) -> usize {
        self.link_stages as usize
    }

    /// The parameters of `mbarrier`.
    #[inline]
    pub fn objects(&self) -> Objects {
        self.objects
    }

    /// X, the objects that `mbarrier` caches.
    #[inline]
    pub fn cached_objects(&self) -> usize {
        self.objects.cached as usize
    }

    /// XI: bits of an entry's index.
    #[inline]
    pub fn entry_bits(&self) -> usize {
        self.objects.cached.ilog2() as usize
    }

    /// XW: bits of the number of a word in a CTA's shared memory.
    #[inline]
    pub fn word_bits(&self) -> usize {
        (self.objects.smem_bytes / 8).ilog2() as usize
    }

    /// XL: bits of a number of ticks.
    #[inline]
    pub fn limit_bits(&self) -> usize {
        self.objects.limit_bits as usize
    }

    /// The parts that are built.
    #[inline]
    pub fn parts(&self) -> Parts {
        self.parts
    }

    /// W, the warps.
    #[inline]
    pub fn warps(&self) -> usize {
        self.warps as usize
    }

    /// L, the lanes of a warp.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.lanes as usize
    }

    /// C, the CTA slots that are built.
    #[inline]
    pub fn cta_slots(&self) -> usize {
        self.cta_slots as usize
    }

    /// I, the barriers of a CTA in `named`.
    #[inline]
    pub fn barriers(&self) -> usize {
        self.barriers as usize
    }

    /// The lowest bit of the count in a packed register.
    #[inline]
    pub fn pack_lsb(&self) -> usize {
        self.pack_lsb as usize
    }

    /// LW: bits of a warp number, at least 2.
    #[inline]
    pub fn warp_bits(&self) -> usize {
        self.warp_bits as usize
    }

    /// LC: bits of a CTA slot number.
    #[inline]
    pub fn cta_bits(&self) -> usize {
        self.cta_bits as usize
    }

    /// LI: bits of the number of a barrier, of `named` or of the gateway.
    #[inline]
    pub fn id_bits(&self) -> usize {
        index_bits(self.barriers.max(self.gateway_ids)) as usize
    }

    /// CW: bits of a count of warps, 0 to W.
    #[inline]
    pub fn count_bits(&self) -> usize {
        self.warp_bits() + 1
    }

    /// VW: bits of a number of lanes, at least 3.
    #[inline]
    pub fn value_bits(&self) -> usize {
        self.lanes.next_power_of_two().ilog2().max(2) as usize + 1
    }

    /// Bits of the sum of a reduction, 0 to W × L; at least 5 bits.
    #[inline]
    pub fn sum_bits(&self) -> usize {
        (index_bits(self.warps * self.lanes) as usize + 1).max(5)
    }

    /// Accesses that a warp may have outstanding in an epoch.
    #[inline]
    pub fn max_outstanding(&self) -> u32 {
        self.max_outstanding
    }

    /// Copies that a CTA may have outstanding.
    #[inline]
    pub fn max_copies(&self) -> u32 {
        self.max_copies
    }

    /// Accesses that may be issued, and performed, in a cycle.
    #[inline]
    pub fn accesses_per_cycle(&self) -> usize {
        self.accesses_per_cycle as usize
    }

    /// The warps that a warp number can name, built or not: 2^LW.
    #[inline]
    pub fn warp_numbers(&self) -> usize {
        1 << self.warp_bits()
    }

    /// The barriers that the kept bits of an id can name, built or not: 2^LI.
    #[inline]
    pub fn id_numbers(&self) -> usize {
        1 << self.id_bits()
    }

    /// The CTA slots that a slot number can name, built or not: 2^LC.
    #[inline]
    pub fn cta_numbers(&self) -> usize {
        1 << self.cta_bits()
    }

    /// A vector of all W warps.
    #[inline]
    pub fn warp_mask(&self) -> u64 {
        mask(self.warps())
    }
}
