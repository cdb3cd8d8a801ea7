// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of a configuration. Each key is defined once, with its meaning and type, and for a number with its range and the reason for it.

use crate::units::UnitName;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use toml::Spanned;

/// The range of a number, and the reason for it.
pub(super) struct Limit {
    pub key: &'static str,
    pub value_of: fn(&Text) -> &Spanned<usize>,
    pub range: RangeInclusive<usize>,
    pub why: &'static str,
}

macro_rules! keys {
    ($($(#[$doc:meta])* $key:ident: $type:ty $(, $least:literal to $most:literal, $why:literal)?;)*) => {
        /// A checked configuration, from which hardware can be built.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        pub struct Config {
            /// File stem or catalogue name; the folder name of an export.
            pub name: String,
            $($(#[$doc])* pub $key: $type,)*
        }

        /// The keys as read from a text, each with its span.
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

        /// The range of each number whose range does not depend on other keys.
        pub struct Ranges {
            $($(
                #[doc = concat!("The number of ", $why, ".")]
                pub $key: RangeInclusive<usize>,
            )?)*
        }

        /// The ranges of numbers in a configuration.
        pub const RANGES: Ranges = Ranges { $($($key: $least..=$most,)?)* };

        pub(super) const LIMITS: &[Limit] = &[$(
            $(Limit { key: stringify!($key), value_of: |text| &text.$key, range: RANGES.$key, why: $why },)?
        )*];
    };
}

keys! {
    /// Warps of one multiprocessor.
    warps: usize, 1 to 64, "warps of all CTAs of one multiprocessor together";
    /// Threads of a warp.
    lanes: usize, 1 to 64, "threads of a warp; PTX has 32, Intel has 8, 16 or 32";
    /// CTAs of one multiprocessor.
    cta_slots: usize, 1 to 64, "CTAs of one multiprocessor";
    /// Barriers of `named` per CTA; 0: no `named`.
    barriers: usize, 0 to 16, "barriers of a CTA; the instruction field has four bits; 0 with Intel's gateway";
    /// Barriers of `gateway` per CTA, which is Intel's thread group; 0: no `gateway`. One of `barriers` and `gateway_ids` is 0.
    gateway_ids: usize, 0 to 32, "barriers of a thread group; the message field has five bits; 0 with named barriers";
    /// Lowest bit of the count in the packed register of BAR_RED_R: 4 or 16.
    pack_lsb: usize;
    /// Memory accesses that a warp may have outstanding in one epoch.
    max_outstanding: usize, 2 to 255, "memory accesses that a warp may have outstanding before it is held; with 1 no warp could issue, because accesses of the previous cycle are not counted yet";
    /// Asynchronous copies that a CTA may have outstanding.
    max_copies: usize, 1 to 255, "asynchronous copies that a CTA may have outstanding";
    /// Memory accesses that may be issued in one cycle, and that may be performed in one cycle. Each has a strobe.
    accesses_per_cycle: usize, 1 to 4, "memory accesses that may be issued in one cycle";
    /// Bytes of shared memory of a CTA.
    smem_bytes: usize, 64 to 262144, "bytes of shared memory of a CTA";
    /// Objects that `mbarrier` caches; 0: no `mbarrier`.
    mbarrier_objects: usize;
    /// Bits of the time limit of a wait in `mbarrier`, counted in ticks of 64 cycles.
    limit_bits: usize, 2 to 16, "bits of the time limit of a wait at an mbarrier, in ticks of 64 cycles";
    /// Maximum number of CTAs of a cluster; 0 or 1: no clusters.
    cluster_size: usize, 0 to 16, "CTAs of a cluster; 0 for no clusters, or 2 to 16";
    /// Cluster slots: clusters that can be addressed.
    cluster_slots: usize, 2 to 64, "clusters that can be addressed";
    /// Whether CTAs can belong to grids that depend on each other.
    grids: bool;
    /// Grid slots: grids that can be addressed.
    grid_slots: usize, 2 to 64, "grids that can be addressed";
    /// Multiprocessors that the cluster hub and the grid hub serve; 0: no hubs.
    sms: usize, 0 to 64, "multiprocessors that the cluster hub and the grid hub serve; 0 for no hubs";
    /// Register stages of each link between multiprocessors, hubs and network, in each direction.
    link_stages: usize, 0 to 50, "register stages in each direction between a multiprocessor and the hubs";
    /// Operations of a CTA on mbarriers of other CTAs of its cluster that may be unacknowledged at a time.
    max_remote: usize, 1 to 15, "unacknowledged operations of a CTA on mbarriers of other CTAs";
    /// Whether BAR.RED reduces; otherwise it is a BAR.SYNC.
    reductions: bool;
    /// Whether misuse is detected and reported.
    faults: bool;
    /// Whether B2R and R2B have an effect; requires `faults`.
    state_words: bool;
    /// Whether a fault is counted and dropped if the fault queue is full; otherwise operations wait for space in the queue.
    lose_faults: bool;
}

impl Config {
    /// The keys as TOML; [`read`] accepts this text.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).unwrap_or_default();
        text.lines().filter(|line| !line.starts_with("name =")).map(|line| format!("{line}\n")).collect()
    }

    /// A number that depends on the keys alone, not on the name: FNV-1a of [`Config::to_toml`]. It is in every exported module.
    pub fn identity(&self) -> u32 {
        self.to_toml().bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// Whether CTAs can belong to clusters of several CTAs.
    pub fn has_clusters(&self) -> bool {
        self.cluster_size > 1
    }

    /// Whether the configuration has mbarriers.
    pub fn has_mbarrier(&self) -> bool {
        self.mbarrier_objects > 0
    }

    /// Whether CTAs have named barriers.
    pub fn has_named(&self) -> bool {
        self.barriers > 0
    }

    /// Whether CTAs have the barriers of Intel's gateway instead of named barriers.
    pub fn has_gateway(&self) -> bool {
        self.gateway_ids > 0
    }

    /// Barriers per CTA, of `named` or of the gateway.
    pub fn ids(&self) -> usize {
        self.barriers.max(self.gateway_ids)
    }

    /// Whether CTAs can belong to grids that depend on each other.
    pub fn has_grids(&self) -> bool {
        self.grids
    }

    /// Whether mbarriers of other CTAs are accessible, which requires the network.
    pub fn has_network(&self) -> bool {
        self.has_mbarrier() && self.has_clusters()
    }

    /// Whether the configuration has the unit.
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

    /// Whether the configuration has a unit of this name.
    pub fn has_unit(&self, name: &str) -> bool {
        UnitName::from_name(name).is_some_and(|unit| self.has(unit))
    }
}
