// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The long runs, in sequence: they take hours and find errors that the tests do not find. Each campaign uses a new seed, which is printed
//! with the command that repeats a step. A campaign can be split over machines, whose results are merged.

mod record;
mod step;
#[cfg(test)]
mod tests;

use anyhow::{bail, Context, Result};
use bcu_shard::{Joined, Options as _, Record, Shard};
use record::{names, steps_of, Done, Folder, Options};
use std::env;
use std::path::{Path, PathBuf};
use std::process;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use step::{CampaignStep, Command, Setting, USUAL_STEPS};
use xtask::shards;

#[derive(clap::Args)]
pub struct Args {
    /// Only these steps; default: all but `synth`.
    #[arg(value_enum)]
    steps: Vec<CampaignStep>,
    /// Seed of stimulus and faults; default: from the clock.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=0x7fff_ffff))]
    seed: Option<u32>,
    /// Cycles of each lockstep test; the run of a legal user has four times as many.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Records finished steps and parts of steps in this folder, for `--resume` and `--merge`.
    #[arg(long, value_name = "DIR", requires = "seed")]
    records: Option<PathBuf>,
    /// Continues an interrupted campaign with the same options from its records.
    #[arg(long, requires = "records")]
    resume: bool,
    /// Runs only shard I of N, for example 3/8: a shard of each step that can be split, and every Nth of the other steps.
    #[arg(long, value_name = "I/N", requires = "records")]
    shard: Option<Shard>,
    /// Merges the records of all shards in this folder, and prints the result of the whole campaign.
    #[arg(long, value_name = "DIR", exclusive = true)]
    merge: Option<PathBuf>,
}

/// The result of the command of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Good,
    Failed,
    /// The command could not be run.
    Undone,
}

/// The summary of a campaign: a line for each step, and the numbers of steps that failed and that
/// could not be run.
#[derive(Default)]
struct Summary {
    lines: Vec<String>,
    failed: usize,
    undone: usize,
}

impl Summary {
    fn add(&mut self, verdict: Verdict, text: &str) {
        let mark = match verdict {
            Verdict::Good => "ok  ",
            Verdict::Failed => "FAIL",
            Verdict::Undone => "??  ",
        };
        self.failed += usize::from(verdict == Verdict::Failed);
        self.undone += usize::from(verdict == Verdict::Undone);
        self.lines.push(format!("{mark} {text}"));
    }

    fn add_step(&mut self, verdict: Verdict, step: CampaignStep, seconds: f64, command: &str) {
        self.add(verdict, &format!("{} ({seconds:.0} s): {command}", step.name()));
    }

    fn print(&self, seed: u32) {
        println!("campaign: seed {seed}\n{}", self.lines.join("\n"));
    }
}

/// Runs all steps, or those of a shard, even after a step has failed. Returns false if a step failed.
pub fn run(root: &Path, args: &Args) -> Result<bool> {
    let execute = |step: CampaignStep, command: &Command| execute(root, step, command);
    if let Some(folder) = &args.merge {
        return merge(root, folder, execute);
    }
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() & 0x7fff_ffff);
    let seed = args.seed.or_else(|| u32::try_from(clock()).ok()).unwrap_or_default();
    let setting = Setting::new(root, seed, args.cycles)?;
    let mut steps = vec![];
    for step in if args.steps.is_empty() { &USUAL_STEPS[..] } else { &args.steps } {
        if !steps.contains(step) {
            steps.push(*step);
        }
    }
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let summary = match &args.records {
        None => run_steps(&steps, vec![], None, |step| execute(step, &step.command(&setting))),
        Some(folder) => {
            let folder = Folder::new(folder)?;
            folder.create()?;
            let options = Options { steps: steps.clone(), seed, cycles: args.cycles, program: shards::program_checksum()? };
            let (record, known) = shards::open(&folder.campaign(shard), shard, args.resume, options, &names(&steps))?;
            let summary = run_steps(&steps_of(&steps, shard), known, Some(&record), |step| {
                execute(step, &shard_command(step, &setting, &folder, shard, args.resume))
            });
            shards::end(Some(record))?;
            summary
        }
    };
    summary.print(seed);
    if summary.undone > 0 {
        bail!("{} steps could not be run; see the messages above", summary.undone);
    }
    Ok(summary.failed == 0)
}

/// The command of a step in a campaign with records. If the step can be split, the command runs one
/// shard of it, and in a resumed campaign continues the shard's record if there is one.
fn shard_command(step: CampaignStep, setting: &Setting, folder: &Folder, shard: Shard, resume: bool) -> Command {
    let record = folder.step(step, shard);
    match step.is_split() {
        true => step.shard_command(setting, shard, &record.to_string_lossy(), resume && record.is_file()),
        false => step.command(setting),
    }
}

/// Runs the steps that have no result in `known`, and records their results. A step that could not
/// be run is not recorded, so that a resumed campaign repeats it. After a result that cannot be recorded, no further step is run.
fn run_steps(
    steps: &[CampaignStep],
    known: Vec<Done>,
    record: Option<&Record>,
    execute: impl Fn(CampaignStep) -> (Verdict, f64, String),
) -> Summary {
    let mut summary = Summary::default();
    for step in steps {
        if shards::has_failed(record) {
            break;
        }
        if let Some(done) = known.iter().find(|done| done.step == *step) {
            summary.add_step(verdict(done), *step, done.seconds, &done.command);
            continue;
        }
        let (verdict, seconds, command) = execute(*step);
        summary.add_step(verdict, *step, seconds, &command);
        if let (Some(record), true) = (record, verdict != Verdict::Undone) {
            record.add(&Done { step: *step, good: verdict == Verdict::Good, seconds, command });
        }
    }
    summary
}

fn verdict(done: &Done) -> Verdict {
    if done.good {
        Verdict::Good
    } else {
        Verdict::Failed
    }
}

/// Merges the records of all shards. The records of a step that can be split are merged by a
/// command of that step.
fn merge(root: &Path, path: &Path, execute: impl Fn(CampaignStep, &Command) -> (Verdict, f64, String)) -> Result<bool> {
    let folder = Folder::new(path)?;
    let joined: Joined<Options, Done> = shards::joined(&folder.campaigns()?)?;
    let recorded = &joined.options;
    if let Some(why) = (Options { program: shards::program_checksum()?, ..recorded.clone() }).difference(recorded) {
        bail!("cannot merge {}: {why}; merge with the program that wrote the records", path.display());
    }
    shards::check(&joined, &names(&recorded.steps))?;
    let setting = Setting::new(root, recorded.seed, recorded.cycles)?;
    let (summary, gaps) = merge_steps(&joined, &folder, &setting, execute)?;
    summary.print(recorded.seed);
    if summary.undone > 0 || !gaps.is_empty() {
        let gaps = if gaps.is_empty() { "see the messages above".to_string() } else { gaps.join("; ") };
        bail!("{} steps have no complete result: {gaps}", summary.undone);
    }
    Ok(summary.failed == 0)
}

/// The results of all steps, and a sentence for each shard whose results are missing.
fn merge_steps(
    joined: &Joined<Options, Done>,
    folder: &Folder,
    setting: &Setting,
    execute: impl Fn(CampaignStep, &Command) -> (Verdict, f64, String),
) -> Result<(Summary, Vec<String>)> {
    let count = joined.records.first().map_or(1, |record| record.shard.count());
    let (mut summary, mut missing) = (Summary::default(), vec![]);
    let mut whole_steps = 0..;
    for step in &joined.options.steps {
        let done: Vec<&Done> = joined.done.iter().filter(|done| done.step == *step).collect();
        if step.is_split() {
            let records = folder.of_step(*step, count)?;
            let records: Vec<String> = records.iter().map(|path| path.to_string_lossy().into_owned()).collect();
            match step.merge_command(setting, records.clone()).filter(|_| !records.is_empty()) {
                None => summary.add(Verdict::Undone, &format!("{}: no shard has a record of it", step.name())),
                Some(command) => {
                    let (verdict, _, command) = execute(*step, &command);
                    let seconds = done.iter().fold(0.0, |seconds, done| seconds + done.seconds);
                    summary.add_step(verdict, *step, seconds, &command);
                }
            }
            continue;
        }
        let position = whole_steps.next().unwrap_or_default();
        match done.first() {
            Some(done) => summary.add_step(verdict(done), *step, done.seconds, &done.command),
            None => {
                summary.add(Verdict::Undone, &format!("{}: no result of shard {}", step.name(), joined.shard_of(position)));
                missing.push(position);
            }
        }
    }
    Ok((summary, joined.gaps(&missing)))
}

/// Runs a command, and returns the verdict, the time in seconds and the command line.
fn execute(root: &Path, step: CampaignStep, command: &Command) -> (Verdict, f64, String) {
    let with: String = command.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
    let line = format!("{with}cargo {}", command.arguments.join(" "));
    println!("campaign: {}: {line}", step.name());
    let start = Instant::now();
    let mut cargo = process::Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(&command.arguments).current_dir(root).envs(command.environment.iter().cloned());
    let verdict = match cargo.status().context("cannot start cargo").map(|status| status.code()) {
        Ok(Some(0)) => Verdict::Good,
        Ok(Some(1)) => Verdict::Failed,
        Ok(Some(101)) if step.fails_with_101() => Verdict::Failed,
        Ok(_) => Verdict::Undone,
        Err(error) => {
            eprintln!("error: {error:#}");
            Verdict::Undone
        }
    };
    (verdict, start.elapsed().as_secs_f64(), line)
}
