// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A hardware configuration: TOML text in, checked sizes out. Every key must be there and no other may be.

use super::size::{index_bits, warp_bits};
use crate::diag::Diagnostic;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use toml::Spanned;

/// A configuration that is built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Config {
    /// File stem or catalogue name; the folder name of an export.
    pub name: String,
    pub warps: usize,
    /// Threads of a warp.
    pub lanes: usize,
    pub cta_slots: usize,
    /// Barriers of `named` built per CTA; with 0 there is no `named`.
    pub barriers: usize,
    /// Barriers of `gateway` built per CTA, which is Intel's thread group; with 0 there is no `gateway`. One of the two is 0.
    pub gateway_ids: usize,
    /// Lowest bit of the count in the packed register of BAR_RED_R: 4 or 16.
    pub pack_lsb: usize,
    /// Memory accesses that a warp may have outstanding in one epoch.
    pub max_outstanding: usize,
    /// Asynchronous copies that a CTA may have outstanding.
    pub max_copies: usize,
    /// Memory accesses that may be issued in one cycle, and performed in one: a strobe for each.
    pub accesses_per_cycle: usize,
    /// Bytes of shared memory of a CTA.
    pub smem_bytes: usize,
    /// Objects that `mbarrier` caches; with 0 there is no `mbarrier`.
    pub mbarrier_objects: usize,
    /// Bits of the number of ticks, of 64 cycles each, that a warp may wait in `mbarrier`.
    pub limit_bits: usize,
    /// Most CTAs of a cluster; with 0 or 1 there are none.
    pub cluster_size: usize,
    /// Clusters that can be named.
    pub cluster_slots: usize,
    /// Whether CTAs can be of grids that depend on each other.
    pub grids: bool,
    /// Grids that can be named.
    pub grid_slots: usize,
    /// Multiprocessors that the hubs of clusters and grids serve; with 0 there are no hubs.
    pub sms: usize,
    /// Register stages of each link between multiprocessors, hubs and network, each way.
    pub link_stages: usize,
    /// Operations of a CTA on objects of others in its cluster that are not acknowledged.
    pub max_remote: usize,
    /// Whether BAR.RED reduces; without, it is a BAR.SYNC.
    pub reductions: bool,
    /// Whether misuse is found and reported.
    pub faults: bool,
    /// Whether B2R and R2B do anything; only with `faults`.
    pub state_words: bool,
    /// Whether a fault that finds the queue of faults full is counted and dropped; without, operations wait for room.
    pub lose_faults: bool,
}

impl Config {
    /// The text of its keys, from which [`read`] makes it again.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self).unwrap_or_default();
        text.lines().filter(|line| !line.starts_with("name =")).map(|line| format!("{line}\n")).collect()
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

    /// Whether it has the unit of this name.
    pub fn has(&self, part: &str) -> bool {
        match part {
            "named" => self.has_named(),
            "gateway" => self.has_gateway(),
            "mbarrier" => self.has_mbarrier(),
            "cluster" => self.has_clusters(),
            "cluster_hub" => self.has_clusters() && self.sms > 0,
            "grid" => self.has_grids(),
            "grid_hub" => self.has_grids() && self.sms > 0,
            "gpu" => self.has_network() && self.has_grids() && self.sms > 0,
            _ => true,
        }
    }
}

/// Threads that 12 bits count.
const MOST_THREADS: usize = 4095;

/// CTA slots of all multiprocessors that 8 bits name.
const NETWORK_NUMBERS: usize = 256;

/// What a number may be, and why.
struct Limit {
    key: &'static str,
    of: fn(&Text) -> &Spanned<usize>,
    least: usize,
    most: usize,
    why: &'static str,
}

macro_rules! limits {
    ($($key:ident: $least:literal to $most:literal, $why:literal;)*) => {
        const LIMITS: [Limit; [$($least),*].len()] =
            [$(Limit { key: stringify!($key), of: |text| &text.$key, least: $least, most: $most, why: $why }),*];
    };
}

limits! {
    warps: 1 to 64, "warps of all CTAs together, those that one multiprocessor holds";
    lanes: 1 to 64, "threads of a warp; PTX has 32 of them, Intel's threads have 8, 16 or 32";
    cta_slots: 1 to 64, "CTAs that one multiprocessor holds";
    barriers: 0 to 16, "barriers of a CTA: the field of instructions has four bits; 0 where there is Intel's gateway";
    gateway_ids: 0 to 32, "barriers of a thread group: the field of messages has five bits; 0 for named barriers";
    cluster_size: 0 to 16, "CTAs of a cluster; 0 for no clusters, or 2 to 16";
    cluster_slots: 2 to 64, "clusters that can be named";
    grid_slots: 2 to 64, "grids that can be named";
    sms: 0 to 64, "multiprocessors that the hubs of clusters and grids serve; 0 for no hubs";
    link_stages: 0 to 50, "registers on each way between a multiprocessor and the hubs";
    max_remote: 1 to 15, "operations on mbarriers of other CTAs that a CTA may have under way";
    max_outstanding: 2 to 255, "memory accesses that a warp may have outstanding before it is held; with 1 no warp could issue an access before it is seen that there is none";
    max_copies: 1 to 255, "asynchronous copies that a CTA may have outstanding";
    accesses_per_cycle: 1 to 4, "memory accesses that may be issued in one cycle";
    smem_bytes: 64 to 262144, "bytes of shared memory of a CTA";
    limit_bits: 2 to 16, "bits of the number of ticks, of 64 cycles each, that a warp may wait at an mbarrier";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    warps: Spanned<usize>,
    lanes: Spanned<usize>,
    cta_slots: Spanned<usize>,
    barriers: Spanned<usize>,
    gateway_ids: Spanned<usize>,
    cluster_size: Spanned<usize>,
    cluster_slots: Spanned<usize>,
    grids: Spanned<bool>,
    grid_slots: Spanned<usize>,
    sms: Spanned<usize>,
    link_stages: Spanned<usize>,
    max_remote: Spanned<usize>,
    pack_lsb: Spanned<usize>,
    max_outstanding: Spanned<usize>,
    max_copies: Spanned<usize>,
    accesses_per_cycle: Spanned<usize>,
    smem_bytes: Spanned<usize>,
    mbarrier_objects: Spanned<usize>,
    limit_bits: Spanned<usize>,
    reductions: Spanned<bool>,
    faults: Spanned<bool>,
    state_words: Spanned<bool>,
    lose_faults: Spanned<bool>,
}

impl Text {
    fn config(&self, name: &str) -> Config {
        Config {
            name: name.to_string(),
            warps: *self.warps.get_ref(),
            lanes: *self.lanes.get_ref(),
            cta_slots: *self.cta_slots.get_ref(),
            barriers: *self.barriers.get_ref(),
            gateway_ids: *self.gateway_ids.get_ref(),
            pack_lsb: *self.pack_lsb.get_ref(),
            max_outstanding: *self.max_outstanding.get_ref(),
            max_copies: *self.max_copies.get_ref(),
            accesses_per_cycle: *self.accesses_per_cycle.get_ref(),
            smem_bytes: *self.smem_bytes.get_ref(),
            mbarrier_objects: *self.mbarrier_objects.get_ref(),
            limit_bits: *self.limit_bits.get_ref(),
            cluster_size: *self.cluster_size.get_ref(),
            cluster_slots: *self.cluster_slots.get_ref(),
            grids: *self.grids.get_ref(),
            grid_slots: *self.grid_slots.get_ref(),
            sms: *self.sms.get_ref(),
            link_stages: *self.link_stages.get_ref(),
            max_remote: *self.max_remote.get_ref(),
            reductions: *self.reductions.get_ref(),
            faults: *self.faults.get_ref(),
            state_words: *self.state_words.get_ref(),
            lose_faults: *self.lose_faults.get_ref(),
        }
    }
}

/// Reads a configuration; `name` is kept for reports and exports.
///
/// # Errors
/// Everything that is wrong with it, each at its key.
pub fn read(name: &str, text: &str) -> Result<Config, Vec<Diagnostic>> {
    let keys: Text = toml::from_str(text).map_err(|e| {
        let span = e.span().unwrap_or(0..text.len().min(1));
        vec![Diagnostic::new(span, e.message().to_string(), "in this configuration")
            .help("every key of hw/configs/default.toml must be given, and no other; `bcu configs` prints one to start from")]
    })?;
    let config = keys.config(name);
    let mut checks = Checks(vec![]);
    checks.ranges(&keys);
    checks.products(&keys, &config);
    checks.mbarriers(&keys, &config);
    checks.gateway(&keys, &config);
    checks.options(&keys, &config);
    match checks.0 {
        wrong if wrong.is_empty() => Ok(config),
        wrong => Err(wrong),
    }
}

/// What was found wrong.
struct Checks(Vec<Diagnostic>);

impl Checks {
    fn check(&mut self, good: bool, span: Range<usize>, message: impl Into<String>, help: &str) {
        if !good {
            self.0.push(Diagnostic::new(span, message, "not offered").help(help));
        }
    }

    /// Each number alone.
    fn ranges(&mut self, keys: &Text) {
        for Limit { key, of, least, most, why } in LIMITS {
            let given = of(keys);
            let value = *given.get_ref();
            let message = format!("{key} is {value}: it must be {least} to {most}");
            self.check((least..=most).contains(&value), given.span(), message, why);
        }
        let powers = [
            (&keys.cluster_slots, "cluster_slots"),
            (&keys.grid_slots, "grid_slots"),
            (&keys.smem_bytes, "smem_bytes"),
            (&keys.mbarrier_objects, "mbarrier_objects"),
        ];
        for (given, key) in powers {
            let value = *given.get_ref();
            let below = value.checked_ilog2().map_or(1, |log| 1 << log);
            let message = format!("{key} is {value}: it must be a power of two");
            let help = format!("it is addressed by bits; give {below} or {}", 2 * below);
            self.check(value == 0 || value.is_power_of_two(), given.span(), message, &help);
        }
        self.check(
            [4, 16].contains(keys.pack_lsb.get_ref()),
            keys.pack_lsb.span(),
            "pack_lsb must be 4 or 16",
            "it is the lowest bit of the count in the packed register of BAR.RED; the id has bits 3:0",
        );
    }

    /// Numbers that together are too many.
    fn products(&mut self, keys: &Text, config: &Config) {
        let Config { warps, lanes, max_outstanding, accesses_per_cycle, .. } = config;
        self.check(
            warps.saturating_mul(*lanes) <= MOST_THREADS,
            keys.lanes.span(),
            format!("{warps} warps of {lanes} lanes are more than {MOST_THREADS} threads"),
            "a count of threads has 12 bits; give fewer lanes or warps",
        );
        self.check(
            *accesses_per_cycle == 0 || 2 * accesses_per_cycle <= (*max_outstanding).max(2),
            keys.accesses_per_cycle.span(),
            format!("accesses_per_cycle must be 1 to half of max_outstanding, which is {max_outstanding}"),
            "a warp that may issue must find room for an access on each strobe, beside those of the cycle before",
        );
    }

    /// What mbarriers and their network need.
    fn mbarriers(&mut self, keys: &Text, config: &Config) {
        let cta_bits = index_bits(config.cta_slots.clamp(1, 64));
        let most_sms = NETWORK_NUMBERS >> cta_bits;
        self.check(
            config.sms <= most_sms || !config.has_network(),
            keys.sms.span(),
            format!("sms is {}: with these CTA slots it must be at most {most_sms}", config.sms),
            "a CTA slot of any multiprocessor has a number of 8 bits in the network of clusters; give fewer, or fewer CTA slots",
        );
        let least = 1usize << warp_bits(config.warps.clamp(1, 64)).max(cta_bits);
        let (most, objects) = (config.smem_bytes / 8, config.mbarrier_objects);
        self.check(
            !config.has_mbarrier() || (least..=most).contains(&objects),
            keys.mbarrier_objects.span(),
            format!(
                "mbarrier_objects is {objects}: with these warps, CTA slots and smem_bytes it must be 0 or {least} to {most}"
            ),
            "every warp and every CTA slot has an object of the cache in reach, and none is without 8 bytes of shared memory",
        );
    }

    /// Intel's gateway stands alone.
    fn gateway(&mut self, keys: &Text, config: &Config) {
        self.check(
            config.has_gateway() != config.has_named(),
            keys.gateway_ids.span(),
            format!("barriers is {} and gateway_ids {}: one of them must be 0", config.barriers, config.gateway_ids),
            "a CTA has named barriers, or as Intel's thread group those of the gateway",
        );
        let others = [
            (config.has_mbarrier(), keys.mbarrier_objects.span(), "mbarrier_objects must be 0"),
            (config.has_clusters(), keys.cluster_size.span(), "cluster_size must be 0"),
            (config.grids, keys.grids.span(), "grids must be false"),
            (config.sms > 0, keys.sms.span(), "sms must be 0"),
            (config.reductions, keys.reductions.span(), "reductions must be false"),
            (config.state_words, keys.state_words.span(), "state_words must be false"),
            (!config.faults, keys.faults.span(), "faults must be true"),
            (config.lose_faults, keys.lose_faults.span(), "lose_faults must be false"),
        ];
        for (wrong, span, must) in others {
            let alone = !(config.has_gateway() && wrong);
            self.check(alone, span, format!("with gateway_ids {must}"), "hw/configs/xe.toml is one to start from");
        }
    }

    /// What needs that faults are found.
    fn options(&mut self, keys: &Text, config: &Config) {
        let help = "give both as false, or faults as true";
        self.check(
            config.faults || !config.state_words,
            keys.faults.span(),
            "state words are checked when they are written: without faults state_words must be false too",
            help,
        );
        self.check(
            config.faults || !config.lose_faults,
            keys.lose_faults.span(),
            "without faults there is none to lose: lose_faults must be false too",
            help,
        );
    }
}
