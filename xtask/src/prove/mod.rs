// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs on the exported Verilog. SymbiYosys runs the tasks of `tb/proofs/`. For every property a mutated design shows that the property
//! can fail. Exit code 0: all proved; 1: a proof failed; 2: a proof could not be run.

mod channels;
mod inputs;
mod job;
mod pins;
mod record;
mod report;
mod table;
#[cfg(test)]
mod tests;
mod tools;

use anyhow::{bail, Context, Result};
use bcu_shard::{Joined, Names, Options as _, Record};
use inputs::Inputs;
use job::{jobs, Choice, Job};
use record::{Done, Options};
use report::Report;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tools::Tools;
use xtask::pool;
use xtask::shards::{self, ShardArgs};

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
    #[arg(long, conflicts_with = "record")]
    list: bool,
    /// Only installs the tools that the proofs need and that are missing.
    #[arg(long, conflicts_with = "record")]
    install: bool,
    /// How many tasks run in parallel; default: all cores.
    #[arg(long)]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    shards: ShardArgs,
    /// Merges the records of all shards of a run, and prints the result of the whole run.
    #[arg(long, value_name = "RECORD", num_args = 1.., exclusive = true)]
    merge: Vec<PathBuf>,
}

/// Runs the chosen tasks on all cores. Prints a line for each task, and a table of all proofs. Returns false if a task failed.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    if !args.merge.is_empty() {
        return merge(root, &args.merge);
    }
    let inputs = Inputs::read(root)?;
    let table = table::parse(&inputs.table)?;
    let all_jobs = jobs(&table);
    let choice = Choice { tasks: args.tasks.clone(), quick: args.quick, added: args.added };
    let chosen = choice.of(&all_jobs)?;
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
    let options = || Ok(Options { choice, inputs: inputs.checksum(&chosen)?, tools: tools::versions()? });
    let (record, known) = args.shards.open(options, &names(&chosen))?;
    known.iter().for_each(|done: &Done| println!("{}", done.line));
    let prove = |job: &Job| prove(root, &inputs, &tools, job);
    let of_shard = chosen.iter().enumerate().filter(|(position, _)| args.shards.shard().contains(*position));
    let of_shard: Vec<&Job> = of_shard.map(|(_, job)| *job).collect();
    let done = finish(&of_shard, known, args.jobs, record.as_ref(), prove);
    let is_recorded = record.is_some();
    shards::end(record)?;
    let report = Report::new(&of_shard, &done);
    println!("{}", report.text());
    match report.missing().len() {
        0 => Ok(report.failed() == 0),
        missing => {
            let remedy = if is_recorded { "; continue the run with `--resume`" } else { "" };
            bail!("{missing} tasks could not be run; see the messages above{remedy}")
        }
    }
}

/// Merges the records of the shards of one run. Prints what the whole run prints, with the gaps in the records.
fn merge(root: &Path, records: &[PathBuf]) -> Result<bool> {
    let joined: Joined<Options, Done> = shards::joined(records)?;
    let inputs = Inputs::read(root)?;
    let table = table::parse(&inputs.table)?;
    let all_jobs = jobs(&table);
    let cannot = || format!("cannot merge {}", records[0].display());
    let Options { choice, tools, .. } = joined.options.clone();
    let chosen = choice.of(&all_jobs).with_context(cannot)?;
    let current = Options { choice, inputs: inputs.checksum(&chosen).with_context(cannot)?, tools };
    if let Some(why) = current.difference(&joined.options) {
        bail!("{}: {why}; merge with the revision that wrote the records", cannot());
    }
    shards::check(&joined, &names(&chosen))?;
    let report = Report::new(&chosen, &joined.done);
    println!("{}", report.lines(|position| joined.shard_of(position)).join("\n"));
    println!("{}", report.text());
    let missing = report.missing();
    let gaps = joined.gaps(&missing);
    if !gaps.is_empty() {
        bail!("{} tasks have no result: {}", missing.len(), gaps.join("; "));
    }
    Ok(report.failed() == 0)
}

/// The names of the jobs of a run.
fn names(jobs: &[&Job]) -> Names {
    Names::in_order(jobs.iter().map(|job| job.name.as_str()))
}

/// Runs the jobs that have no known result, and records each of them when it ends. Returns the results of all jobs that have one. A job
/// that could not be run has none, so that a resumed run repeats it. After a result that cannot be recorded, no further job is started.
fn finish(
    jobs: &[&Job],
    mut known: Vec<Done>,
    cores: Option<NonZeroUsize>,
    record: Option<&Record>,
    prove: impl Fn(&Job) -> Result<(bool, String)> + Sync,
) -> Vec<Done> {
    let open_jobs: Vec<&Job> = jobs.iter().copied().filter(|job| known.iter().all(|done| done.name != job.name)).collect();
    let work = |job: &&Job| {
        let begin = Instant::now();
        let proved = prove(job);
        let seconds = begin.elapsed().as_secs_f64();
        let (mark, text) = match &proved {
            Ok((true, text)) => ("ok  ", text.clone()),
            Ok((false, text)) => ("FAIL", text.clone()),
            Err(error) => ("??  ", format!("\n     {error:#}")),
        };
        let line = format!("{mark} {} ({seconds:.0} s){text}", job.name);
        let done = proved.ok().map(|(good, _)| Done { name: job.name.clone(), good, seconds, line: line.clone() });
        if let (Some(record), Some(done)) = (record, &done) {
            record.add(done);
        }
        (line, done)
    };
    let is_stopped = || shards::has_failed(record);
    known.extend(pool::each_until(is_stopped, &open_jobs, cores, |job| job.name.clone(), work).into_iter().flatten().flatten());
    known
}

/// Prepares and runs one job. Returns whether its verdict is the expected one, and the text to print.
fn prove(root: &Path, inputs: &Inputs, tools: &Tools, job: &Job) -> Result<(bool, String)> {
    let work = root.join("target/prove").join(job.name.replace('/', "_"));
    inputs.write(job, &work)?;
    let verdict = tools.sby(&work, &format!("{}.sby", job.proof.file()), job.task)?;
    Ok(job.judge(&verdict, &work))
}
