// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Area and clock of the exported units on iCE40 HX8K, ECP5 and standard cells. Their tables are in README.md, docs/evidence/quality.md and
//! the pages of units.

mod any;
mod cells;
mod check;
mod comparison;
mod critical;
mod device;
mod flow;
mod inputs;
mod measured;
mod names;
mod needed;
mod page;
mod path;
mod place;
mod point;
mod table;
mod wrapper;

use anyhow::{bail, Context, Result};
use bcu_hw::catalog;
use bcu_isa::config::Config;
use clap::ValueEnum as _;
use device::Device;
use flow::Flow;
use inputs::{configs, exported};
use measured::{Figures, Measured};
use path::Blocks;
use point::{product, Point};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use table::Table;
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
    /// Measures and compares with the figures in docs/evidence/measured.json, by default all of them: a clock that is 5 % lower, an area that
    /// is 3 % larger or a further block RAM fails with exit code 1; a named point without a committed figure gives exit code 2.
    #[arg(long, conflicts_with_all = ["write", "picture", "seeds"])]
    check: bool,
    #[command(flatten)]
    design: any::Design,
}

/// Prints one line per unit, configuration and device. With `--write`, writes the tables.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    if let Some(top) = args.design.top() {
        return args.design.measure(root, top, &args.devices, args.seeds);
    }
    let devices: &[Device] = if args.devices.is_empty() { Device::value_variants() } else { &args.devices };
    let measured = Mutex::new(Measured::read(root)?);
    let of_tables = if args.write || args.check { needed::needed() } else { vec![] };
    let committed =
        |(point, device): &(Point, Device)| locked(&measured).get(point, *device).map(|(figures, _)| figures.clone());
    let configs = configs(&args.units, &args.configs, of_tables.iter().map(|((_, config), _)| config.as_str()))?;
    let named = |((unit, config), device): &(Point, Device)| {
        let listed = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
        listed(&args.units, unit) && listed(&args.configs, config) && devices.contains(device)
    };
    let (wanted, missing): (Vec<(Point, Device)>, _) = if args.check {
        let known: Vec<_> = of_tables.iter().filter(|job| committed(job).is_some()).cloned().collect();
        check::wanted(&known, (&args.units, &args.configs, &args.devices))
    } else if args.write {
        (of_tables.iter().filter(|job| named(job)).cloned().collect(), vec![])
    } else {
        (product(&all_units(&configs), devices).into_iter().filter(named).collect(), vec![])
    };
    if args.picture.is_some() && (wanted.len() != 1 || wanted.iter().any(|(_, device)| *device == Device::Osu018)) {
        bail!(
            "--picture: expected one unit, one --config and one --device (hx8k or ecp5); found {} combinations",
            wanted.len()
        );
    }
    let used: BTreeSet<Device> =
        wanted.iter().chain(of_tables.iter().filter(|_| args.write)).map(|(_, device)| *device).collect();
    let flows = used.into_iter().map(|d| Ok((d, Flow::ready(root, d)?))).collect::<Result<BTreeMap<_, _>>>()?;

    let jobs = Jobs { args, configs: &configs, flows: &flows, measured: &measured, blocks: Blocks::read(root)? };
    pool::end_with_me()?;
    println!("| unit | configuration | device | LUT4 or gates | FF | BRAM or bits | MHz |\n|---|---|---|---|---|---|---|");
    let done = pool::each(
        &wanted,
        args.jobs,
        |((unit, config), device)| format!("{unit} at {config} on {device:?}"),
        |job| {
            let ((unit, config), device) = job;
            let done = jobs.measure(job);
            let line = done.as_ref().map_or_else(
                |error| format!("{unit} at {config} on {device:?}: {error:#}"),
                |Done { figures: f, .. }| {
                    let clock = if *device == Device::Osu018 { String::new() } else { f.clock() };
                    format!("| {unit} | {config} | {device:?} | {} | {} | {} | {clock} |", f.logic, f.flops, f.rams)
                },
            );
            (line, done)
        },
    );
    let done = done.into_iter().map(|done| done.context("stopped by a signal")?).collect::<Result<Vec<Done>>>()?;
    done.iter().flat_map(|done| &done.path).for_each(|path| print!("\n{path}"));
    if args.check {
        return checked(&done, &missing);
    }
    if args.write {
        let measured = locked(&measured);
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

/// What all measurements of one run need.
struct Jobs<'a> {
    args: &'a Args,
    configs: &'a BTreeMap<String, Config>,
    flows: &'a BTreeMap<Device, Flow>,
    measured: &'a Mutex<Measured>,
    blocks: Blocks,
}

/// The result for one point on one device.
struct Done {
    figures: Figures,
    /// The table of the critical path.
    path: Option<String>,
    /// With `--check`, the messages about figures that are worse than the committed ones.
    worse: Vec<String>,
}

impl Jobs<'_> {
    fn measure(&self, (point, device): &(Point, Device)) -> Result<Done> {
        let unit = exported(self.configs, point)?;
        let (flow, (name, config)) = (&self.flows[device], point);
        let digest = flow.digest(&unit);
        let committed = locked(self.measured).get(point, *device).map(|(figures, of)| (figures.clone(), of));
        if let Some((figures, _)) = committed.clone().filter(|(_, of)| self.args.write && *of == digest) {
            return Ok(Done { figures, path: None, worse: vec![] });
        }
        let seeds = match &committed {
            // The clock is compared over the same seeds; a unit that did not fit is placed once.
            Some((figures, _)) if self.args.check => figures.clocks.len().max(1) as u32,
            _ if self.args.write && needed::is_placed_once(point) => 1,
            _ => self.args.seeds,
        };
        let figures = flow.measure(&unit, seeds, self.args.picture.as_deref())?;
        let path = flow.critical_path(&unit, (name, &format!(" at {config}")), &figures, Some(&self.blocks))?;
        let worse = match &committed {
            Some((committed, _)) if self.args.check => check::worse(point, *device, committed, &figures),
            _ => vec![],
        };
        if self.args.write {
            locked(self.measured).put(point, *device, digest, figures.clone())?;
        }
        Ok(Done { figures, path, worse })
    }
}

fn locked(measured: &Mutex<Measured>) -> MutexGuard<'_, Measured> {
    measured.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints the result of `--check`. An error: no figure is committed for some of the named points.
fn checked(done: &[Done], missing: &[String]) -> Result<bool> {
    let worse: Vec<&String> = done.iter().flat_map(|done| &done.worse).collect();
    println!();
    worse.iter().for_each(|message| println!("worse: {message}"));
    println!("points compared with docs/evidence/measured.json: {}; worse figures: {}", done.len(), worse.len());
    let absent = format!("docs/evidence/measured.json has no figure of {}", missing.join(", of "));
    match (missing.is_empty(), worse.is_empty()) {
        (true, is_good) => Ok(is_good),
        (false, false) => {
            eprintln!("{absent}");
            Ok(false)
        }
        (false, true) => bail!("{absent}: `--write` measures the points of the tables"),
    }
}

/// Every unit of these configurations.
fn all_units(configs: &BTreeMap<String, Config>) -> Vec<Point> {
    configs.iter().flat_map(|(name, config)| catalog::built(config).map(|unit| (unit, name.clone()))).collect()
}
