// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs on the exported Verilog. SymbiYosys runs the tasks of `tb/proofs/`. For every property a mutated design shows that the property
//! can fail. Exit code 0: all proved; 1: a proof failed; 2: a proof could not be run.

mod channels;
mod pins;
mod table;
mod tools;

use anyhow::{bail, Context, Result};
use bcu_hw::config;
use bcu_hw::unit::latency;
use bcu_hw::{catalog, export, verilog};
use bcu_isa::config::Config;
use bcu_isa::units;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use table::{Mutant, Proof};
use tools::{Tools, Verdict};
use xtask::pool;

#[derive(clap::Args)]
pub struct Args {
    /// Tasks to run, as `--list` prints them, or a whole proof by its name; default: all.
    tasks: Vec<String>,
    /// Only the tasks that together take less than three minutes on two cores.
    #[arg(long)]
    quick: bool,
    /// Only the tasks at configurations of `BCU_CONFIGS`.
    #[arg(long)]
    added: bool,
    /// Prints the tasks and mutants instead of running them.
    #[arg(long)]
    list: bool,
    /// Only installs the tools that the proofs need and that are missing.
    #[arg(long)]
    install: bool,
    /// How many tasks run in parallel; default: all cores.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
}

/// One run of SymbiYosys.
struct Job<'a> {
    name: String,
    proof: &'a Proof,
    task: &'a str,
    mutant: Option<&'a Mutant>,
    quick: bool,
}

/// Runs the chosen tasks on all cores. Prints a line for each task, and a table of all proofs. Returns false if a task failed.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let folder = root.join("tb/proofs");
    let text = fs::read_to_string(folder.join("proofs.toml")).context("cannot read tb/proofs/proofs.toml")?;
    let table = table::parse(&text)?;
    let all_jobs = jobs(&table);
    let wanted = |job: &Job| args.tasks.is_empty() || args.tasks.iter().any(|t| *t == job.name || *t == job.proof.name);
    for task in &args.tasks {
        if !all_jobs.iter().any(|j| *task == j.name || *task == j.proof.name) {
            bail!("no task or proof `{task}`: `cargo xtask prove --list` shows them");
        }
    }
    let added = |job: &Job| table::config_of(job.task).is_some_and(|of| config::ADDED.iter().any(|(name, _)| *name == of.name));
    let fits = |job: &&Job| wanted(job) && (job.quick || !args.quick) && (!args.added || added(job));
    let chosen: Vec<&Job> = all_jobs.iter().filter(fits).collect();
    if args.list {
        for job in chosen {
            println!("{}{}", job.name, if job.quick { "  (quick)" } else { "" });
        }
        return Ok(true);
    }
    pool::end_with_me()?;
    let tools = Tools::ready(root)?;
    if args.install {
        tools.warm_up()?;
        return Ok(true);
    }
    let start = Instant::now();
    let outcomes = pool::each(
        &chosen,
        args.jobs,
        |job| job.name.clone(),
        |job| {
            let begin = Instant::now();
            let done = prove(&folder, root, &tools, job);
            let seconds = begin.elapsed().as_secs_f64();
            let (mark, say) = match &done {
                Ok((true, say)) => ("ok  ", say.clone()),
                Ok((false, say)) => ("FAIL", say.clone()),
                Err(error) => ("??  ", format!("\n     {error:#}")),
            };
            (format!("{mark} {} ({seconds:.0} s){say}", job.name), Outcome { done: done.map(|d| d.0).ok(), seconds })
        },
    );
    println!("{}", summary(&chosen, &outcomes));
    let failed = outcomes.iter().filter(|o| o.done == Some(false)).count();
    let undone = chosen.len() - outcomes.iter().filter(|o| o.done.is_some()).count();
    println!("prove: {} tasks, {failed} failed, {undone} not run, {:.0} s", chosen.len(), start.elapsed().as_secs_f64());
    if undone > 0 {
        bail!("{undone} tasks could not be run; see the messages above");
    }
    Ok(failed == 0)
}

/// The outcome of a job; `done` is `None` if the job could not be run.
struct Outcome {
    done: Option<bool>,
    seconds: f64,
}

/// The table of results, with a row for each proof.
fn summary(chosen: &[&Job], outcomes: &[Outcome]) -> String {
    let mut text = format!("{:<20} {:>9} {:>9} {:>9}", "proof", "tasks", "mutants", "seconds");
    let results: Vec<(&&Job, &Outcome)> = chosen.iter().zip(outcomes).collect();
    let mut names: Vec<&str> = chosen.iter().map(|j| j.proof.name.as_str()).collect();
    names.dedup();
    for name in names {
        let count = |mutants: bool| {
            let mine = results.iter().filter(|(j, _)| j.proof.name == name && j.mutant.is_some() == mutants);
            let (good, total) =
                mine.fold((0, 0), |(good, total), (_, o)| (good + usize::from(o.done == Some(true)), total + 1));
            format!("{good} of {total}")
        };
        let seconds: f64 = results.iter().filter(|(j, _)| j.proof.name == name).map(|(_, o)| o.seconds).sum();
        text += &format!("\n{name:<20} {:>9} {:>9} {seconds:>9.0}", count(false), count(true));
    }
    text
}

/// Prepares and runs one job. Returns whether its verdict is the expected one, and the text to print.
fn prove(folder: &Path, root: &Path, tools: &Tools, job: &Job) -> Result<(bool, String)> {
    let work = root.join("target/prove").join(job.name.replace('/', "_"));
    prepare(folder, &work, job)?;
    let verdict = tools.sby(&work, &format!("{}.sby", job.proof.file()), job.task)?;
    Ok(judge(job, &verdict, &work))
}

/// Every task of every proof, and every mutant with its task.
fn jobs(table: &[Proof]) -> Vec<Job<'_>> {
    let mut list = vec![];
    for proof in table {
        for task in &proof.tasks {
            let quick = proof.quick.contains(task);
            list.push(Job { name: format!("{}/{task}", proof.name), proof, task, mutant: None, quick });
        }
        for mutant in &proof.mutants {
            let task = mutant.task.as_deref().unwrap_or(&proof.mutant_task);
            let name = format!("{}/mutant/{}", proof.name, mutant.name);
            list.push(Job { name, proof, task, mutant: Some(mutant), quick: mutant.quick });
        }
    }
    list
}

/// Whether the verdict of a job is the expected one, and the text to print.
fn judge(job: &Job, verdict: &Verdict, work: &Path) -> (bool, String) {
    let trace = |t: &Option<PathBuf>| t.as_ref().map_or(String::new(), |t| format!("\n     trace: {}", work.join(t).display()));
    match (job.mutant, verdict) {
        (None, Verdict::Pass) => (true, String::new()),
        (None, Verdict::Fail { what, trace: t }) => (false, format!("\n     {what}{}", trace(t))),
        (Some(m), Verdict::Fail { what, .. }) if what.contains(m.fails.as_str()) => (true, format!(": fails {}", m.fails)),
        (Some(m), Verdict::Fail { what, trace: t }) => {
            (false, format!("\n     expected the property {} to fail on the mutant; found: {what}{}", m.fails, trace(t)))
        }
        (Some(m), Verdict::Pass) => (false, format!("\n     the mutant passes: {} does not detect it", m.fails)),
    }
}

/// Writes the input of SymbiYosys: the properties, the sizes, and the exported unit, mutated or not.
fn prepare(folder: &Path, work: &Path, job: &Job) -> Result<()> {
    if work.exists() {
        fs::remove_dir_all(work).with_context(|| format!("cannot empty {}", work.display()))?;
    }
    fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| ["sby", "sv", "v", "vh"].iter().any(|of| e == *of)) {
            fs::copy(&path, work.join(path.file_name().unwrap_or_default()))?;
        }
    }
    let config = table::config_of(job.task)
        .with_context(|| format!("task {}: its name does not begin with a configuration", job.name))?;
    fs::write(work.join("sizes.vh"), sizes(&config))?;
    let exported = |name: &str| -> Result<_> {
        let unit = catalog::build(&config, name).with_context(|| {
            format!("proof {}: `{name}` is not a unit; the units are {}", job.proof.name, units::UNITS.join(", "))
        })?;
        let top = verilog::Options::new(unit.name()).top;
        Ok((top, export::text(&config, name)?, unit.ports()))
    };
    let (top, text, ports) = exported(&job.proof.unit)?;
    let text_with = |text: &str, in_second_unit: bool| match job.mutant {
        Some(mutant) if mutant.in_second_unit == in_second_unit => table::mutated(text, mutant),
        _ => Ok(text.to_string()),
    };
    fs::write(work.join("unit.v"), text_with(&text, false)?)?;
    if let Some(second_unit) = &job.proof.second_unit {
        fs::write(work.join("beside.v"), text_with(&exported(second_unit)?.1, true)?)?;
    }
    if let Some(mutant) = job.mutant {
        let sby = work.join(format!("{}.sby", job.proof.file()));
        let script = fs::read_to_string(&sby).with_context(|| format!("cannot read {}", sby.display()))?;
        fs::write(&sby, table::alone(&script, &mutant.fails))?;
    }
    let falters = job.mutant.and_then(|mutant| mutant.falters.as_deref());
    fs::write(work.join("channels.sv"), channels::checker(&top, &ports, falters))?;
    for (name, text) in pins::files(&job.proof.unit, &top, &ports) {
        fs::write(work.join(name), text)?;
    }
    Ok(())
}

/// The sizes of the configuration and the latencies of the contract, for the properties.
fn sizes(config: &Config) -> String {
    let bits = |values: usize| (usize::BITS - values.saturating_sub(1).leading_zeros()).max(1) as usize;
    let list = [
        ("W", config.warps),
        ("LW", bits(config.warps)),
        ("C", config.cta_slots),
        ("LC", bits(config.cta_slots)),
        ("CW", bits(config.warps + 1)),
        ("VW", bits(config.lanes + 1)),
        ("I", config.ids()),
        ("LANES", config.lanes),
        ("OUTSTANDING", config.max_outstanding),
        ("LOSES", usize::from(config.lose_faults)),
        ("X", config.mbarrier_objects),
        ("XI", bits(config.mbarrier_objects)),
        ("XW", bits(config.smem_bytes / 8)),
        ("XL", config.limit_bits),
        ("SMEM", config.smem_bytes),
        ("KC", bits(config.cluster_slots)),
        ("KG", bits(config.grid_slots)),
        ("SMS", config.sms),
        ("REMOTE", config.max_remote),
        // Cycles from a transfer into `named` to the effects, for operations of one pipeline slot; operations of two pipeline slots take
        // one more.
        ("EFFECT", latency::NAMED_RELEASE as usize - 1),
        ("EFFECT_LONG", latency::NAMED_EXIT_RELEASE as usize - 1),
    ];
    list.iter().map(|(name, value)| format!("`define {name} {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::table::CHANNELS;
    use super::*;
    use bcu_hw::config;
    use std::collections::BTreeMap;

    fn table() -> (PathBuf, Vec<Proof>) {
        let folder = xtask::root().join("tb/proofs");
        let text = fs::read_to_string(folder.join("proofs.toml")).unwrap();
        (folder, table::parse(&text).unwrap())
    }

    #[test]
    fn every_mutant_fits_the_export_and_every_property_has_one() {
        let (folder, table) = table();
        let mut texts = BTreeMap::new();
        for proof in &table {
            for mutant in proof.mutants.iter().filter(|m| m.falters.is_none()) {
                let unit = if mutant.in_second_unit { proof.second_unit.as_ref().unwrap() } else { &proof.unit };
                let text = texts.entry(unit).or_insert_with(|| {
                    let (smallest, _) = table::smallest(unit).unwrap();
                    export::text(&config::by_name(smallest).unwrap(), unit).unwrap()
                });
                assert_ne!(&table::mutated(text, mutant).unwrap(), text, "{}/{}", proof.name, mutant.name);
            }
            let Ok(text) = fs::read_to_string(folder.join(format!("{}.sv", proof.file()))) else {
                assert_eq!(proof.file(), CHANNELS, "{}.sv does not exist; only `{CHANNELS}` is generated", proof.file());
                assert!(!proof.mutants.is_empty(), "{}", proof.name);
                continue;
            };
            let ports = table::smallest(&proof.unit).unwrap().1.ports();
            let compared = if text.contains("_same.vh") { pins::labels(&ports) } else { vec![] };
            let asserted = text.lines().filter_map(|line| line.split_once(": assert (")?.0.split_whitespace().last());
            for label in asserted.map(String::from).chain(compared) {
                assert!(proof.mutants.iter().any(|m| m.fails == label), "{}: no mutant fails {label}", proof.name);
            }
        }
    }

    #[test]
    fn every_task_is_in_its_sby_file_and_every_file_in_the_table() {
        let (folder, table) = table();
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        for proof in &table {
            let sby = fs::read_to_string(folder.join(format!("{}.sby", proof.file()))).unwrap();
            let (_, rest) = sby.split_once("[tasks]\n").unwrap();
            let tasks: Vec<&str> =
                rest.split("\n\n").next().unwrap().lines().filter_map(|line| line.split(' ').next()).collect();
            for job in jobs(&table).iter().filter(|j| j.proof.name == proof.name) {
                assert!(tasks.contains(&job.task), "{}: {}", proof.name, job.task);
            }
            assert!(proof.quick.iter().all(|q| proof.tasks.contains(q)), "{}", proof.name);
            assert!(readme.contains(&format!("`{}`", proof.file())), "{} is not in the README", proof.name);
        }
        for entry in fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if let Some(stem) = name.strip_suffix(".sby") {
                assert!(table.iter().any(|p| p.file() == stem), "{name} is not in proofs.toml");
            }
        }
    }
}
