// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a configuration, each written once: what it is, its type, and for a number what it may be and why.

use crate::units::UnitName;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// What a number may be, and why.
pub(super) struct Limit {
    pub key: &'static str,
    pub of: fn(&Text) -> &Spanned<usize>,
    pub least: usize,
    pub most: usize,
    pub why: &'static str,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident: $type:ty $(, $least:literal to $most:literal, $why:literal)?;)*) => {
        /// A configuration that is built.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        pub struct Config {
            /// File stem or catalogue name; the folder name of an export.
            pub name: String,
            $($(#[$doc])* pub $key: $type,)*
        }

        /// The keys of a text, with their places.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct Text {
            $(pub $key: Spanned<$type>,)*
        }

        impl Text {
            pub fn config(&self, name: &str) -> Config {
                Config { name: name.to_string(), $($key: *self.$key.get_ref(),)* }
            }
        }

        pub(super) const LIMITS: &[Limit] = &[$(
            $(Limit { key: stringify!($key), of: |text| &text.$key, least: $least, most: $most, why: $why },)?
        )*];
    };
}

keys! {
    /// Warps of one multiprocessor.
    warps: usize, 1 to 64, "warps of all CTAs together, those that one multiprocessor holds";
    /// Threads of a warp.
    lanes: usize, 1 to 64, "threads of a warp; PTX has 32 of them, Intel's threads have 8, 16 or 32";
    /// CTAs of one multiprocessor.
    cta_slots: usize, 1 to 64, "CTAs that one multiprocessor holds";
    /// Barriers of `named` built per CTA; with 0 there is no `named`.
    barriers: usize, 0 to 16, "barriers of a CTA: the field of instructions has four bits; 0 where there is Intel's gateway";
    /// Barriers of `gateway` built per CTA, which is Intel's thread group; with 0 there is no `gateway`. One of the two is 0.
    gateway_ids: usize, 0 to 32, "barriers of a thread group: the field of messages has five bits; 0 for named barriers";
    /// Lowest bit of the count in the packed register of BAR_RED_R: 4 or 16.
    pack_lsb: usize;
    /// Memory accesses that a warp may have outstanding in one epoch.
    max_outstanding: usize, 2 to 255, "memory accesses that a warp may have outstanding before it is held; with 1 no warp could issue an access before it is seen that there is none";
    /// Asynchronous copies that a CTA may have outstanding.
    max_copies: usize, 1 to 255, "asynchronous copies that a CTA may have outstanding";
    /// Memory accesses that may be issued in one cycle, and performed in one: a strobe for each.
    accesses_per_cycle: usize, 1 to 4, "memory accesses that may be issued in one cycle";
    /// Bytes of shared memory of a CTA.
    smem_bytes: usize, 64 to 262144, "bytes of shared memory of a CTA";
    /// Objects that `mbarrier` caches; with 0 there is no `mbarrier`.
    mbarrier_objects: usize;
    /// Bits of the number of ticks, of 64 cycles each, that a warp may wait in `mbarrier`.
    limit_bits: usize, 2 to 16, "bits of the number of ticks, of 64 cycles each, that a warp may wait at an mbarrier";
    /// Most CTAs of a cluster; with 0 or 1 there are none.
    cluster_size: usize, 0 to 16, "CTAs of a cluster; 0 for no clusters, or 2 to 16";
    /// Clusters that can be named.
    cluster_slots: usize, 2 to 64, "clusters that can be named";
    /// Whether CTAs can be of grids that depend on each other.
    grids: bool;
    /// Grids that can be named.
    grid_slots: usize, 2 to 64, "grids that can be named";
    /// Multiprocessors that the hubs of clusters and grids serve; with 0 there are no hubs.
    sms: usize, 0 to 64, "multiprocessors that the hubs of clusters and grids serve; 0 for no hubs";
    /// Register stages of each link between multiprocessors, hubs and network, each way.
    link_stages: usize, 0 to 50, "registers on each way between a multiprocessor and the hubs";
    /// Operations of a CTA on objects of others in its cluster that are not acknowledged.
    max_remote: usize, 1 to 15, "operations on mbarriers of other CTAs that a CTA may have under way";
    /// Whether BAR.RED reduces; without, it is a BAR.SYNC.
    reductions: bool;
    /// Whether misuse is found and reported.
    faults: bool;
    /// Whether B2R and R2B do anything; only with `faults`.
    state_words: bool;
    /// Whether a fault that finds the queue of faults full is counted and dropped; without, operations wait for room.
    lose_faults: bool;
}

impl Config {
    /// The text of its keys, from which [`read`] makes it again.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).unwrap_or_default();
        text.lines().filter(|line| !line.starts_with("name =")).map(|line| format!("{line}\n")).collect()
    }

    /// A number that configurations of equal keys share, whatever their names: FNV-1a of [`Config::to_toml`]. It stands in every exported module.
    pub fn identity(&self) -> u32 {
        self.to_toml().bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// Whether a CTA can reach objects of others.
    pub fn has_clusters(&self) -> bool {
        self.cluster_size > 1
    }

    /// Whether there are mbarriers.
    pub fn has_mbarrier(&self) -> bool {
        self.mbarrier_objects > 0
    }

    /// Whether there are named barriers of CTAs.
    pub fn has_named(&self) -> bool {
        self.barriers > 0
    }

    /// Whether there is Intel's gateway in their place.
    pub fn has_gateway(&self) -> bool {
        self.gateway_ids > 0
    }

    /// Barriers of either that are built per CTA.
    pub fn ids(&self) -> usize {
        self.barriers.max(self.gateway_ids)
    }

    /// Whether CTAs can be of grids that depend on each other.
    pub fn has_grids(&self) -> bool {
        self.grids
    }

    /// Whether mbarriers of other CTAs can be reached.
    pub fn has_network(&self) -> bool {
        self.has_mbarrier() && self.has_clusters()
    }

    /// Whether it has the unit.
    pub fn has(&self, unit: UnitName) -> bool {
        use UnitName::*;
        match unit {
            Named => self.has_named(),
            Gateway => self.has_gateway(),
            Mbarrier => self.has_mbarrier(),
            Cluster => self.has_clusters(),
            ClusterHub => self.has_clusters() && self.sms > 0,
            Grid => self.has_grids(),
            GridHub => self.has_grids() && self.sms > 0,
            Gpu => self.has_network() && self.has_grids() && self.sms > 0,
            CtaTable | Decode | Gather | MemOrder | WarpStatus | DeadlockDetector | Bcu => true,
        }
    }

    /// Whether it has a unit of this name.
    pub fn has_unit(&self, name: &str) -> bool {
        UnitName::of(name).is_some_and(|unit| self.has(unit))
    }
}
