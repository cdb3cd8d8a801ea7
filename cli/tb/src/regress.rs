// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress`: every scenario, and every unit in lockstep with its model and with legal stimulus, or only the tests that the filter
//! selects.

use crate::record::{Options, Record};
use bcu_cli::cmd::regress::{Args, EngineName};
use bcu_cli::companion::{self, TB};
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::files::{needs_folder, Batch};
use bcu_tb::junit;
use bcu_tb::regress::edited::Edited;
use bcu_tb::regress::join::join;
use bcu_tb::regress::plan::{Engine, Plan};
use bcu_tb::regress::result::Done;
use bcu_tb::regress::{lacking, parts, run as run_tests, tests, Part};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two lines of progress.
const MINUTE: Duration = Duration::from_secs(60);

pub fn run(args: Args) -> Result {
    let engine = match args.engine {
        EngineName::All => Engine::All,
        EngineName::Compiled => Engine::Compiled,
        EngineName::Verilator => Engine::Verilator,
    };
    if args.verilog.is_some() && engine == Engine::Compiled {
        let help = "leave `--engine` out, or name `verilator`";
        return Err(Failure::plain("`--verilog` runs Verilog, which the machine-code engine cannot run", Some(help)));
    }
    let edited = args.verilog.as_deref().map(Edited::read).transpose().map_err(|error| {
        Failure::plain(&error, Some("`--verilog` needs a folder written by `bcu export`; its files may be changed"))
    })?;
    let (cycles, jobs) = (args.cycles as usize, args.jobs.unwrap_or(0).into());
    let (filter, seed, coverage) = (args.filter, args.seed, args.coverage);
    let plan = Plan { filter, seed, cycles, engine, coverage, jobs, edited, directory: cache() };
    let tests = tests(&plan);
    if tests.is_empty() {
        let help = "`bcu regress --list` lists the names";
        return Err(Failure::plain(format!("no test's name contains `{}`", plan.filter), Some(help)));
    }
    if args.list {
        print(&tests.iter().map(|t| format!("{}\n", t.name)).collect::<String>())?;
        return Ok(Outcome::Good);
    }
    let lacking = lacking(&tests);
    if !lacking.is_empty() {
        return companion::rebuild_with(TB, &lacking.iter().collect::<Vec<_>>());
    }
    let (record, known) = match &args.junit {
        Some(path) => {
            // A path that cannot be written is reported before the tests run, not after.
            needs_folder(path)?;
            drop(Batch::default().create(path)?);
            let options = Options::from_plan(&plan)?;
            let (record, known) = if args.resume { Record::resume(path, options)? } else { Record::begin(path, options)? };
            (Some(record), known)
        }
        None => (None, vec![]),
    };
    let done = watched(&plan, &known, record.as_ref())?;
    let results = join(&plan, &done);
    if let Some(path) = args.junit {
        let xml = junit::xml(&results, &tools()).map_err(|e| Failure::plain(format!("cannot write JUnit XML: {e}"), None))?;
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

/// Runs the parts that are not recorded, and records each finished part. Shows the progress: a bar if stderr is a terminal, else a line a
/// minute.
fn watched(plan: &Plan, known: &[Done], record: Option<&Record>) -> Result<Vec<Done>> {
    let part_count = parts(plan).len() as u64;
    let is_terminal = std::io::stderr().is_terminal();
    let bar = if is_terminal { ProgressBar::new(part_count) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {eta} {msg}") {
        bar.set_style(style);
    }
    bar.inc(known.len() as u64);
    let last_line = Mutex::new(Instant::now());
    let started = |part: &Part| bar.set_message(part.test.name.clone());
    let done = |result: &Done| {
        bar.inc(1);
        record.inspect(|record| record.add(result));
        let mut last_line = last_line.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_terminal && last_line.elapsed() >= MINUTE {
            *last_line = Instant::now();
            eprintln!("regress: {} of {part_count} parts have ended, the last of {}", bar.position(), result.name);
        }
    };
    let results = run_tests(plan, known, &started, &done);
    let results = results.map_err(|e| Failure::plain(format!("cannot start the tests: {e}"), None));
    bar.finish_and_clear();
    results
}

/// The programs that gave the results, each with its version.
fn tools() -> Vec<(&'static str, String)> {
    let version = |tool: &str, flag: &str| {
        let output = Command::new(tool).arg(flag).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_string())
    };
    let absent = || "not installed".to_string();
    vec![
        ("bcu", env!("CARGO_PKG_VERSION").to_string()),
        ("verilator", version("verilator", "--version").unwrap_or_else(absent)),
        ("iverilog", version("iverilog", "-V").unwrap_or_else(absent)),
    ]
}

/// The folder that keeps compiled simulators between runs. It belongs to this user alone, since the simulators are executed.
fn cache() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    cache.map_or_else(|| PathBuf::from("target/bcu-cache"), |cache| cache.join("bcu"))
}
