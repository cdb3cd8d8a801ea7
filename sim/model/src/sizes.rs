// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The checked parameters with which a unit is built; `numbers` derives its widths from them.

mod numbers;
mod of_config;

use bcu_isa::config::RANGES;
use std::ops::RangeInclusive;

/// A parameter that no unit can be built with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    #[error("{what} = {found}: expected {least} to {most}")]
    Range { what: &'static str, found: u32, least: u32, most: u32 },
    #[error("{what} = {found}: expected a power of two from {least} to {most}")]
    Power { what: &'static str, found: u32, least: u32, most: u32 },
    #[error("pack_lsb = {0}: expected 4 or 16")]
    PackLsb(u32),
    #[error("max_outstanding: expected at least 2")]
    NoAccess,
    #[error(
        "accesses_per_cycle = {found}: expected 1 to half of max_outstanding, which is {most}, and at most {}",
        MOST_ACCESSES
    )]
    Accesses { found: u32, most: u32 },
    #[error(
        "cluster parameters: expected cluster_size up to 16, cluster_slots a power of two from 2 to 256, and max_remote from 1 to 15"
    )]
    Clusters,
    #[error("grid_slots = {0}: expected a power of two from 2 to 64")]
    Grids(u32),
    #[error("sms = {0}: expected at most 64")]
    Sms(u32),
    #[error("mbarrier_objects = {found}: expected at most smem_bytes / 8, which is {most}")]
    Objects { found: u32, most: u32 },
}

/// The maximum number of memory accesses that a unit can count in one cycle, for issues and for performs each.
pub const MOST_ACCESSES: usize = 4;

/// The parameters of a unit: warps, lanes per warp, CTA slots, barriers per CTA, the maximum of outstanding accesses per warp, and the
/// parameters of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    warps: u32,
    lanes: u32,
    cta_slots: u32,
    /// Bits of a warp number and of a CTA slot number, derived once because every cycle uses them.
    warp_bits: u32,
    cta_bits: u32,
    barriers: u32,
    gateway_ids: u32,
    pack_lsb: u32,
    max_outstanding: u32,
    max_copies: u32,
    accesses_per_cycle: u32,
    parts: Parts,
    objects: Objects,
    clusters: Clusters,
    grids: bool,
    grid_slots: u32,
    sms: u32,
    link_stages: u32,
}

/// The parameters of `mbarrier`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Objects {
    /// Bytes of shared memory of a CTA.
    pub smem_bytes: u32,
    /// Objects that are cached; with 0 there is no `mbarrier`.
    pub cached: u32,
    /// The width in bits of a number of ticks.
    pub limit_bits: u32,
}

/// The parameters of clusters and of remote operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clusters {
    /// Maximum number of CTAs of a cluster; with 0 or 1 there are no clusters.
    pub size: u32,
    /// The number of cluster slots.
    pub slots: u32,
    /// The maximum number of operations of a CTA that are not acknowledged.
    pub max_remote: u32,
}

/// The parts of `named` that can be left out (`docs/contract/named.md`, *Without a part*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    pub reductions: bool,
    /// The checks: misuse is detected and reported. Without checks there are no state words either.
    pub faults: bool,
    pub state_words: bool,
    /// A fault is dropped if the fault queue is full; otherwise operations wait for space in the queue.
    pub lose_faults: bool,
}

impl Sizes {
    /// Accepts 1 to 64 warps of 1 to 64 lanes, 1 to 64 CTA slots, 1 to 16 barriers per CTA (0 with a gateway), a packed count whose lowest
    /// bit is 4 or 16, and a maximum of at least 2 outstanding accesses.
    pub fn new(
        warps: u32,
        lanes: u32,
        cta_slots: u32,
        barriers: u32,
        pack_lsb: u32,
        max_outstanding: u32,
    ) -> Result<Sizes, SizeError> {
        within("warps", warps, &RANGES.warps)?;
        within("lanes", lanes, &RANGES.lanes)?;
        within("cta_slots", cta_slots, &RANGES.cta_slots)?;
        within("barriers", barriers, &RANGES.barriers)?;
        if pack_lsb != 4 && pack_lsb != 16 {
            return Err(SizeError::PackLsb(pack_lsb));
        }
        if max_outstanding < 2 {
            return Err(SizeError::NoAccess);
        }
        let parts = Parts { reductions: true, faults: true, state_words: true, lose_faults: false };
        let objects = Objects { smem_bytes: 256, cached: 8, limit_bits: 2 };
        let clusters = Clusters { size: 16, slots: 4, max_remote: 2 };
        Ok(Sizes {
            warps,
            lanes,
            cta_slots,
            warp_bits: index_bits(warps).max(2),
            cta_bits: index_bits(cta_slots),
            barriers,
            gateway_ids: 0,
            pack_lsb,
            max_outstanding,
            max_copies: 3,
            accesses_per_cycle: 1,
            parts,
            objects,
            clusters,
            grids: true,
            grid_slots: 4,
            sms: 2,
            link_stages: 1,
        })
    }

    /// These sizes with other parameters of `mbarrier`. [`Sizes::new`] has 8 cached objects, 256 bytes of shared memory, 2 bits for ticks.
    pub fn with_objects(self, objects: Objects) -> Result<Sizes, SizeError> {
        let Objects { smem_bytes, cached, limit_bits } = objects;
        let check = |what, found: u32, least, most| match found.is_power_of_two() && (least..=most).contains(&found) {
            true => Ok(()),
            false => Err(SizeError::Power { what, found, least, most }),
        };
        check("smem_bytes", smem_bytes, 16, 1 << 24)?;
        if cached > 0 {
            check("mbarrier_objects", cached, (1 << self.warp_bits()).max(1 << self.cta_bits()), 1 << 12)?;
        }
        within("limit_bits", limit_bits, &RANGES.limit_bits)?;
        match cached <= smem_bytes / 8 {
            true => Ok(Sizes { objects, ..self }),
            false => Err(SizeError::Objects { found: cached, most: smem_bytes / 8 }),
        }
    }

    /// These sizes with other parameters of clusters. [`Sizes::new`] has 4 cluster slots of at most 16 CTAs, and at most 2 remote
    /// operations.
    pub fn with_clusters(self, clusters: Clusters) -> Result<Sizes, SizeError> {
        let Clusters { size, slots, max_remote } = clusters;
        match size <= 16 && slots.is_power_of_two() && (2..=256).contains(&slots) && (1..=15).contains(&max_remote) {
            true => Ok(Sizes { clusters, ..self }),
            false => Err(SizeError::Clusters),
        }
    }

    /// These sizes with this number of grid slots; `grids`: whether `grid` is built. [`Sizes::new`] has 4 slots, and `grid` is built.
    pub fn with_grids(self, grid_slots: u32, grids: bool) -> Result<Sizes, SizeError> {
        match grid_slots.is_power_of_two() && (2..=64).contains(&grid_slots) {
            true => Ok(Sizes { grid_slots, grids, ..self }),
            false => Err(SizeError::Grids(grid_slots)),
        }
    }

    /// These sizes with hubs for this number of multiprocessors; 0: no hubs. [`Sizes::new`] has hubs for 2.
    pub fn with_sms(self, sms: u32) -> Result<Sizes, SizeError> {
        match sms <= 64 {
            true => Ok(Sizes { sms, ..self }),
            false => Err(SizeError::Sms(sms)),
        }
    }

    /// These sizes with Intel's gateway of this number of ids in place of `named`. [`Sizes::new`] has no gateway.
    pub fn with_gateway(self, gateway_ids: u32) -> Result<Sizes, SizeError> {
        match (1..=32).contains(&gateway_ids) {
            true => Ok(Sizes { gateway_ids, ..self }),
            false => Err(SizeError::Range { what: "gateway_ids", found: gateway_ids, least: 1, most: 32 }),
        }
    }

    /// These sizes with this number of register stages in each link. [`Sizes::new`] has 1.
    pub fn with_links(self, link_stages: u32) -> Sizes {
        Sizes { link_stages, ..self }
    }

    /// These sizes with a maximum number of accesses per cycle; it holds for issued and for performed accesses separately. [`Sizes::new`]
    /// has 1.
    pub fn with_accesses_per_cycle(self, accesses_per_cycle: u32) -> Result<Sizes, SizeError> {
        match (1..=(self.max_outstanding / 2).min(MOST_ACCESSES as u32)).contains(&accesses_per_cycle) {
            true => Ok(Sizes { accesses_per_cycle, ..self }),
            false => Err(SizeError::Accesses { found: accesses_per_cycle, most: self.max_outstanding }),
        }
    }

    /// These sizes with this maximum of outstanding copies of a CTA. [`Sizes::new`] has 3.
    pub fn with_copies(self, max_copies: u32) -> Sizes {
        Sizes { max_copies, ..self }
    }

    /// These sizes with a choice of parts. [`Sizes::new`] has all parts, and drops no faults.
    pub fn with(self, parts: Parts) -> Sizes {
        Sizes { parts, ..self }
    }
}

/// Checks a number against its range in a configuration.
fn within(what: &'static str, found: u32, range: &RangeInclusive<usize>) -> Result<(), SizeError> {
    let [least, most] = [*range.start(), *range.end()].map(|bound| bound as u32);
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => Err(SizeError::Range { what, found, least, most }),
    }
}

/// The bits that distinguish `count` values, at least 1.
fn index_bits(count: u32) -> u32 {
    count.next_power_of_two().ilog2().max(1)
}

/// The value of a port of `width` bits (1 to 64) with every bit set.
#[inline]
pub fn mask(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}
