// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables of measured figures: in docs/evidence/quality.md this project's units and other designs, in README.md the configurations, and
//! in the pages of units the units of the page.

use super::comparison::{keys, parts};
use super::device::Device;
use super::needed::{self, barriers_of, points, HUBS, MBARRIER, WHOLE};
use super::table::Table;
use crate::regen;
use anyhow::{Context, Result};
use bcu_hw::config;
use bcu_hw::unit::latency::{GATEWAY_RELEASE, NAMED_EXIT_RELEASE, NAMED_RELEASE};
use bcu_isa::config::Config;
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
        let c = needed::config(name)?;
        let faults = if c.faults { "all faults" } else { "no faults" };
        let what = format!("{} warps, {} objects, {faults}", c.warps, c.mbarrier_objects);
        text += &format!("| `{name}` | {what} | {} | {} |\n", cells.area(), cells.clock());
    }
    Ok(text)
}
