// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measures how many faults the regression finds. Yosys puts single faults into the exported unit, spread over all modules, and `bcu
//! regress` runs on the verilated text with each of them. Survivors are checked for sequential equivalence, so that only observable faults
//! count. Exit code 0: every observable fault was found; 1: a fault survived; 2: a tool could not be run.

mod campaign;
mod equal;
mod memo;
mod miter;
mod netlist;
mod regression;
mod report;
#[cfg(test)]
mod tests;

use anyhow::{bail, Context, Result};
use bcu_hw::export;
use bcu_isa::config;
use bcu_isa::config::Config;
use bcu_isa::units;
use campaign::{stages, Campaign, Fate};
use equal::{Answer, Prover};
use netlist::{Mutant, Netlist, TOP};
use regression::{top_of, Regression};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The configuration whose export is measured, and the configuration for units that the first one lacks.
const CONFIG: &str = "small";
const SECOND_CONFIG: &str = "intel_tiny";

/// The unit's testbench must find at least this number of 100 faults that the regression finds or that are proved to be observable.
const FOUND_BY_BENCH: usize = 95;

#[derive(clap::Args)]
pub struct Args {
    /// Exported unit that gets the faults.
    #[arg(long, default_value = TOP, value_parser = units::UNITS)]
    unit: String,
    /// Number of faults, over all modules.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    count: u32,
    /// Seed of the choice of faults.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=0x7fff_ffff))]
    seed: u32,
    /// Only faults in these modules of the export.
    #[arg(long, value_delimiter = ',', value_name = "MODULE")]
    modules: Vec<String>,
    /// Outermost module in which equivalence is checked; a unit of several multiprocessors is too large as a whole.
    #[arg(long, value_name = "MODULE")]
    within: Option<String>,
    /// Only the faults with these ids, as `--list` prints them.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Prints the faults instead of running them.
    #[arg(long)]
    list: bool,
    /// Cycles of each lockstep test.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Time limit of an equivalence check in seconds, for the module of the fault and for each module around it.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Faults that run in parallel; default: one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Measures the exported testbench with the observable faults: it must find 95 of 100.
    #[arg(long, conflicts_with = "write")]
    bench: bool,
    /// Writes the table into docs/evidence/verification.md.
    #[arg(long, conflicts_with_all = ["unit", "modules", "only", "list"])]
    write: bool,
}

impl Args {
    /// The command line that repeats a run with the same list of faults.
    fn command(&self) -> String {
        let Args { count, seed, cycles, .. } = self;
        let modules = if self.modules.is_empty() { String::new() } else { format!(" --modules {}", self.modules.join(",")) };
        let within = self.within.as_ref().map_or(String::new(), |module| format!(" --within {module}"));
        let unit = if self.unit == TOP { String::new() } else { format!(" --unit {}", self.unit) };
        format!("cargo lab mutate{unit} --count {count} --seed {seed} --cycles {cycles}{modules}{within}")
    }
}

/// Runs a campaign. Returns false if a fault survived.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let start = Instant::now();
    let config = config_of(&args.unit)?;
    let text = &export::text(&config, &args.unit)?;
    let cache = root.join("target/mutate");
    let yosys = version("yosys", "-V")?;
    let folder = cache.join(campaign::hash(&(text, &yosys, args.count, args.seed, &args.modules)));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let netlist = Netlist::new(text, &top_of(&args.unit), &args.modules, args.count as usize, u64::from(args.seed), &folder)?;
    if args.list {
        netlist.mutants.iter().for_each(|m| println!("{} {} {}", m.id, m.change, m.source));
        return Ok(true);
    }
    let chosen = choose(&netlist, &args.only)?;
    println!("mutate: {} faults, seed {}; repeat with: {}", chosen.len(), args.seed, args.command());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.unwrap_or(0).into()).build()?;
    let regression =
        Regression { unit: unit_of(&args.unit)?, netlist: &netlist, config: &config, directory: cache.join("verilated") };
    let prover = Prover::new(&netlist, &config, &folder, u64::from(args.seconds));
    let campaign = Campaign::new(regression, prover, args.within.clone(), &folder)?;
    let fates = pool.install(|| campaign.fates(&chosen, &stages(args.cycles as usize)))?;
    if args.bench {
        return pool.install(|| bench(&campaign, &fates, args));
    }
    let totals = report::count(fates.iter().map(|(_, fate)| fate));
    let table = report::table(&netlist, &fates);
    let survivors = report::survivors(&fates, &args.command());
    print!("{table}");
    if !survivors.is_empty() {
        print!("survivors:\n{survivors}");
    }
    println!(
        "mutate: {} faults, {} killed, {} proved equivalent, {} survived, {:.0} s",
        totals.faults,
        totals.killed(),
        totals.equal,
        totals.survivors,
        start.elapsed().as_secs_f64()
    );
    if !args.only.is_empty() {
        fates.iter().for_each(|(mutant, fate)| println!("{}: {fate:?}\n  {} {}", mutant.id, mutant.change, mutant.source));
    }
    if args.write {
        let decided = totals.killed() + totals.survivors;
        let killed = totals.killed();
        let about = format!(
            "`{}`, {yosys}: of {} faults {} are proved equivalent; of the other {decided}, {killed} are killed.",
            args.command(),
            totals.faults,
            totals.equal
        );
        let list = if survivors.is_empty() { String::new() } else { format!("\nSurvivors:\n\n{survivors}") };
        report::write(&root.join("docs/evidence/verification.md"), &format!("{about}\n\n{table}{list}"))?;
    }
    Ok(totals.survivors == 0)
}

/// Counts the observable faults that the exported testbench finds. Returns false if they are too few.
fn bench(campaign: &Campaign, fates: &[(&Mutant, Fate)], args: &Args) -> Result<bool> {
    let is_visible = |fate: &Fate| matches!(fate, Fate::Killed(_) | Fate::Survived(Answer::Differs(_)));
    let visible: Vec<&Mutant> = fates.iter().filter(|(_, fate)| is_visible(fate)).map(|(m, _)| *m).collect();
    let missed = campaign.missed_by_bench(&visible)?;
    missed.iter().for_each(|m| println!("missed: {} {} {}", m.id, m.change, m.source));
    let found = visible.len() - missed.len();
    println!("mutate: the bench of {} finds {found} of {} faults, seed {}", args.unit, visible.len(), args.seed);
    Ok(found * 100 >= visible.len() * FOUND_BY_BENCH)
}

/// The configuration whose export of `unit` is measured.
fn config_of(unit: &str) -> Result<Config> {
    let has = |config: &Config| config.has_unit(unit);
    let config = [CONFIG, SECOND_CONFIG].into_iter().filter_map(config::named).find(has);
    config.with_context(|| format!("neither `{CONFIG}` nor `{SECOND_CONFIG}` has a unit `{unit}`"))
}

/// The name as it is in the list of units.
fn unit_of(name: &str) -> Result<&'static str> {
    units::UNITS.into_iter().find(|unit| *unit == name).with_context(|| format!("`{name}`: unknown unit"))
}

fn choose<'m>(netlist: &'m Netlist, only: &[String]) -> Result<Vec<&'m Mutant>> {
    for id in only {
        if !netlist.mutants.iter().any(|m| m.id == *id) {
            bail!("`{id}`: no such fault; give the --count, --seed and --modules of its campaign; `--list` prints its faults");
        }
    }
    Ok(netlist.mutants.iter().filter(|m| only.is_empty() || only.contains(&m.id)).collect())
}

/// First line of what a tool prints as its version.
fn version(tool: &str, option: &str) -> Result<String> {
    let done =
        Command::new(tool).arg(option).output().with_context(|| format!("cannot start {tool}: apt-get install {tool}"))?;
    Ok(String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default().to_string())
}
