// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A hardware configuration: TOML text in, checked sizes out. Every key must be there and no other may be.

use super::keys::{Config, Limit, Text, LIMITS};
use super::size::{index_bits, warp_bits};
use crate::diag::Diagnostic;
use std::cmp::Ordering;
use std::ops::Range;

/// Threads that 12 bits count.
const MOST_THREADS: usize = 4095;

/// CTA slots of all multiprocessors that 8 bits name.
const NETWORK_NUMBERS: usize = 256;

/// Reads a configuration; `name` is kept for reports and exports.
///
/// # Errors
/// Everything that is wrong with it, each at its key.
pub fn read(name: &str, text: &str) -> Result<Config, Vec<Diagnostic>> {
    let keys: Text = toml::from_str(text).map_err(|e| {
        vec![Diagnostic::of_toml(&e, text)
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
            self.check((*least..=*most).contains(&value), given.span(), message, why);
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
        let range = match least.cmp(&most) {
            Ordering::Less => format!("0 or {least} to {most}"),
            Ordering::Equal => format!("0 or {least}"),
            Ordering::Greater => {
                format!("0, since more than {most} do not fit into smem_bytes and fewer than {least} are too few")
            }
        };
        self.check(
            !config.has_mbarrier() || (least..=most).contains(&objects),
            keys.mbarrier_objects.span(),
            format!("mbarrier_objects is {objects}: with these warps, CTA slots and smem_bytes it must be {range}"),
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
