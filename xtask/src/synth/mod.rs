// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Area and clock of the exported units on iCE40 HX8K and ECP5, and the tables of them in README.md, docs/quality.md and the pages of units.

mod flow;
mod page;

use crate::pool;
use anyhow::{bail, Context, Result};
use bcu_hw::{catalog, config, export, verilog};
use flow::{Device, Exported, Figures, Flow};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

#[derive(clap::Args)]
pub struct Args {
    /// Units to map, all of them if none is named.
    units: Vec<String>,
    /// Configurations to map, all of them if none is named.
    #[arg(long = "config")]
    configs: Vec<String>,
    /// Devices to map to, both if none is named.
    #[arg(long = "device")]
    devices: Vec<Device>,
    /// Seeds of the placement; the clock is given as the range over them.
    #[arg(long, default_value_t = 3)]
    seeds: u32,
    /// How many mappings run at the same time; all cores if not given.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Measures what the tables of README.md and docs/ show, and writes them.
    #[arg(long, conflicts_with_all = ["units", "configs", "devices"])]
    write: bool,
}

/// A unit in a configuration.
type Point = (&'static str, &'static str);

/// What was measured, by point and device.
type Table = BTreeMap<(Point, Device), Figures>;

/// Prints one line per unit, configuration and device; writes the tables if that is asked for.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let devices = if args.devices.is_empty() { vec![Device::Hx8k, Device::Ecp5] } else { args.devices.clone() };
    let flows = devices.iter().map(|d| Ok((*d, Flow::ready(root, *d)?))).collect::<Result<BTreeMap<_, _>>>()?;
    let needed = if args.write { page::needed() } else { product(&chosen(args)?, &devices) };
    let jobs: Vec<(Point, Device, &Flow)> = needed.iter().map(|(p, d)| (*p, *d, &flows[d])).collect();
    pool::end_with_me()?;
    println!("| unit | configuration | device | LUT4 | FF | BRAM | MHz |\n|---|---|---|---|---|---|---|");
    let measured = pool::each(
        &jobs,
        args.jobs,
        |((unit, config), device, _)| format!("{unit} at {config} on {device:?}"),
        |(point, device, flow)| {
            let seeds = if args.write && page::is_placed_once(*point, *device) { 1 } else { args.seeds };
            let figures = measure(flow, *point, seeds);
            let line = figures.as_ref().map_or_else(
                |error| format!("{} at {} on {device:?}: {error:#}", point.0, point.1),
                |f| {
                    let (luts, flops, rams) = (f.luts, f.flops, f.rams);
                    format!("| {} | {} | {device:?} | {luts} | {flops} | {rams} | {} |", point.0, point.1, f.clock())
                },
            );
            (line, figures.map(|f| ((*point, *device), f)))
        },
    );
    let table: Table = measured.into_iter().collect::<Result<_>>()?;
    if args.write {
        page::write(root, &table)?;
    }
    Ok(true)
}

/// Every point on every device.
fn product(points: &[Point], devices: &[Device]) -> Vec<(Point, Device)> {
    points.iter().flat_map(|point| devices.iter().map(|device| (*point, *device))).collect()
}

/// The points that the arguments name.
fn chosen(args: &Args) -> Result<Vec<Point>> {
    let configs: Vec<&str> = config::NAMED.iter().map(|(name, _)| *name).collect();
    for (what, given, known) in [("configuration", &args.configs, &configs[..]), ("unit", &args.units, &catalog::UNITS[..])] {
        if let Some(wrong) = given.iter().find(|g| !known.contains(&g.as_str())) {
            bail!("`{wrong}` is no {what}; there are {}", known.join(", "));
        }
    }
    let in_list = |list: &[String], name: &str| list.is_empty() || list.iter().any(|l| l == name);
    let built = |c| config::named(c).map_or(vec![], |config| config.built().map(|unit| (unit, c)).collect());
    let points = configs.into_iter().flat_map(built);
    Ok(points.filter(|(u, c)| in_list(&args.units, u) && in_list(&args.configs, c)).collect())
}

fn measure(flow: &Flow, (unit, name): Point, seeds: u32) -> Result<Figures> {
    let config = page::config(name)?;
    let built = catalog::build(&config, unit).with_context(|| format!("unit {unit}"))?;
    let top = verilog::Options::for_unit(&*built).top;
    let text = export::text(&config, unit)?;
    let (stem, rows) = (format!("{name}_{top}"), config.cta_slots * config.ids());
    flow.measure(&Exported { stem, top, text, ports: built.ports(), rows }, seeds)
}
