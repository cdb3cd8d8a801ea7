// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measures how many faults the regression finds. Yosys inserts single faults into the exported
//! unit, spread over all its modules. The tests of `bcu regress` run on the verilated text with
//! each fault. Survivors are checked for sequential equivalence, so that only observable faults
//! count. Exit code 0: every observable fault was found; 1: a fault survived; 2: a tool could not
//! be run.

mod campaign;
mod equal;
mod memo;
mod miter;
mod netlist;
mod record;
mod regression;
mod report;
#[cfg(test)]
mod tests;

use crate::page;
use anyhow::{bail, Context, Result};
use bcu_hw::export;
use bcu_isa::config;
use bcu_isa::config::Config;
use bcu_isa::units;
use bcu_shard::{Joined, Names, Options as _, Record, Shard};
use campaign::{stages, Campaign, Fate};
use equal::{Answer, Prover};
use netlist::{Mutant, Netlist};
use record::{Done, Options, Plan};
use regression::{top_of, Regression, Stage};
use report::Row;
pub use report::MARKS;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use xtask::shards::{self, ShardArgs};

/// The configuration whose export is measured.
const CONFIG: &str = "small";
/// The configuration whose export is measured for the units that `CONFIG` lacks.
const SECOND_CONFIG: &str = "intel_tiny";

/// The percentage of observable faults that the unit's testbench must find. A fault is observable if
/// the regression finds it, or if the equivalence check proves that it is.
const FOUND_BY_BENCH: usize = 95;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    plan: Plan,
    /// Prints the faults instead of running them.
    #[arg(long, conflicts_with = "record")]
    list: bool,
    /// Faults that run in parallel; default: one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Measures the exported testbench with the observable faults: it must find 95 of 100.
    #[arg(long, conflicts_with_all = ["write", "record"])]
    bench: bool,
    /// Writes the table into docs/evidence/verification.md.
    #[arg(long, conflicts_with_all = ["unit", "modules", "only", "list", "shard"])]
    write: bool,
    #[command(flatten)]
    shards: ShardArgs,
    /// Merges the records of all shards of a campaign, and prints the result of the whole campaign.
    #[arg(long, value_name = "RECORD", num_args = 1.., conflicts_with_all = [
        "unit", "count", "seed", "modules", "within", "only", "cycles", "seconds", "list", "jobs", "bench", "record",
    ])]
    merge: Vec<PathBuf>,
}

/// The export with all its faults.
struct Subject {
    config: Config,
    netlist: Netlist,
    /// The folder of this netlist and of the results with it.
    folder: PathBuf,
}

impl Subject {
    /// Makes the faults of a plan. Each shard has a folder of its own, because shards may run at the same time on one file system.
    fn new(cache: &Path, plan: &Plan, yosys: &str, shard: Shard) -> Result<Subject> {
        let config = config_of(&plan.unit)?;
        let text = &export::text(&config, &plan.unit)?;
        let mut folder = cache.join(campaign::hash(&(text, yosys, plan.count, plan.seed, &plan.modules)));
        if shard != Shard::WHOLE {
            folder.push(format!("shard-{}", shard.to_string().replace('/', "-of-")));
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let (count, seed) = (plan.count as usize, u64::from(plan.seed));
        let netlist = Netlist::new(text, &top_of(&plan.unit), &plan.modules, count, seed, &folder)?;
        Ok(Subject { config, netlist, folder })
    }

    /// The faults of a campaign: those with the ids `only`, or all if `only` is empty. Shard I of N
    /// runs every Nth of this list.
    fn choose(&self, only: &[String]) -> Result<Vec<&Mutant>> {
        let mutants = &self.netlist.mutants;
        if let Some(id) = only.iter().find(|id| !mutants.iter().any(|mutant| mutant.id == **id)) {
            bail!("`{id}`: no such fault; give the --count, --seed and --modules of its campaign; `--list` prints its faults");
        }
        Ok(mutants.iter().filter(|mutant| only.is_empty() || only.contains(&mutant.id)).collect())
    }
}

/// Runs a campaign, or one shard of it. Returns false if a fault survived.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    if !args.merge.is_empty() {
        return merge(root, args);
    }
    let start = Instant::now();
    let (plan, shard) = (&args.plan, args.shards.shard());
    let cache = root.join("target/mutate");
    let yosys = version("yosys", "-V")?;
    let subject = Subject::new(&cache, plan, &yosys, shard)?;
    let Subject { config, netlist, folder } = &subject;
    if args.list {
        netlist.mutants.iter().for_each(|m| println!("{} {} {}", m.id, m.change, m.source));
        return Ok(true);
    }
    let chosen = subject.choose(&plan.only)?;
    let of_shard = chosen.iter().enumerate().filter(|(position, _)| shard.contains(*position)).map(|(_, mutant)| *mutant);
    let of_shard: Vec<&Mutant> = of_shard.collect();
    let options = || {
        let (program, verilator) = (shards::program_checksum()?, version("verilator", "--version")?);
        Ok(Options { plan: plan.clone(), program, yosys: yosys.clone(), verilator })
    };
    let (record, known) = args.shards.open(options, &names(&chosen))?;
    println!("mutate: {} faults, seed {}; repeat with: {}", of_shard.len(), plan.seed, plan.command());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.unwrap_or(0).into()).build()?;
    let regression = Regression { unit: unit_of(&plan.unit)?, netlist, config, directory: cache.join("verilated") };
    let prover = Prover::new(netlist, config, folder, u64::from(plan.seconds));
    let campaign = Campaign::new(regression, prover, plan.within.clone(), folder)?;
    let stages = stages(plan.cycles as usize);
    let fates = pool.install(|| finish(&campaign, &of_shard, &stages, known, record.as_ref()));
    // If a result could not be recorded, that error is the one to report.
    shards::end(record)?;
    let fates = fates?;
    if args.bench {
        return pool.install(|| bench(&campaign, &fates, plan));
    }
    let totals = show(netlist, &fates, &plan.command());
    println!("{}, {:.0} s", totals.summary(), start.elapsed().as_secs_f64());
    if !plan.only.is_empty() {
        fates.iter().for_each(|(mutant, fate)| println!("{}: {fate:?}\n  {} {}", mutant.id, mutant.change, mutant.source));
    }
    if args.write {
        write(root, plan, &yosys, netlist, &fates)?;
    }
    Ok(totals.survivors == 0)
}

/// Merges the records of the shards of one campaign. Prints what the whole campaign prints, with the gaps in the records.
fn merge(root: &Path, args: &Args) -> Result<bool> {
    let joined: Joined<Options, Done> = shards::joined(&args.merge)?;
    let recorded = &joined.options;
    let plan = &recorded.plan;
    let yosys = version("yosys", "-V")?;
    let current = Options { program: shards::program_checksum()?, yosys: yosys.clone(), ..recorded.clone() };
    if let Some(why) = current.difference(recorded) {
        bail!("cannot merge {}: {why}; merge with the program and the tools that wrote the records", args.merge[0].display());
    }
    if args.write && !plan.is_of_whole_unit() {
        bail!("--write needs records of a campaign on the whole unit; these are of: {}", plan.command());
    }
    let subject = Subject::new(&root.join("target/mutate"), plan, &yosys, Shard::WHOLE)?;
    let chosen = subject.choose(&plan.only)?;
    shards::check(&joined, &names(&chosen))?;
    let fates = in_order(&chosen, joined.done.iter().cloned());
    let totals = show(&subject.netlist, &fates, &plan.command());
    println!("{}", totals.summary());
    let missing = missing(&chosen, &fates);
    missing.iter().for_each(|at| println!("{}: no result of shard {}", chosen[*at].id, joined.shard_of(*at)));
    let gaps = joined.gaps(&missing);
    if !gaps.is_empty() {
        bail!("{} faults have no result: {}", missing.len(), gaps.join("; "));
    }
    if args.write {
        write(root, plan, &yosys, &subject.netlist, &fates)?;
    }
    Ok(totals.survivors == 0)
}

/// The names of the mutants of a campaign.
fn names(mutants: &[&Mutant]) -> Names {
    Names::in_order(mutants.iter().map(|mutant| mutant.id.as_str()))
}

/// Determines the fates of the mutants that have none in `known`, and records each as soon as it is determined. Returns the fates of all
/// mutants.
///
/// # Errors
/// If a tool cannot be run, or a fate cannot be recorded.
fn finish<'m>(
    campaign: &Campaign,
    mutants: &[&'m Mutant],
    stages: &[Vec<Stage>; 2],
    known: Vec<Done>,
    record: Option<&Record>,
) -> Result<Vec<(&'m Mutant, Fate)>> {
    let is_open = |mutant: &&Mutant| known.iter().all(|done| done.id != mutant.id);
    let open_mutants: Vec<&Mutant> = mutants.iter().copied().filter(is_open).collect();
    let new = Mutex::new(vec![]);
    campaign.run(&open_mutants, stages, &|mutant, fate| {
        let done = Done { id: mutant.id.clone(), fate };
        if let Some(record) = record {
            record.add(&done);
        }
        new.lock().unwrap_or_else(PoisonError::into_inner).push(done);
        if shards::has_failed(record) {
            bail!("the fate of {} cannot be recorded", mutant.id);
        }
        Ok(())
    })?;
    let new = new.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(in_order(mutants, known.into_iter().chain(new)))
}

/// The mutants that have a fate in `done`, in the order of `mutants`.
fn in_order<'m>(mutants: &[&'m Mutant], done: impl IntoIterator<Item = Done>) -> Vec<(&'m Mutant, Fate)> {
    let mut fates: BTreeMap<String, Fate> = done.into_iter().map(|done| (done.id, done.fate)).collect();
    mutants.iter().filter_map(|mutant| Some((*mutant, fates.remove(&mutant.id)?))).collect()
}

/// The positions of the mutants without a fate.
fn missing(mutants: &[&Mutant], fates: &[(&Mutant, Fate)]) -> Vec<usize> {
    let is_known = |mutant: &Mutant| fates.iter().any(|(known, _)| known.id == mutant.id);
    mutants.iter().enumerate().filter(|(_, mutant)| !is_known(mutant)).map(|(position, _)| position).collect()
}

/// Prints the table and the survivors, and returns the counts of all modules.
fn show(netlist: &Netlist, fates: &[(&Mutant, Fate)], command: &str) -> Row {
    print!("{}", report::table(netlist, fates));
    let survivors = report::survivors(fates, command);
    if !survivors.is_empty() {
        print!("survivors:\n{survivors}");
    }
    report::count(fates.iter().map(|(_, fate)| fate))
}

/// Writes the results into `docs/evidence/verification.md`.
fn write(root: &Path, plan: &Plan, yosys: &str, netlist: &Netlist, fates: &[(&Mutant, Fate)]) -> Result<()> {
    let totals = report::count(fates.iter().map(|(_, fate)| fate));
    let killed = totals.killed();
    let decided = killed + totals.survivors;
    let about = format!(
        "`{}`, {yosys}: of {} faults {} are proved equivalent; of the other {decided}, {killed} are killed.",
        plan.command(),
        totals.faults,
        totals.equal
    );
    let table = report::table(netlist, fates);
    let survivors = report::survivors(fates, &plan.command());
    let list = if survivors.is_empty() { String::new() } else { format!("\nSurvivors:\n\n{survivors}") };
    page::write(&root.join("docs/evidence/verification.md"), MARKS, &format!("{about}\n\n{table}{list}"))
}

/// Counts the observable faults that the exported testbench finds. Returns false if they are too few.
fn bench(campaign: &Campaign, fates: &[(&Mutant, Fate)], plan: &Plan) -> Result<bool> {
    let is_visible = |fate: &Fate| matches!(fate, Fate::Killed(_) | Fate::Survived(Answer::Differs(_)));
    let visible: Vec<&Mutant> = fates.iter().filter(|(_, fate)| is_visible(fate)).map(|(m, _)| *m).collect();
    let missed = campaign.missed_by_bench(&visible)?;
    missed.iter().for_each(|m| println!("missed: {} {} {}", m.id, m.change, m.source));
    let found = visible.len() - missed.len();
    println!("mutate: the bench of {} finds {found} of {} faults, seed {}", plan.unit, visible.len(), plan.seed);
    Ok(found * 100 >= visible.len() * FOUND_BY_BENCH)
}

/// The configuration whose export of `unit` is measured.
fn config_of(unit: &str) -> Result<Config> {
    let has = |config: &Config| config.has_unit(unit);
    let config = [CONFIG, SECOND_CONFIG].into_iter().filter_map(config::named).find(has);
    config.with_context(|| format!("neither `{CONFIG}` nor `{SECOND_CONFIG}` has a unit `{unit}`"))
}

/// The entry of the list of units with this name.
fn unit_of(name: &str) -> Result<&'static str> {
    units::UNITS.into_iter().find(|unit| *unit == name).with_context(|| format!("`{name}`: unknown unit"))
}

/// First line of what a tool prints as its version.
fn version(tool: &str, option: &str) -> Result<String> {
    let done =
        Command::new(tool).arg(option).output().with_context(|| format!("cannot start {tool}: apt-get install {tool}"))?;
    Ok(String::from_utf8_lossy(&done.stdout).lines().next().unwrap_or_default().to_string())
}
