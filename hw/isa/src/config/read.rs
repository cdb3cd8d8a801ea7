// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads a hardware configuration from TOML and checks its sizes. Every key must be present, and no other key may be.

use super::keys::{Config, Limit, Text, LIMITS};
use super::size::{index_bits, warp_bits};
use crate::diag::Diagnostic;
use std::cmp::Ordering;
use std::ops::Range;

/// The largest thread count that fits into 12 bits.
const MOST_THREADS: usize = 4095;

/// Maximum number of CTA slots of all multiprocessors together: the network numbers them with 8 bits.
const NETWORK_NUMBERS: usize = 256;

/// Reads a configuration; `name` is kept for reports and exports.
///
/// # Errors
/// All errors, each at the key at fault.
pub fn read(name: &str, text: &str) -> Result<Config, Vec<Diagnostic>> {
    let keys: Text = toml::from_str(text).map_err(|e| {
        vec![Diagnostic::of_toml(&e, text)
            .help("give every key of hw/configs/default.toml and no other; `bcu configs` prints a configuration to start from")]
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

/// The errors found so far.
struct Checks(Vec<Diagnostic>);

impl Checks {
    fn check(&mut self, good: bool, span: Range<usize>, message: impl Into<String>, help: &str) {
        if !good {
            self.0.push(Diagnostic::new(span, message, "unsupported value").help(help));
        }
    }

    /// Checks each number separately.
    fn ranges(&mut self, keys: &Text) {
        for Limit { key, value_of, range, why } in LIMITS {
            let given = value_of(keys);
            let value = *given.get_ref();
            let message = format!("{key} is {value}: it must be {} to {}", range.start(), range.end());
            self.check(range.contains(&value), given.span(), message, why);
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
            let help = format!("give {below} or {}", 2 * below);
            self.check(value == 0 || value.is_power_of_two(), given.span(), message, &help);
        }
        self.check(
            [4, 16].contains(keys.pack_lsb.get_ref()),
            keys.pack_lsb.span(),
            format!("pack_lsb is {}: it must be 4 or 16", keys.pack_lsb.get_ref()),
            "pack_lsb is the lowest bit of the count in the packed register of BAR.RED; the id has bits 3:0",
        );
    }

    /// Checks combinations of numbers whose product or relation is limited.
    fn products(&mut self, keys: &Text, config: &Config) {
        let Config { warps, lanes, max_outstanding, accesses_per_cycle, .. } = config;
        self.check(
            warps.saturating_mul(*lanes) <= MOST_THREADS,
            keys.lanes.span(),
            format!("lanes is {lanes}: {warps} warps of {lanes} lanes are more than {MOST_THREADS} threads"),
            "a thread count has 12 bits; give fewer lanes or warps",
        );
        self.check(
            *accesses_per_cycle == 0 || 2 * accesses_per_cycle <= (*max_outstanding).max(2),
            keys.accesses_per_cycle.span(),
            format!("accesses_per_cycle is {accesses_per_cycle}: it must be 1 to half of max_outstanding, which is {max_outstanding}"),
            "a warp that may issue needs space for one access per strobe, in addition to the accesses of the previous cycle",
        );
    }

    /// Checks the requirements of mbarriers and their network.
    fn mbarriers(&mut self, keys: &Text, config: &Config) {
        let cta_bits = index_bits(config.cta_slots.clamp(1, 64));
        let most_sms = NETWORK_NUMBERS >> cta_bits;
        self.check(
            config.sms <= most_sms || !config.has_network(),
            keys.sms.span(),
            format!("sms is {}: with {} CTA slots it must be at most {most_sms}", config.sms, config.cta_slots),
            "the cluster network numbers the CTA slots of all multiprocessors with 8 bits; reduce sms or cta_slots",
        );
        let least = 1usize << warp_bits(config.warps.clamp(1, 64)).max(cta_bits);
        let (most, objects) = (config.smem_bytes / 8, config.mbarrier_objects);
        let range = match least.cmp(&most) {
            Ordering::Less => format!("0 or {least} to {most}"),
            Ordering::Equal => format!("0 or {least}"),
            Ordering::Greater => {
                format!("0, because smem_bytes has space for {most} objects, and at least {least} are needed")
            }
        };
        self.check(
            !config.has_mbarrier() || (least..=most).contains(&objects),
            keys.mbarrier_objects.span(),
            format!(
                "mbarrier_objects is {objects}: with {} warps, {} CTA slots and {} bytes of shared memory it must be {range}",
                config.warps, config.cta_slots, config.smem_bytes
            ),
            "the cache needs at least as many objects as warps and as CTA slots, and 8 bytes of shared memory per object",
        );
    }

    /// Checks that Intel's gateway is combined with no other unit.
    fn gateway(&mut self, keys: &Text, config: &Config) {
        self.check(
            config.has_gateway() != config.has_named(),
            keys.gateway_ids.span(),
            format!("barriers is {} and gateway_ids {}: one of them must be 0", config.barriers, config.gateway_ids),
            "a CTA has either named barriers, or the gateway barriers of an Intel thread group",
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
            self.check(alone, span, format!("with gateway_ids, {must}"), "start from hw/configs/intel.toml");
        }
    }

    /// Checks the options that require fault detection.
    fn options(&mut self, keys: &Text, config: &Config) {
        let help = "set state_words and lose_faults to false, or faults to true";
        self.check(
            config.faults || !config.state_words,
            keys.faults.span(),
            "state_words requires faults, because written state words are checked",
            help,
        );
        self.check(config.faults || !config.lose_faults, keys.lose_faults.span(), "lose_faults requires faults", help);
    }
}
