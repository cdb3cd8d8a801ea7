// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The progress of a regression. Each finished part is recorded, and each complete test is printed, in the order of the tests. On a terminal
//! a bar shows what runs and what is left; elsewhere a line a minute does.

use crate::record::RunRecord;
use crate::report::{self, counted};
use bcu_cli::failure::{complain, print, Failure, Result};
use bcu_shard::Shard;
use bcu_tb::regress::join::Join;
use bcu_tb::regress::plan::Plan;
use bcu_tb::regress::result::{Done, TestResult};
use bcu_tb::regress::run::{run, Progress};
use bcu_tb::regress::{parts, Part};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time between two lines of progress.
const MINUTE: Duration = Duration::from_secs(60);

/// A run in progress.
struct Watched<'a> {
    shard: Shard,
    record: Option<&'a RunRecord>,
    bar: ProgressBar,
    start: Instant,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    join: Join<'a>,
    results: Vec<TestResult>,
    /// For each part that runs now, the name of its test.
    running: Vec<String>,
    /// Parts that this run has executed.
    executed: u32,
    /// Parts without a result.
    left: u32,
    /// The first failure to print a result.
    printed: Result<()>,
    /// The first part that the host cannot run, with the reason.
    prevented: Option<String>,
}

/// Runs those parts of the plan's shard that have no result in `known`. Prints the results of the
/// shard's tests, and returns them.
pub fn watched(plan: &Plan, known: &[Done], record: Option<&RunRecord>) -> Result<Vec<TestResult>> {
    let left = u32::try_from(parts(plan).len()).unwrap_or(u32::MAX);
    let is_terminal = std::io::stderr().is_terminal();
    let bar = if is_terminal { ProgressBar::new(left.into()) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} parts, {wide_msg}") {
        bar.set_style(style);
    }
    let (join, running) = (Join::new(plan), vec![]);
    let state = State { join, results: vec![], running, executed: 0, left, printed: Ok(()), prevented: None };
    let watched = Watched { shard: plan.shard, record, bar, start: Instant::now(), state: Mutex::new(state) };
    let (end, ended) = channel::<()>();
    let period = if is_terminal { Duration::from_secs(1) } else { MINUTE };
    let ran = thread::scope(|scope| {
        let watched = &watched;
        scope.spawn(move || {
            while ended.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                watched.show(is_terminal);
            }
        });
        let ran = run(plan, known, watched);
        drop(end);
        ran
    });
    watched.bar.finish_and_clear();
    ran.map_err(|error| Failure::plain(format!("cannot start the tests: {error}"), None))?;
    let state = watched.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.printed?;
    match state.prevented {
        Some(why) => Err(Failure::plain(why, None)),
        None => Ok(state.results),
    }
}

impl State<'_> {
    /// The names of the tests whose parts run now, each with the number of these parts if there are
    /// several.
    fn running(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.running.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        let text =
            |(name, count): (&&str, &usize)| if *count > 1 { format!("{name} ({count} parts)") } else { name.to_string() };
        counts.iter().map(text).collect::<Vec<_>>().join(", ")
    }
}

impl<'a> Watched<'a> {
    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows what is left and what runs.
    fn show(&self, is_terminal: bool) {
        let state = self.state();
        let left = match state.executed {
            0 => String::new(),
            executed => format!("about {} more, ", rough(self.start.elapsed() / executed * state.left)),
        };
        let now = format!("{left}running: {}", state.running());
        match is_terminal {
            true => self.bar.set_message(now),
            false => complain(&format!("regress: {} left, {now}", counted(state.left, "part"))),
        }
    }

    /// Adds the result `done` of a part; `None`: the part was skipped. Prints the tests that are
    /// now complete.
    fn add(&self, part: &Part, done: Option<&Done>) {
        self.bar.inc(1);
        let mut state = self.state();
        state.left = state.left.saturating_sub(1);
        for result in state.join.add(part, done.cloned()) {
            if state.printed.is_ok() {
                state.printed = self.bar.suspend(|| print(&report::lines(&result)));
            }
            state.results.push(result);
        }
    }
}

impl Progress for Watched<'_> {
    fn started(&self, part: &Part) {
        self.state().running.push(part.test.name.clone());
    }

    fn ended(&self, part: &Part, done: &Done, is_new: bool) {
        if is_new {
            self.record.inspect(|record| record.add(done));
            let mut state = self.state();
            state.executed += 1;
            let at = state.running.iter().position(|name| *name == part.test.name);
            at.map(|at| state.running.remove(at));
        }
        self.add(part, Some(done));
    }

    fn skipped(&self, part: &Part) {
        self.add(part, None);
    }

    fn prevented(&self, part: &Part, why: String) {
        self.state().prevented.get_or_insert(format!("{}: {why}", part.test.name));
    }

    /// The record is all that a shard makes, so a shard whose record cannot be written is stopped. So is a run that the host cannot
    /// complete.
    fn is_stopped(&self) -> bool {
        self.state().prevented.is_some() || self.shard != Shard::WHOLE && self.record.is_some_and(RunRecord::has_failed)
    }
}

/// A duration as text in seconds, minutes or hours.
fn rough(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}
