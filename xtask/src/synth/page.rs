// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables that are made from measured figures: in docs/quality.md our units beside other designs, in README.md the configurations, in the
//! pages of units those units.

use super::flow::{Device, Figures};
use super::{product, Point, Table};
use crate::regen;
use anyhow::{anyhow, Context, Result};
use bcu_hw::catalog;
use bcu_hw::config::{self, Config};
use bcu_hw::unit::latency::{GATEWAY_RELEASE, NAMED_EXIT_RELEASE, NAMED_RELEASE};
use std::fs;
use std::path::Path;

/// Another design, measured with the same flow: what it has, its size; LUT4, FF, BRAM and MHz on HX8K, MHz on ECP5.
type Other = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// One group of the comparison: a size, our configurations of that size, and the others.
const GROUPS: [(&str, &[&str], &[Other]); 3] = [
    (
        "8 warps",
        &["warp8", "warp8_bare"],
        &[
            ("Vortex 2.x, 8 warps × 8 ids", "sync only, one flat id space", "196 / 96 / 0", "125-146", "124-146"),
            ("Vortex newest, 8 warps, 64 slots", "arrive/wait, events", "416 / 162 / 2", "67-70", "87-91"),
        ],
    ),
    (
        "32 warps",
        &["warp32"],
        &[
            ("Vortex 2.x, 32 warps × 16 ids", "sync only, one flat id space", "1109 / 624 / 0", "97-108", "98-117"),
            ("Ventus, 32 warps", "one barrier per group", "1553 / 544 / 0", "61-66", "95-99"),
            ("open_gpu, 32 warps × 16 ids", "core-wide", "1811 / 512 / 0", "47-51", "66-72"),
        ],
    ),
    (
        "512 slots",
        &["slots512"],
        &[("Vortex newest, 32 warps, 512 slots", "arrive/wait, events", "2621 / 1111 / 6", "44-46", "58-65")],
    ),
];

/// Configurations at which every unit is measured; `named`, or the gateway in its place, is at all.
const WHOLE: [&str; 2] = ["small", "default"];

/// The whole unit at `default` without some of its parts: configuration, what is left out, and the keys that say so; one without keys is among
/// the named ones.
const PARTIAL: [(&str, &str, &[(&str, &str)]); 5] = [
    ("default", "", &[]),
    ("default_without_grids", "grids", &[("grids", "false")]),
    ("default_without_clusters", "clusters", &[("cluster_size", "0")]),
    ("default_without_mbarriers", "mbarriers", &[("mbarrier_objects", "0")]),
    ("core", "all three", &[]),
];

/// Configurations without clusters at which `mbarrier` is measured on HX8K.
const MBARRIER: [&str; 3] = ["warp8_bare", "warp8", "warp32"];

/// Units whose page has a table of its own.
const HUBS: [&str; 4] = ["cluster", "cluster_hub", "grid", "grid_hub"];

/// The configuration of this name, also one of `PARTIAL`.
pub fn config(name: &str) -> Result<Config> {
    let keys = PARTIAL.iter().find(|(partial, ..)| *partial == name).map_or(&[][..], |(_, _, keys)| keys);
    let of = if keys.is_empty() { name } else { PARTIAL[0].0 };
    let (_, text) = config::NAMED.iter().find(|(named, _)| *named == of).with_context(|| format!("configuration {name}"))?;
    let line = |line: &str| {
        let key = line.split(' ').next().unwrap_or_default();
        keys.iter().find(|(of, _)| *of == key).map_or(line.to_string(), |(_, value)| format!("{key} = {value}")) + "\n"
    };
    config::parse(name, &text.lines().map(line).collect::<String>()).map_err(|wrong| anyhow!("{name}: {}", wrong[0].message))
}

/// What `named` has built in at a configuration.
fn features(config: &Config) -> String {
    let parts = [(config.reductions, "reductions"), (config.faults, "misuse faults"), (config.state_words, "save/restore")];
    let built = parts.into_iter().filter(|(built, _)| *built).map(|(_, part)| part);
    ["arrive/sync", "counts", "exits"].into_iter().chain(built).collect::<Vec<_>>().join(", ")
}

const COMPARED: &str = "compared designs";
const EVERY_UNIT: &str = "every unit";
const CONFIGURATIONS: &str = "configurations";
const PARTS: &str = "whole unit";
const HUB_UNITS: &str = "area and clock of clusters and grids";
const MBARRIER_UNIT: &str = "area and clock of mbarrier";
const GATEWAY_UNIT: &str = "area and clock of gateway";

/// The unit of barriers of a named configuration.
fn barriers_of(name: &str) -> &'static str {
    let gateway = config::named(name).is_some_and(|config| config.has_gateway());
    if gateway {
        "gateway"
    } else {
        "named"
    }
}

/// What is measured on both devices; of several multiprocessors, which are too large for either flow, the parts.
fn points() -> Vec<Point> {
    let barriers = config::NAMED.iter().map(|(name, _)| (barriers_of(name), *name));
    let built = |c: &'static str| config::named(c).map_or(vec![], |config| config.built().collect());
    let others = WHOLE.into_iter().flat_map(|c| built(c).into_iter().map(move |unit| (unit, c)));
    barriers.chain(others.filter(|(unit, _)| !["named", catalog::SEVERAL].contains(unit))).collect()
}

/// What the tables need.
pub fn needed() -> Vec<(Point, Device)> {
    let on_one = |device, point: Point| (point, device);
    let mbarrier = MBARRIER.map(|config| on_one(Device::Hx8k, ("mbarrier", config)));
    let partial = PARTIAL.map(|(config, ..)| on_one(Device::Ecp5, (catalog::WHOLE, config)));
    let both = product(&points(), &[Device::Hx8k, Device::Ecp5]);
    let once = partial.into_iter().filter(|one| !both.contains(one)).collect::<Vec<_>>();
    both.iter().copied().chain(mbarrier).chain(once).collect()
}

/// What is placed with one seed only: the whole unit takes minutes each time, and what its parts add is in the area.
pub fn is_placed_once((unit, name): Point, device: Device) -> bool {
    unit == catalog::WHOLE && device == Device::Ecp5 && PARTIAL.iter().any(|(config, ..)| *config == name)
}

/// Puts the tables between their marks.
pub fn write(root: &Path, table: &Table) -> Result<()> {
    let put = |file: &str, tables: &[(&str, String)]| -> Result<()> {
        let path = root.join(file);
        let mut text = fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
        for (name, lines) in tables {
            let (begin, end) = (format!("<!-- {name} begin: cargo xtask synth --write -->"), format!("<!-- {name} end -->"));
            text = regen::between(&text, &begin, &end, lines).with_context(|| format!("{file} lacks the marks `{begin}`"))?;
        }
        regen::write(&path, &text)
    };
    put("docs/quality.md", &[(COMPARED, compared(table)?), (EVERY_UNIT, units(table)?), (PARTS, parts(table)?)])?;
    put("docs/multiprocessors.md", &[(HUB_UNITS, hubs(table)?)])?;
    put("docs/mbarrier.md", &[(MBARRIER_UNIT, mbarrier(table)?)])?;
    put("docs/gateway.md", &[(GATEWAY_UNIT, gateway(table)?)])?;
    put("README.md", &[(CONFIGURATIONS, configurations(table)?)])
}

fn compared(table: &Table) -> Result<String> {
    let mut text = String::from("| design | what it has | HX8K: LUT4 / FF / BRAM | MHz | ECP5: MHz |\n|---|---|---|---|---|\n");
    for (size, ours, others) in GROUPS {
        for name in ours {
            let [hx8k, ecp5] = both(table, ("named", name))?;
            let has = features(&config::named(name).with_context(|| format!("configuration {name}"))?);
            text += &format!(
                "| **`bcu_named` at `{name}`**, {size} | {has} | {} | {} | {} |\n",
                area(hx8k),
                hx8k.clock(),
                ecp5.clock()
            );
        }
        for (design, what, area, hx8k, ecp5) in others {
            text += &format!("| {design} | {what} | {area} | {hx8k} | {ecp5} |\n");
        }
    }
    Ok(text)
}

fn units(table: &Table) -> Result<String> {
    let mut text = String::from(
        "| unit | configuration | HX8K: LUT4 / FF / BRAM | MHz | ECP5: LUT4 / FF / BRAM | MHz | last arrival to release, HX8K / ECP5 | exit to release |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for point in points() {
        let [hx8k, ecp5] = both(table, point)?;
        let wait = |cycles: u64| {
            let ns = |f: &Figures| {
                f.clocks
                    .iter()
                    .copied()
                    .reduce(f64::max)
                    .map_or("-".to_string(), |mhz| format!("{:.0}", cycles as f64 * 1000.0 / mhz))
            };
            format!("{} / {} ns", ns(hx8k), ns(ecp5))
        };
        let (release, exit) = match point.0 {
            "named" => (wait(NAMED_RELEASE), wait(NAMED_EXIT_RELEASE)),
            "gateway" => (wait(GATEWAY_RELEASE), String::new()),
            _ => (String::new(), String::new()),
        };
        text += &format!(
            "| `{}` | `{}` | {} | {} | {} | {} | {release} | {exit} |\n",
            point.0,
            point.1,
            area(hx8k),
            hx8k.clock(),
            area(ecp5),
            ecp5.clock()
        );
    }
    Ok(text)
}

fn configurations(table: &Table) -> Result<String> {
    let mut text = String::from(
        "| name | warps × lanes, CTA slots × barriers | LUT4 / FF / BRAM | MHz, HX8K | MHz, ECP5 |\n|---|---|---|---|---|\n",
    );
    for (name, _) in config::NAMED {
        let c = config::named(name).with_context(|| format!("configuration {name}"))?;
        let [hx8k, ecp5] = both(table, (barriers_of(name), name))?;
        let of = if c.has_gateway() { ", `bcu_gateway`" } else { "" };
        text += &format!(
            "| `{name}`{of} | {} × {}, {} × {} | {} | {} | {} |\n",
            c.warps,
            c.lanes,
            c.cta_slots,
            c.ids(),
            area(hx8k),
            hx8k.clock(),
            ecp5.clock()
        );
    }
    Ok(text)
}

/// The whole unit at `default`, and what it saves to leave parts out.
fn parts(table: &Table) -> Result<String> {
    let mut text = String::from("| `bcu` on ECP5 | LUT4 / FF / BRAM | MHz | less than `default` by |\n|---|---|---|---|\n");
    let all = on(table, (catalog::WHOLE, PARTIAL[0].0), Device::Ecp5)?;
    for (name, without, _) in PARTIAL {
        let f = on(table, (catalog::WHOLE, name), Device::Ecp5)?;
        let less = |of: fn(&Figures) -> usize| of(all) as i64 - of(f) as i64;
        let (what, saved) = match without {
            "" => (format!("`{name}`"), String::new()),
            _ => (
                format!(
                    "without {without}{}",
                    if config::named(name).is_some() { format!(" (`{name}`)") } else { String::new() }
                ),
                format!("{} / {} / {}", less(|f| f.luts), less(|f| f.flops), less(|f| f.rams)),
            ),
        };
        text += &format!("| {what} | {} | {} | {saved} |\n", area(f), f.clock());
    }
    Ok(text)
}

/// The units of clusters and grids at the configurations at which every unit is measured.
fn hubs(table: &Table) -> Result<String> {
    let mut text = String::from(
        "| unit | configuration | HX8K: LUT4 / FF / BRAM | MHz | ECP5: LUT4 / FF / BRAM | MHz |\n|---|---|---|---|---|---|\n",
    );
    for unit in HUBS {
        for name in WHOLE {
            let [hx8k, ecp5] = both(table, (unit, name))?;
            let (a, b) = (area(hx8k), area(ecp5));
            text += &format!("| `{unit}` | `{name}` | {a} | {} | {b} | {} |\n", hx8k.clock(), ecp5.clock());
        }
    }
    Ok(text)
}

fn gateway(table: &Table) -> Result<String> {
    let mut text = String::from(
        "| configuration | HX8K: LUT4 / FF / BRAM | MHz | ECP5: LUT4 / FF / BRAM | MHz |\n|---|---|---|---|---|\n",
    );
    for (unit, name) in points().into_iter().filter(|(unit, _)| *unit == "gateway") {
        let [hx8k, ecp5] = both(table, (unit, name))?;
        text += &format!("| `{name}` | {} | {} | {} | {} |\n", area(hx8k), hx8k.clock(), area(ecp5), ecp5.clock());
    }
    Ok(text)
}

fn mbarrier(table: &Table) -> Result<String> {
    let mut text = String::from("| configuration | what | LUT4 / FF / BRAM | MHz |\n|---|---|---|---|\n");
    for name in MBARRIER {
        let f = on(table, ("mbarrier", name), Device::Hx8k)?;
        let c = config(name)?;
        let faults = if c.faults { "all faults" } else { "no faults" };
        let what = format!("{} warps, {} objects, {faults}", c.warps, c.mbarrier_objects);
        text += &format!("| `{name}` | {what} | {} | {} |\n", area(f), f.clock());
    }
    Ok(text)
}

fn on(table: &Table, point: Point, device: Device) -> Result<&Figures> {
    table.get(&(point, device)).with_context(|| format!("{} at {} was not measured", point.0, point.1))
}

fn both(table: &Table, point: Point) -> Result<[&Figures; 2]> {
    Ok([on(table, point, Device::Hx8k)?, on(table, point, Device::Ecp5)?])
}

fn area(f: &Figures) -> String {
    format!("{} / {} / {}", f.luts, f.flops, f.rams)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_built_and_named_once() {
        let needed = needed();
        for (at, ((unit, name), device)) in needed.iter().enumerate() {
            assert!(config(name).unwrap().built().any(|built| built == *unit), "{unit} at {name}");
            assert!(!needed[..at].contains(&((unit, name), *device)), "{unit} at {name} twice");
        }
        let without = config("default_without_clusters").unwrap();
        assert!(!without.has_clusters() && without.has_mbarrier() && without.has_grids());
        assert!(config("default_without_nothing").is_err());
        assert!(is_placed_once(("bcu", "core"), Device::Ecp5) && !is_placed_once(("bcu", "small"), Device::Ecp5));
    }
}
