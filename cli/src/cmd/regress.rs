// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress`: every scenario, and every unit in lockstep and under a legal user, or those that are asked for.

mod record;

use crate::failure::{print, Failure, Outcome, Result};
use crate::files::{needs_folder, Batch};
use bcu_tb::junit;
use bcu_tb::regress::{list, parts, run as run_tests, Done, Engine, Plan, TestResult};
use indicatif::{ProgressBar, ProgressStyle};
use record::{Options, Record};
use std::io::IsTerminal;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu regress                                   everything (minutes; needs Verilator and Icarus)
  bcu regress --list                            names, without running
  bcu regress scenario                          the scenarios
  bcu regress lockstep/named/tiny --seed 7 --cycles 1000000
  bcu regress lockstep/named --coverage --cycles 1000000
  bcu regress legal/bcu/small --seed 7 --cycles 20000
  bcu regress --engine verilator --cycles 10000000 --junit long.xml
  bcu regress --engine verilator --cycles 10000000 --junit long.xml --resume

Scenarios run on the rust-hdl unit and on the model. Lockstep runs compare every port in every
cycle between the model, the machine code of the unit, the rust-hdl unit and the exported Verilog
under Verilator (a tenth of the cycles each) and under Icarus (a hundredth). Each failure comes
with the command that repeats it. Legal runs have a user that keeps the contract of the unit, on the
model and on the machine code: no fault, nothing lost, nothing early. A missing tool is a failure that says what to install. Compiled
simulators are kept in $XDG_CACHE_HOME/bcu, or in ~/.cache/bcu.

`--engine` puts one faster simulator in the place of all of them, for every cycle: machine code of
the unit, or its export under Verilator. Scenarios, stimulus and verdicts are the same. With `--junit`, what has ended is recorded in
FILE.progress until the run is complete; `--resume` goes on from there.

Exit codes: 0 every test passed, 1 a test failed, 2 no such test, unwritable output, or a record
of another run.";

/// Run the project's tests: scenarios, every unit in lockstep with its model and its export, and under a legal user.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Only tests whose name contains this.
    #[arg(default_value = "", hide_default_value = true)]
    filter: String,
    /// Only list the names.
    #[arg(long)]
    list: bool,
    /// Seed of all random stimulus; default: 0 for lockstep runs, their own for scenarios.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Tests at the same time; default: one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Go on with a run of the same options that was broken off, from its record FILE.progress.
    #[arg(long, requires = "junit", conflicts_with = "coverage")]
    resume: bool,
    /// What runs beside the model.
    #[arg(long, value_enum, default_value_t = EngineName::All)]
    engine: EngineName,
    /// Cycles of each lockstep run, and of each run of a legal user.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Print what the lockstep runs reach; a point that is not reached fails its run.
    #[arg(long)]
    coverage: bool,
}

/// The engines by name; the text below the options says what they are.
#[derive(Clone, Copy, clap::ValueEnum)]
enum EngineName {
    All,
    Compiled,
    Verilator,
}

pub fn run(args: Args) -> Result {
    let tests = list(&args.filter);
    if tests.is_empty() {
        let help = "`bcu regress --list` shows the names";
        return Err(Failure::plain(format!("no test's name contains `{}`", args.filter), Some(help)));
    }
    if args.list {
        print(&tests.iter().map(|t| format!("{}\n", t.name)).collect::<String>())?;
        return Ok(Outcome::Good);
    }
    let engine = match args.engine {
        EngineName::All => Engine::All,
        EngineName::Compiled => Engine::Compiled,
        EngineName::Verilator => Engine::Verilator,
    };
    let (cycles, jobs) = (args.cycles as usize, args.jobs.unwrap_or(0).into());
    let plan = Plan { filter: args.filter, seed: args.seed, cycles, engine, coverage: args.coverage, jobs, directory: cache() };
    let (record, known) = match &args.junit {
        Some(path) => {
            // A place that cannot be written to is told before the tests run, not after.
            needs_folder(path)?;
            drop(Batch::default().create(path)?);
            let options = Options::of(&plan)?;
            let (record, known) = if args.resume { Record::resume(path, options)? } else { Record::begin(path, options)? };
            (Some(record), known)
        }
        None => (None, vec![]),
    };
    let results = watched(&plan, &known, record.as_ref())?;
    if let Some(path) = args.junit {
        let xml = junit::xml(&results).map_err(|e| Failure::plain(format!("cannot write JUnit XML: {e}"), None))?;
        let mut batch = Batch::default();
        batch.add(&path, &xml)?;
        batch.commit()?;
        record.map_or(Ok(()), Record::end)?;
    }
    let failed = results.iter().filter(|r| r.failure.is_some()).count();
    let mut text: String = results.iter().filter_map(|r| r.coverage.as_ref()).map(|table| format!("{table}\n")).collect();
    for result in &results {
        match &result.failure {
            None => text += &format!("ok    {}\n", result.name),
            Some(why) => {
                let why = why.trim_end().replace('\n', "\n      ");
                text += &format!("FAIL  {}\n      {why}\n      repeat with: {}\n", result.name, result.command);
            }
        }
    }
    text += &format!("{} passed, {failed} failed\n", results.len() - failed);
    print(&text)?;
    Ok(if failed == 0 { Outcome::Good } else { Outcome::CheckFailed })
}

/// Runs what is not known with a progress bar, which only a terminal shows, and records what ends.
fn watched(plan: &Plan, known: &[Done], record: Option<&Record>) -> Result<Vec<TestResult>> {
    let all = parts(plan).len() as u64;
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(all) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {eta} {msg}") {
        bar.set_style(style);
    }
    bar.inc(known.len() as u64);
    let done = |result: &Done| {
        bar.set_message(result.name.clone());
        bar.inc(1);
        record.inspect(|record| record.add(result));
    };
    let results = run_tests(plan, known, &done).map_err(|e| Failure::plain(format!("cannot start the tests: {e}"), None));
    bar.finish_and_clear();
    results
}

/// Where compiled simulators are kept from run to run: a folder that belongs to this user alone, since they are executed.
fn cache() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.map_or_else(|| PathBuf::from("target/bcu-cache"), |cache| cache.join("bcu"))
}
