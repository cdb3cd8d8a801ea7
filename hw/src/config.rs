// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A hardware configuration: TOML text in, checked sizes out. Every key must be there and no other may be.

use crate::catalog;
use crate::diag::Diagnostic;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use toml::Spanned;

/// The configurations that come with the project, as (name, TOML text), smallest first.
pub const NAMED: [(&str, &str); 12] = [
    ("tiny", include_str!("../configs/tiny.toml")),
    ("xe_tiny", include_str!("../configs/xe_tiny.toml")),
    ("small", include_str!("../configs/small.toml")),
    ("warp8", include_str!("../configs/warp8.toml")),
    ("warp8_no_state", include_str!("../configs/warp8_no_state.toml")),
    ("warp8_bare", include_str!("../configs/warp8_bare.toml")),
    ("warp32", include_str!("../configs/warp32.toml")),
    ("default", include_str!("../configs/default.toml")),
    ("core", include_str!("../configs/core.toml")),
    ("slots512", include_str!("../configs/slots512.toml")),
    ("xe", include_str!("../configs/xe.toml")),
    ("large", include_str!("../configs/large.toml")),
];

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

    /// Whether this part is there.
    fn has(&self, part: &str) -> bool {
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

    /// The units that it has, the whole one last.
    pub fn built(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        catalog::parts().filter(|part| self.has(part)).chain([catalog::WHOLE])
    }
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

/// The configuration that the project knows by this name.
pub fn named(name: &str) -> Option<Config> {
    let (name, text) = NAMED.iter().find(|(n, _)| *n == name)?;
    parse(name, text).ok()
}

/// Reads a configuration; `name` is kept for reports and exports.
pub fn parse(name: &str, text: &str) -> Result<Config, Vec<Diagnostic>> {
    let t: Text = toml::from_str(text).map_err(|e| {
        let span = e.span().unwrap_or(0..text.len().min(1));
        vec![Diagnostic::new(span, e.message().to_string(), "in this configuration")
            .help("every key of hw/configs/default.toml must be given, and no other; `bcu configs` prints one to start from")]
    })?;
    let mut wrong = vec![];
    let mut check = |good: bool, span: Range<usize>, message: String, help: &str| {
        if !good {
            wrong.push(Diagnostic::new(span, message, "not offered").help(help));
        }
    };
    let gateway = *t.gateway_ids.get_ref() > 0;
    check(
        gateway == (*t.barriers.get_ref() == 0),
        t.gateway_ids.span(),
        format!("barriers is {} and gateway_ids {}: one of them must be 0", t.barriers.get_ref(), t.gateway_ids.get_ref()),
        "a CTA has named barriers, or as Intel's thread group those of the gateway",
    );
    let others = [
        (*t.mbarrier_objects.get_ref() > 0, t.mbarrier_objects.span(), "mbarrier_objects must be 0"),
        (*t.cluster_size.get_ref() > 1, t.cluster_size.span(), "cluster_size must be 0"),
        (*t.grids.get_ref(), t.grids.span(), "grids must be false"),
        (*t.sms.get_ref() > 0, t.sms.span(), "sms must be 0"),
        (*t.reductions.get_ref(), t.reductions.span(), "reductions must be false"),
        (*t.state_words.get_ref(), t.state_words.span(), "state_words must be false"),
        (!*t.faults.get_ref(), t.faults.span(), "faults must be true"),
        (*t.lose_faults.get_ref(), t.lose_faults.span(), "lose_faults must be false"),
    ];
    for (wrong, span, must) in others {
        check(!(gateway && wrong), span, format!("with gateway_ids {must}"), "hw/configs/xe.toml is one to start from");
    }
    check(
        *t.cluster_size.get_ref() <= 16,
        t.cluster_size.span(),
        format!("cluster_size is {}: a cluster has at most 16 CTAs", t.cluster_size.get_ref()),
        "give 0 for no clusters, or 2 to 16",
    );
    check(
        (1..=15).contains(t.max_remote.get_ref()),
        t.max_remote.span(),
        format!("max_remote is {}: it must be 1 to 15", t.max_remote.get_ref()),
        "it is the number of operations on mbarriers of other CTAs that a CTA may have under way",
    );
    check(
        *t.link_stages.get_ref() <= 50,
        t.link_stages.span(),
        format!("link_stages is {}: it must be at most 50", t.link_stages.get_ref()),
        "it is the number of registers on each way between a multiprocessor and the hubs",
    );
    check(
        [4, 16].contains(t.pack_lsb.get_ref()),
        t.pack_lsb.span(),
        "pack_lsb must be 4 or 16".into(),
        "it is the lowest bit of the count in the packed register of BAR.RED; the id has bits 3:0",
    );
    check(
        *t.max_outstanding.get_ref() > 1,
        t.max_outstanding.span(),
        "max_outstanding must be at least 2: with 1 no warp could issue an access before it is seen that there is none".into(),
        "it is the number of memory accesses that a warp may have outstanding before it is held",
    );
    check(
        (1..=255).contains(t.max_copies.get_ref()),
        t.max_copies.span(),
        format!("max_copies is {}: it must be 1 to 255", t.max_copies.get_ref()),
        "it is the number of asynchronous copies that a CTA may have outstanding",
    );
    let accesses = *t.accesses_per_cycle.get_ref();
    check(
        accesses > 0 && 2 * accesses <= (*t.max_outstanding.get_ref()).max(2),
        t.accesses_per_cycle.span(),
        format!("accesses_per_cycle must be 1 to half of max_outstanding, which is {}", t.max_outstanding.get_ref()),
        "a warp that may issue must find room for an access on each strobe, beside those of the cycle before",
    );
    check(
        *t.faults.get_ref() || !*t.state_words.get_ref(),
        t.faults.span(),
        "state words are checked when they are written: without faults state_words must be false too".into(),
        "give both as false, or faults as true",
    );
    check(
        *t.faults.get_ref() || !*t.lose_faults.get_ref(),
        t.lose_faults.span(),
        "without faults there is none to lose: lose_faults must be false too".into(),
        "give both as false, or faults as true",
    );
    let config = Config {
        name: name.to_string(),
        warps: *t.warps.get_ref(),
        lanes: *t.lanes.get_ref(),
        cta_slots: *t.cta_slots.get_ref(),
        barriers: *t.barriers.get_ref(),
        gateway_ids: *t.gateway_ids.get_ref(),
        pack_lsb: *t.pack_lsb.get_ref(),
        max_outstanding: *t.max_outstanding.get_ref(),
        max_copies: *t.max_copies.get_ref(),
        accesses_per_cycle: *t.accesses_per_cycle.get_ref(),
        smem_bytes: *t.smem_bytes.get_ref(),
        mbarrier_objects: *t.mbarrier_objects.get_ref(),
        limit_bits: *t.limit_bits.get_ref(),
        cluster_size: *t.cluster_size.get_ref(),
        cluster_slots: *t.cluster_slots.get_ref(),
        grids: *t.grids.get_ref(),
        grid_slots: *t.grid_slots.get_ref(),
        sms: *t.sms.get_ref(),
        link_stages: *t.link_stages.get_ref(),
        max_remote: *t.max_remote.get_ref(),
        reductions: *t.reductions.get_ref(),
        faults: *t.faults.get_ref(),
        state_words: *t.state_words.get_ref(),
        lose_faults: *t.lose_faults.get_ref(),
    };
    match catalog::size(&config) {
        Some(size) => {
            let most = size.most_outstanding;
            if config.max_outstanding > most {
                wrong.push(
                    Diagnostic::new(
                        t.max_outstanding.span(),
                        format!(
                            "max_outstanding is {}: this size counts up to {most} accesses of a warp",
                            config.max_outstanding
                        ),
                        "too many",
                    )
                    .help(format!("give 1 to {most}; a wider counter is a line in hw/src/catalog.rs")),
                );
            }
            let [smem_bytes, cached, limit_bits] = size.objects;
            let given = [config.smem_bytes, config.mbarrier_objects, config.limit_bits];
            if given != size.objects && given != [smem_bytes, 0, limit_bits] {
                wrong.push(
                    Diagnostic::new(
                        t.smem_bytes.span(),
                        "this size is compiled in with other objects in shared memory".to_string(),
                        "not compiled in",
                    )
                    .help(format!(
                        "give smem_bytes = {smem_bytes}, mbarrier_objects = {cached}, or 0 for no mbarrier, and limit_bits = {limit_bits}; \
                         others are numbers in hw/src/catalog.rs"
                    )),
                );
            }
            let fixed = [
                (&t.cluster_slots, "cluster_slots", size.cluster_slots, ""),
                (&t.grid_slots, "grid_slots", size.grid_slots, ""),
                (&t.sms, "sms", size.sms, ", or 0 for no hubs"),
            ];
            for (given, key, built, or) in fixed {
                let value = *given.get_ref();
                if value != built && (value != 0 || or.is_empty()) {
                    wrong.push(
                        Diagnostic::new(
                            given.span(),
                            format!("{key} is {value}: this size is compiled in with {built}"),
                            "not compiled in",
                        )
                        .help(format!("give {built}{or}; another is a number in hw/src/catalog.rs")),
                    );
                }
            }
            let strobes = size.accesses_per_cycle;
            if !strobes.contains(&config.accesses_per_cycle) {
                wrong.push(
                    Diagnostic::new(
                        t.accesses_per_cycle.span(),
                        format!("accesses_per_cycle is {}: this size is not compiled in with that", config.accesses_per_cycle),
                        "not compiled in",
                    )
                    .help(format!("give one of {strobes:?}; others are added to the line of the size in hw/src/catalog.rs")),
                );
            }
        }
        None => wrong.push(
            Diagnostic::new(
                t.warps.span(),
                format!(
                    "{} warps of {} lanes with {} CTA slots of {} barriers is no size that is compiled in",
                    config.warps,
                    config.lanes,
                    config.cta_slots,
                    config.ids()
                ),
                "this size",
            )
            .help(format!("offered are {}; a line in hw/src/catalog.rs adds another", catalog::offered())),
        ),
    }
    if wrong.is_empty() {
        Ok(config)
    } else {
        Err(wrong)
    }
}

#[cfg(test)]
mod tests;
