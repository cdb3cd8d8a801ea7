// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points that the tables of the pages need, and the configurations of these points.

use super::device::Device;
use super::point::{product, Point};
use anyhow::{anyhow, Context, Result};
use bcu_hw::catalog;
use bcu_hw::config;
use bcu_isa::config::Config;
use bcu_isa::units;
use clap::ValueEnum as _;

/// Configurations in which every unit is measured. The barrier unit, `named` or the gateway, is measured in all configurations.
pub const WHOLE: [&str; 2] = ["small", "default"];

/// Measured configurations that are not among the named ones: name, the named configuration that they vary, and the keys that differ.
const VARIANTS: [(&str, &str, &[(&str, &str)]); 6] = [
    ("default_without_grids", "default", &[("grids", "false")]),
    ("default_without_clusters", "default", &[("cluster_size", "0")]),
    ("default_without_mbarriers", "default", &[("mbarrier_objects", "0")]),
    ("warp8_without_reductions", "warp8", &[("reductions", "false")]),
    ("warp8_without_two", "warp8_no_state", &[("reductions", "false")]),
    ("warp8_unchecked", "warp8_no_state", &[("faults", "false")]),
];

/// The configurations that compare the whole unit at `default` with variants that lack some of its
/// parts: name, and the omitted parts.
pub const PARTIAL: [(&str, &str); 5] = [
    ("default", ""),
    ("default_without_grids", "grids"),
    ("default_without_clusters", "clusters"),
    ("default_without_mbarriers", "mbarriers"),
    ("named_only", "all three"),
];

/// The configurations that compare `named` with 8 warps and with fewer parts: name, and the
/// description in the table.
pub const KEYS: [(&str, &str); 6] = [
    ("warp8", "all of it"),
    ("warp8_without_reductions", "no reductions"),
    ("warp8_no_state", "no state words"),
    ("warp8_without_two", "no state words, no reductions"),
    ("warp8_unchecked", "no state words, no misuse faults"),
    ("warp8_bare", "none of the three"),
];

/// Configurations without clusters at which `mbarrier` is measured on HX8K.
pub const MBARRIER: [&str; 3] = ["warp8_bare", "warp8", "warp32"];

/// Units of the table in `docs/contract/multiprocessors.md`.
pub const HUBS: [&str; 4] = ["cluster", "cluster_hub", "grid", "grid_hub"];

/// The configuration of this name, among the named ones and `VARIANTS`.
pub fn config(name: &str) -> Result<Config> {
    let (base, keys) =
        VARIANTS.iter().find(|(variant, ..)| *variant == name).map_or((name, &[][..]), |(_, base, keys)| (*base, *keys));
    let (_, text) =
        bcu_isa::config::NAMED.iter().find(|(named, _)| *named == base).with_context(|| format!("configuration {name}"))?;
    let line = |line: &str| {
        let key = line.split(' ').next().unwrap_or_default();
        keys.iter().find(|(base, _)| *base == key).map_or(line.to_string(), |(_, value)| format!("{key} = {value}")) + "\n"
    };
    config::parse(name, &text.lines().map(line).collect::<String>()).map_err(|wrong| anyhow!("{name}: {}", wrong[0].message))
}

/// The unit that implements the barriers of a named configuration: `named` or `gateway`.
pub fn barriers_of(name: &str) -> &'static str {
    let gateway = config::by_name(name).is_some_and(|config| config.has_gateway());
    if gateway {
        "gateway"
    } else {
        "named"
    }
}

/// The points that are measured on all devices. The unit with several multiprocessors is too large for any flow, so its parts are measured
/// instead.
pub fn points() -> Vec<Point> {
    let barriers = bcu_isa::config::NAMED.iter().map(|(name, _)| (barriers_of(name), *name));
    let built = |c: &'static str| config::by_name(c).map_or(vec![], |config| catalog::built(&config).collect());
    let others = WHOLE.into_iter().flat_map(|c| built(c).into_iter().map(move |unit| (unit, c)));
    let others = others.filter(|(unit, _)| !["named", units::SEVERAL].contains(unit));
    let small_fpga = [(units::WHOLE, "named_only")];
    barriers.chain(others).chain(small_fpga).map(|(unit, config)| (unit, config.to_string())).collect()
}

/// All points that the tables need, with their devices.
pub fn needed() -> Vec<(Point, Device)> {
    let on_one = |device, unit, config: &str| ((unit, config.to_string()), device);
    let mbarrier = MBARRIER.map(|config| on_one(Device::Hx8k, "mbarrier", config));
    let partial = PARTIAL.map(|(config, _)| on_one(Device::Ecp5, units::WHOLE, config));
    let keys = KEYS.map(|(config, _)| on_one(Device::Hx8k, "named", config));
    let points_on_devices = product(&points(), Device::value_variants());
    let once = partial.into_iter().chain(keys).filter(|one| !points_on_devices.contains(one)).collect::<Vec<_>>();
    points_on_devices.iter().cloned().chain(mbarrier).chain(once).collect()
}

/// Whether a point is placed with one seed only. The whole unit takes minutes per seed, and the cost of its parts is visible in the area.
pub fn is_placed_once((unit, name): &Point) -> bool {
    *unit == units::WHOLE && PARTIAL.iter().any(|(config, _)| config == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_built_and_named_once() {
        let needed = needed();
        for (at, (point, device)) in needed.iter().enumerate() {
            let (unit, name) = point;
            assert!(config(name).unwrap().has_unit(unit), "{unit} at {name}");
            assert!(!needed[..at].contains(&(point.clone(), *device)), "{unit} at {name} twice");
        }
        let without = config("default_without_clusters").unwrap();
        assert!(!without.has_clusters() && without.has_mbarrier() && without.has_grids());
        assert!(config("default_without_nothing").is_err());
        let once = |config: &str| is_placed_once(&("bcu", config.to_string()));
        assert!(once("named_only") && !once("small"));
    }
}
