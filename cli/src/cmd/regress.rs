// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress`: every scenario and every unit in lockstep, or those that are asked for.

use crate::failure::{print, Failure, Outcome, Result};
use crate::files::{cannot_write, Batch};
use bcu_tb::junit;
use bcu_tb::regress::{list, run as run_tests, Plan, TestResult};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu regress                                   everything (minutes; needs Verilator and Icarus)
  bcu regress --list                            names, without running
  bcu regress scenario                          the scenarios
  bcu regress lockstep/named/tiny --seed 7 --cycles 1000000
  bcu regress lockstep/named --coverage --cycles 1000000

Scenarios run on the rust-hdl unit and on the model. Lockstep runs compare every port in every
cycle between the rust-hdl unit, the model, and the exported Verilog under Verilator (a tenth of
the cycles) and Icarus (a hundredth). Each failure comes with the command that repeats it. A
missing tool is a failure that says what to install. Compiled simulators are kept in
$XDG_CACHE_HOME/bcu, or in ~/.cache/bcu.

Exit codes: 0 every test passed, 1 a test failed, 2 no such test, or unwritable output.";

/// Run the project's tests: scenarios, and every unit in lockstep with its model and its export.
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
    /// Cycles of each lockstep run.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    cycles: u32,
    /// Print what the lockstep runs reach; a point that is not reached fails its run.
    #[arg(long)]
    coverage: bool,
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
    // A place that cannot be written to is told before the tests run, not after.
    let mut batch = Batch::default();
    let junit = args.junit.map(|path| Ok((batch.create(&path)?, path))).transpose()?;
    let (cycles, jobs) = (args.cycles as usize, args.jobs.unwrap_or(0).into());
    let plan = Plan { filter: args.filter, seed: args.seed, cycles, coverage: args.coverage, jobs, directory: cache() };
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(tests.len() as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    let done = |result: &TestResult| {
        bar.set_message(result.name.clone());
        bar.inc(1);
    };
    let results = run_tests(&plan, &done).map_err(|e| Failure::plain(format!("cannot start the tests: {e}"), None))?;
    bar.finish_and_clear();
    if let Some((mut file, path)) = junit {
        let xml = junit::xml(&results).map_err(|e| Failure::plain(format!("cannot write JUnit XML: {e}"), None))?;
        file.write_all(xml.as_bytes()).map_err(|e| cannot_write(&path, &e))?;
        batch.commit()?;
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

/// Where compiled simulators are kept from run to run: a folder that belongs to this user alone, since they are executed.
fn cache() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.map_or_else(|| PathBuf::from("target/bcu-cache"), |cache| cache.join("bcu"))
}
