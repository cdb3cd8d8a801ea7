// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables of measured figures: in docs/evidence/quality.md this project's units and other designs, in README.md the configurations, and
//! in the pages of units the units of the page.

use super::device::Device;
use super::measured::Figures;
use super::point::{product, Point};
use crate::regen;
use anyhow::{anyhow, Context, Result};
use bcu_hw::catalog;
use bcu_hw::config;
use bcu_hw::unit::latency::{GATEWAY_RELEASE, NAMED_EXIT_RELEASE, NAMED_RELEASE};
use bcu_isa::config::Config;
use bcu_isa::units;
use clap::ValueEnum as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Another design, measured with the same flow: its name and size, its features, its LUT4 / FF / BRAM and MHz on HX8K, its MHz on ECP5.
type OtherDesign = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// One group of the comparison: a size, this project's configurations of that size, and the other designs.
const GROUPS: [(&str, &[&str], &[OtherDesign]); 3] = [
    (
        "8 warps",
        &["warp8", "warp8_no_state", "warp8_bare"],
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
        &["rows512"],
        &[("Vortex newest, 32 warps, 512 slots", "arrive/wait, events", "2621 / 1111 / 6", "44-46", "58-65")],
    ),
];

/// The measured figures, each with a flag: true if the unit's text has not changed since the
/// measurement. Figures of an older text get the mark `†`.
#[derive(Default)]
pub struct Table(BTreeMap<(Point, Device), (Figures, bool)>);

impl Table {
    /// Adds the figures of a point. `same` is true if the unit's text has not changed since the measurement.
    pub fn put(&mut self, point: Point, device: Device, figures: Figures, same: bool) {
        self.0.insert((point, device), (figures, same));
    }

    fn get(&self, unit: &'static str, config: &str, device: Device) -> Cells<'_> {
        Cells(self.0.get(&((unit, config.to_string()), device)))
    }
}

/// The cells of a table row for one device.
struct Cells<'a>(Option<&'a (Figures, bool)>);

impl Cells<'_> {
    fn area(&self) -> String {
        match self.0 {
            None => "not measured".to_string(),
            Some((figures, same)) => figures.area() + if *same { "" } else { " \u{2020}" },
        }
    }

    fn clock(&self) -> String {
        self.0.map_or(String::new(), |(figures, _)| figures.clock())
    }

    /// The time of `cycles` cycles at the best seed's clock, in ns.
    fn wait(&self, cycles: u64) -> String {
        let best = self.0.and_then(|(figures, _)| figures.clocks.iter().copied().reduce(f64::max));
        best.map_or("-".to_string(), |mhz| format!("{:.0}", cycles as f64 * 1000.0 / mhz))
    }
}

/// Configurations in which every unit is measured. The barrier unit, `named` or the gateway, is measured in all configurations.
const WHOLE: [&str; 2] = ["small", "default"];

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
const PARTIAL: [(&str, &str); 5] = [
    ("default", ""),
    ("default_without_grids", "grids"),
    ("default_without_clusters", "clusters"),
    ("default_without_mbarriers", "mbarriers"),
    ("named_only", "all three"),
];

/// The configurations that compare `named` with 8 warps and with fewer parts: name, and the
/// description in the table.
const KEYS: [(&str, &str); 6] = [
    ("warp8", "all of it"),
    ("warp8_without_reductions", "no reductions"),
    ("warp8_no_state", "no state words"),
    ("warp8_without_two", "no state words, no reductions"),
    ("warp8_unchecked", "no state words, no misuse faults"),
    ("warp8_bare", "none of the three"),
];

/// Configurations without clusters at which `mbarrier` is measured on HX8K.
const MBARRIER: [&str; 3] = ["warp8_bare", "warp8", "warp32"];

/// Units of the table in `docs/contract/multiprocessors.md`.
const HUBS: [&str; 4] = ["cluster", "cluster_hub", "grid", "grid_hub"];

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

/// The features of `named` at a configuration.
fn features(config: &Config) -> String {
    let parts = [(config.reductions, "reductions"), (config.faults, "misuse faults"), (config.state_words, "save/restore")];
    let built = parts.into_iter().filter(|(built, _)| *built).map(|(_, part)| part);
    ["arrive/sync", "counts", "exits"].into_iter().chain(built).collect::<Vec<_>>().join(", ")
}

const COMPARED: &str = "compared designs";
const EVERY_UNIT: &str = "every unit";
const CONFIGURATIONS: &str = "configurations";
const PARTS: &str = "whole unit";
const WITHOUT_KEYS: &str = "named without parts";
const HUB_UNITS: &str = "area and clock of clusters and grids";
const MBARRIER_UNIT: &str = "area and clock of mbarrier";
const GATEWAY_UNIT: &str = "area and clock of gateway";

/// The unit that implements the barriers of a named configuration: `named` or `gateway`.
fn barriers_of(name: &str) -> &'static str {
    let gateway = config::by_name(name).is_some_and(|config| config.has_gateway());
    if gateway {
        "gateway"
    } else {
        "named"
    }
}

/// The points that are measured on all devices. The unit with several multiprocessors is too large for any flow, so its parts are measured
/// instead.
fn points() -> Vec<Point> {
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

/// Writes the tables between their markers.
pub fn write(root: &Path, table: &Table) -> Result<()> {
    let put = |file: &str, tables: &[(&str, String)]| -> Result<()> {
        let path = root.join(file);
        let mut text = fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
        for (name, lines) in tables {
            let (begin, end) = (format!("<!-- {name} begin: cargo xtask synth --write -->"), format!("<!-- {name} end -->"));
            text = regen::between(&text, &begin, &end, lines).with_context(|| format!("{file} lacks the marker `{begin}`"))?;
        }
        regen::write(&path, &text)
    };
    let quality =
        [(COMPARED, compared(table)?), (EVERY_UNIT, units(table)), (PARTS, parts(table)), (WITHOUT_KEYS, keys(table))];
    put("docs/evidence/quality.md", &quality)?;
    put("docs/contract/multiprocessors.md", &[(HUB_UNITS, hubs(table))])?;
    put("docs/contract/mbarrier.md", &[(MBARRIER_UNIT, mbarrier(table)?)])?;
    put("docs/contract/gateway.md", &[(GATEWAY_UNIT, gateway(table))])?;
    put("README.md", &[(CONFIGURATIONS, configurations(table)?)])
}

fn compared(table: &Table) -> Result<String> {
    let mut text = String::from("| design | what it has | HX8K: LUT4 / FF / BRAM | MHz | ECP5: MHz |\n|---|---|---|---|---|\n");
    for (size, ours, others) in GROUPS {
        for name in ours {
            let [hx8k, ecp5] = [Device::Hx8k, Device::Ecp5].map(|device| table.get("named", name, device));
            let has = features(&config::by_name(name).with_context(|| format!("configuration {name}"))?);
            let (area, hx8k, ecp5) = (hx8k.area(), hx8k.clock(), ecp5.clock());
            text += &format!("| **`bcu_named` at `{name}`**, {size} | {has} | {area} | {hx8k} | {ecp5} |\n");
        }
        for (design, what, area, hx8k, ecp5) in others {
            text += &format!("| {design} | {what} | {area} | {hx8k} | {ecp5} |\n");
        }
    }
    Ok(text)
}

/// Area and clock on both FPGAs, as cells of a row.
fn on_fpgas(table: &Table, unit: &'static str, config: &str) -> String {
    let cells = [Device::Hx8k, Device::Ecp5].map(|device| {
        let cells = table.get(unit, config, device);
        format!("{} | {}", cells.area(), cells.clock())
    });
    cells.join(" | ")
}

const ON_FPGAS: &str = "HX8K: LUT4 / FF / BRAM | MHz | ECP5: LUT4 / FF / BRAM | MHz";

fn units(table: &Table) -> String {
    let mut text = format!(
        "| unit | configuration | {ON_FPGAS} | OSU 0.18 \u{b5}m: gates / FF / RAM bits | last arrival to release, HX8K / ECP5 | exit to release |\n\
         |---|---|---|---|---|---|---|---|---|\n"
    );
    for (unit, name) in points() {
        let [hx8k, ecp5, osu018] = [Device::Hx8k, Device::Ecp5, Device::Osu018].map(|device| table.get(unit, &name, device));
        let wait = |cycles: u64| format!("{} / {} ns", hx8k.wait(cycles), ecp5.wait(cycles));
        let (release, exit) = match unit {
            "named" => (wait(NAMED_RELEASE), wait(NAMED_EXIT_RELEASE)),
            "gateway" => (wait(GATEWAY_RELEASE), String::new()),
            _ => (String::new(), String::new()),
        };
        let fpgas = on_fpgas(table, unit, &name);
        text += &format!("| `{unit}` | `{name}` | {fpgas} | {} | {release} | {exit} |\n", osu018.area());
    }
    text
}

fn configurations(table: &Table) -> Result<String> {
    let mut text = String::from(
        "| name | warps × lanes, CTA slots × barriers | LUT4 / FF / BRAM | MHz, HX8K | MHz, ECP5 |\n|---|---|---|---|---|\n",
    );
    for (name, _) in bcu_isa::config::NAMED {
        let c = config::by_name(name).with_context(|| format!("configuration {name}"))?;
        let [hx8k, ecp5] = [Device::Hx8k, Device::Ecp5].map(|device| table.get(barriers_of(name), name, device));
        let gateway_unit = if c.has_gateway() { ", `bcu_gateway`" } else { "" };
        text += &format!(
            "| `{name}`{gateway_unit} | {} × {}, {} × {} | {} | {} | {} |\n",
            c.warps,
            c.lanes,
            c.cta_slots,
            c.ids(),
            hx8k.area(),
            hx8k.clock(),
            ecp5.clock()
        );
    }
    Ok(text)
}

/// A table of configurations of one unit on one device, each compared with the first configuration.
/// It omits figures of an older revision of the unit, because a difference between two revisions
/// would not measure the omitted parts. A sentence names the configurations without current
/// figures. There is no table if the first configuration lacks them, or all others do.
fn comparison(
    table: &Table,
    (unit, device): (&'static str, Device),
    rows: &[(&str, &str)],
    head: &str,
    line: impl Fn(&Figures, &Figures, &str, &str) -> String,
) -> String {
    let current = |name: &str| table.get(unit, name, device).0.filter(|(_, same)| *same).map(|(figures, _)| figures);
    let found: Vec<(&Figures, &str, &str)> =
        rows.iter().filter_map(|&(name, what)| Some((current(name)?, name, what))).collect();
    let first = rows.first().and_then(|&(name, _)| current(name)).filter(|_| found.len() > 1);
    let mut text = String::new();
    if let Some(first) = first {
        text += head;
        for &(figures, name, what) in &found {
            text += &line(first, figures, name, what);
        }
    }
    let is_absent = |name: &str| first.is_none() || current(name).is_none();
    let absent: Vec<String> = rows.iter().filter(|(name, _)| is_absent(name)).map(|(name, _)| format!("`{name}`")).collect();
    if !absent.is_empty() {
        let gap = if text.is_empty() { "" } else { "\n" };
        let device = format!("{device:?}").to_lowercase();
        text += &format!(
            "{gap}Not shown, because their figures are not all of the present revision: {}.\n\
             `cargo xtask synth {unit} --device {device} --write` measures them.\n",
            absent.join(", ")
        );
    }
    text
}

/// The table of the whole unit at `default`, with the area that omitting parts saves.
fn parts(table: &Table) -> String {
    let head = "| `bcu` on ECP5 | LUT4 / FF / BRAM | MHz | less than `default` by |\n|---|---|---|---|\n";
    comparison(table, (units::WHOLE, Device::Ecp5), &PARTIAL, head, |whole, variant, name, without| {
        let less = |figure: fn(&Figures) -> usize| figure(whole) as i64 - figure(variant) as i64;
        let saved = format!("{} / {} / {}", less(|f| f.logic), less(|f| f.flops), less(|f| f.rams));
        let (what, saved) = match (without, config::by_name(name)) {
            ("", _) => (format!("`{name}`"), String::new()),
            (_, Some(_)) => (format!("without {without} (`{name}`)"), saved),
            (_, None) => (format!("without {without}"), saved),
        };
        format!("| {what} | {} | {} | {saved} |\n", variant.area(), variant.clock())
    })
}

/// The table of `named` with 8 warps, with the cost of its parts.
fn keys(table: &Table) -> String {
    let head = "| `named` with | configuration | LUT4 / FF / BRAM | MHz |\n|---|---|---|---|\n";
    comparison(table, ("named", Device::Hx8k), &KEYS, head, |_, one, name, has| {
        format!("| {has} | `{name}` | {} | {} |\n", one.area(), one.clock())
    })
}

/// The table of the units of clusters and grids, in the configurations in which every unit is measured.
fn hubs(table: &Table) -> String {
    let mut text = format!("| unit | configuration | {ON_FPGAS} |\n|---|---|---|---|---|---|\n");
    for unit in HUBS {
        for name in WHOLE {
            text += &format!("| `{unit}` | `{name}` | {} |\n", on_fpgas(table, unit, name));
        }
    }
    text
}

fn gateway(table: &Table) -> String {
    let mut text = format!("| configuration | {ON_FPGAS} |\n|---|---|---|---|---|\n");
    for (unit, name) in points().into_iter().filter(|(unit, _)| *unit == "gateway") {
        text += &format!("| `{name}` | {} |\n", on_fpgas(table, unit, &name));
    }
    text
}

fn mbarrier(table: &Table) -> Result<String> {
    let mut text = String::from("| configuration | what | LUT4 / FF / BRAM | MHz |\n|---|---|---|---|\n");
    for name in MBARRIER {
        let cells = table.get("mbarrier", name, Device::Hx8k);
        let c = config(name)?;
        let faults = if c.faults { "all faults" } else { "no faults" };
        let what = format!("{} warps, {} objects, {faults}", c.warps, c.mbarrier_objects);
        text += &format!("| `{name}` | {what} | {} | {} |\n", cells.area(), cells.clock());
    }
    Ok(text)
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

    #[test]
    fn figures_of_different_revisions_are_not_compared() {
        let figures = |logic| Figures { logic, flops: 20, rams: 3, clocks: vec![50.0] };
        let page = |current: [bool; 5]| {
            let mut table = Table::default();
            for (at, (name, _)) in PARTIAL.iter().enumerate() {
                table.put((units::WHOLE, name.to_string()), Device::Ecp5, figures(1000 - 100 * at), current[at]);
            }
            parts(&table)
        };
        let full_page = page([true; 5]);
        assert!(
            full_page.contains("| `default` | 1000 / 20 / 3 | 50 |  |\n") && !full_page.contains("Not shown"),
            "{full_page}"
        );
        assert!(full_page.contains("| without grids | 900 / 20 / 3 | 50 | 100 / 0 / 0 |\n"), "{full_page}");
        assert!(full_page.contains("| without all three (`named_only`) | 600 / 20 / 3 | 50 | 400 / 0 / 0 |\n"), "{full_page}");
        let partial_page = page([true, false, true, true, true]);
        assert!(partial_page.contains("| without clusters | 800 / 20 / 3 | 50 | 200 / 0 / 0 |\n"), "{partial_page}");
        assert!(
            !partial_page.contains("without grids") && partial_page.contains("revision: `default_without_grids`.\n"),
            "{partial_page}"
        );
        for old in [[false, true, true, true, true], [true, false, false, false, false], [false; 5]] {
            let old_page = page(old);
            assert!(!old_page.contains('|') && old_page.contains("`default`, `default_without_grids`"), "{old_page}");
            assert!(old_page.contains("`cargo xtask synth bcu --device ecp5 --write`"), "{old_page}");
        }
    }
}
