// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Area and clock of the exported units on iCE40 HX8K, ECP5 and standard cells. Their tables are in README.md, docs/evidence/quality.md and
//! the pages of units.

mod any;
mod cells;
mod device;
mod flow;
mod measured;
mod names;
mod page;
mod point;

use anyhow::{anyhow, bail, Context, Result};
use bcu_hw::config;
use bcu_hw::{catalog, export, verilog};
use bcu_isa::config::Config;
use bcu_isa::units;
use clap::ValueEnum as _;
use device::Device;
use flow::{Exported, Flow};
use measured::Measured;
use page::Table;
use point::{product, Point};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use xtask::pool;

#[derive(clap::Args)]
pub struct Args {
    /// Units to map; default: all.
    units: Vec<String>,
    /// Configurations to map, by name or as a TOML file; default: all named ones.
    #[arg(long = "config", value_name = "NAME|FILE.toml")]
    configs: Vec<String>,
    /// Devices to map to; default: all.
    #[arg(long = "device")]
    devices: Vec<Device>,
    /// Number of seeds of the placement; the clock is printed as the range over the seeds.
    #[arg(long, default_value_t = 3)]
    seeds: u32,
    /// How many mappings run in parallel; default: all cores.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    /// Draws nextpnr's placement of one unit in one configuration on one device.
    #[arg(long, value_name = "FILE.svg", conflicts_with = "write")]
    picture: Option<PathBuf>,
    /// Measures those figures of the tables of README.md and docs/ that docs/evidence/measured.json lacks or holds for an older revision.
    /// Writes the tables and that file.
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    design: any::Design,
}

/// Prints one line per unit, configuration and device. With `--write`, writes the tables.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    if let Some(top) = args.design.top() {
        return args.design.measure(root, top, &args.devices, args.seeds);
    }
    let devices: &[Device] = if args.devices.is_empty() { Device::value_variants() } else { &args.devices };
    let of_tables = if args.write { page::needed() } else { vec![] };
    let configs = configs(args, of_tables.iter().map(|((_, config), _)| config.as_str()))?;
    let named = |((unit, config), device): &(Point, Device)| {
        let listed = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
        listed(&args.units, unit) && listed(&args.configs, config) && devices.contains(device)
    };
    let wanted: Vec<(Point, Device)> = match args.write {
        true => of_tables.iter().filter(|job| named(job)).cloned().collect(),
        false => product(&all_units(&configs), devices).into_iter().filter(named).collect(),
    };
    if args.picture.is_some() && (wanted.len() != 1 || wanted.iter().any(|(_, device)| *device == Device::Osu018)) {
        bail!(
            "--picture: expected one unit, one --config and one --device (hx8k or ecp5); found {} combinations",
            wanted.len()
        );
    }
    let used: BTreeSet<Device> = wanted.iter().chain(&of_tables).map(|(_, device)| *device).collect();
    let flows = used.into_iter().map(|d| Ok((d, Flow::ready(root, d)?))).collect::<Result<BTreeMap<_, _>>>()?;

    let measured = Mutex::new(Measured::read(root)?);
    pool::end_with_me()?;
    println!("| unit | configuration | device | LUT4 or gates | FF | BRAM or bits | MHz |\n|---|---|---|---|---|---|---|");
    let done = pool::each(
        &wanted,
        args.jobs,
        |((unit, config), device)| format!("{unit} at {config} on {device:?}"),
        |(point, device)| {
            let seeds = if args.write && page::is_placed_once(point) { 1 } else { args.seeds };
            let figures = exported(&configs, point).and_then(|unit| {
                let (flow, digest) = (&flows[device], flows[device].digest(&unit));
                let reusable_figures = |measured: &Measured| {
                    measured
                        .get(point, *device)
                        .filter(|(_, of)| args.write && *of == digest)
                        .map(|(figures, _)| figures.clone())
                };
                if let Some(figures) = reusable_figures(&measured.lock().unwrap_or_else(PoisonError::into_inner)) {
                    return Ok(figures);
                }
                let figures = flow.measure(&unit, seeds, args.picture.as_deref())?;
                if args.write {
                    measured.lock().unwrap_or_else(PoisonError::into_inner).put(point, *device, digest, figures.clone())?;
                }
                Ok(figures)
            });
            let (unit, config) = point;
            let line = figures.as_ref().map_or_else(
                |error| format!("{unit} at {config} on {device:?}: {error:#}"),
                |f| {
                    let clock = if *device == Device::Osu018 { String::new() } else { f.clock() };
                    format!("| {unit} | {config} | {device:?} | {} | {} | {} | {clock} |", f.logic, f.flops, f.rams)
                },
            );
            (line, figures)
        },
    );
    done.into_iter().map(|figures| figures.context("stopped by a signal")?).collect::<Result<Vec<_>>>()?;
    if args.write {
        let measured = measured.into_inner().unwrap_or_else(PoisonError::into_inner);
        let points: BTreeSet<&Point> = of_tables.iter().map(|(point, _)| point).collect();
        let units =
            points.into_iter().map(|point| Ok((point, exported(&configs, point)?))).collect::<Result<BTreeMap<_, _>>>()?;
        let mut table = Table::default();
        for (point, device) in &of_tables {
            if let Some((figures, digest)) = measured.get(point, *device) {
                table.put(point.clone(), *device, figures.clone(), digest == flows[device].digest(&units[point]));
            }
        }
        page::write(root, &table)?;
    }
    Ok(true)
}

/// Every unit of these configurations.
fn all_units(configs: &BTreeMap<String, Config>) -> Vec<Point> {
    configs.iter().flat_map(|(name, config)| catalog::built(config).map(|unit| (unit, name.clone()))).collect()
}

/// The configurations that the arguments name (by default all named ones), and the configurations of the tables.
fn configs<'a>(args: &'a Args, of_tables: impl Iterator<Item = &'a str>) -> Result<BTreeMap<String, Config>> {
    if let Some(wrong) = args.units.iter().find(|unit| !units::UNITS.contains(&unit.as_str())) {
        bail!("`{wrong}` is not a unit; the units are {}", units::UNITS.join(", "));
    }
    let all_configs = bcu_isa::config::NAMED.iter().map(|(name, _)| *name).filter(|_| args.configs.is_empty());
    let names: BTreeSet<&str> = args.configs.iter().map(String::as_str).chain(all_configs).chain(of_tables).collect();
    names.into_iter().map(|name| Ok((name.to_string(), read(name)?))).collect()
}

/// A configuration by name, or from a file.
fn read(name: &str) -> Result<Config> {
    if Path::new(name).extension().is_none() {
        let known = || bcu_isa::config::NAMED.iter().map(|(known, _)| *known).collect::<Vec<_>>().join(", ");
        return page::config(name)
            .with_context(|| format!("`{name}` is not a configuration; expected {}, or a file ending in .toml", known()));
    }
    let text = fs::read_to_string(name).with_context(|| format!("cannot read {name}"))?;
    let stem = Path::new(name).file_stem().map_or(name.into(), |stem| stem.to_string_lossy());
    config::parse(&stem, &text).map_err(|wrong| {
        let shown = wrong.iter().map(|error| {
            let (line, column) = error.position(&text);
            let help = error.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
            format!("{name}:{line}:{column}: {}{help}", error.message)
        });
        anyhow!(shown.collect::<Vec<_>>().join("\n"))
    })
}

/// The exported unit of a point, with the data that its flow needs.
fn exported(configs: &BTreeMap<String, Config>, (unit, name): &Point) -> Result<Exported> {
    let config = configs.get(name).with_context(|| format!("configuration {name}"))?;
    let built = catalog::build(config, unit).with_context(|| format!("unit {unit}"))?;
    let top = verilog::Options::new(built.name()).top;
    let text = export::text(config, unit)?;
    Ok(Exported { stem: format!("{}_{top}", config.name), top, text, ports: built.ports(), read: None })
}
