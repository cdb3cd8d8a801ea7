// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables that are made from measured figures: in docs/quality.md our units beside other designs, in README.md the configurations.

use super::flow::{Device, Figures};
use super::{Point, Table};
use crate::regen;
use anyhow::{Context, Result};
use bcu_hw::catalog;
use bcu_hw::config::{self, Config};
use bcu_hw::unit::latency::{NAMED_EXIT_RELEASE, NAMED_RELEASE};
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

/// Configurations at which every unit is measured; `named` is at all.
const WHOLE: [&str; 2] = ["small", "default"];

/// What `named` has built in at a configuration.
fn features(config: &Config) -> String {
    let parts = [(config.reductions, "reductions"), (config.faults, "misuse faults"), (config.state_words, "save/restore")];
    let built = parts.into_iter().filter(|(built, _)| *built).map(|(_, part)| part);
    ["arrive/sync", "counts", "exits"].into_iter().chain(built).collect::<Vec<_>>().join(", ")
}

const COMPARED: &str = "compared designs";
const EVERY_UNIT: &str = "every unit";
const CONFIGURATIONS: &str = "configurations";

/// What the tables need.
pub fn points() -> Vec<Point> {
    let named = config::NAMED.iter().map(|(name, _)| ("named", *name));
    let others = WHOLE.into_iter().flat_map(|c| catalog::UNITS.into_iter().filter(|u| *u != "named").map(move |u| (u, c)));
    named.chain(others).collect()
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
    put("docs/quality.md", &[(COMPARED, compared(table)?), (EVERY_UNIT, units(table)?)])?;
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
            if point.0 == "named" {
                format!("{} / {} ns", ns(hx8k), ns(ecp5))
            } else {
                String::new()
            }
        };
        let (release, exit) = (wait(NAMED_RELEASE), wait(NAMED_EXIT_RELEASE));
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
        let [hx8k, ecp5] = both(table, ("named", name))?;
        text += &format!(
            "| `{name}` | {} × {}, {} × {} | {} | {} | {} |\n",
            c.warps,
            c.lanes,
            c.cta_slots,
            c.barriers,
            area(hx8k),
            hx8k.clock(),
            ecp5.clock()
        );
    }
    Ok(text)
}

fn both(table: &Table, point: Point) -> Result<[&Figures; 2]> {
    let of = |device| table.get(&(point, device)).with_context(|| format!("{} at {} was not measured", point.0, point.1));
    Ok([of(Device::Hx8k)?, of(Device::Ecp5)?])
}

fn area(f: &Figures) -> String {
    format!("{} / {} / {}", f.luts, f.flops, f.rams)
}
