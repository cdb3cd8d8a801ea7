// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs other schedules of a case, and writes the schedule that fails.

use crate::cmd::case::{Case, Progress};
use crate::failure::{Failure, Result};
use crate::files::Batch;
use crate::interrupt::running;
use bcu_machine::exploration::{Bound, Exploration, Explored, Limits};
use bcu_machine::explore::explore;
use bcu_machine::is_interrupted;
use bcu_machine::schedule_file::Schedule;
use std::path::Path;

/// Runs other schedules.
pub fn run(case: &Case, files: &[&str], limits: &Limits) -> Result<Exploration> {
    let mut progress = Progress::of_schedules();
    let mut runs = 0;
    let mut observe = |_: &Explored| {
        runs += 1;
        progress.reach(runs);
    };
    let found = running(|| explore(&case.session, files, limits, &mut observe));
    drop(progress);
    match found {
        Ok(_) if is_interrupted() => Err(Failure::plain("the exploration was interrupted", None)),
        Ok(found) => Ok(found),
        Err(error) => Err(Failure::plain(error, None)),
    }
}

/// What an exploration has executed, one line.
pub fn summary(found: &Exploration) -> String {
    let runs = match (found.runs, found.bound) {
        (runs, Some(_)) => format!("the first schedule and {} others were executed", runs.saturating_sub(1)),
        (1, None) => "1 schedule was executed".to_string(),
        (runs, None) => format!("{runs} schedules were executed"),
    };
    let results = match found.outcomes.len() {
        1 => "one result".to_string(),
        results => format!("{results} different results"),
    };
    let which = match (&found.bound, found.gap) {
        (Some(bound), _) => format!("with random priorities from seed {}", bound.seed),
        (None, None) => "every order of the operations whose order matters".to_string(),
        (None, Some(gap)) => format!("not every order ({})", gap.sentence()),
    };
    let bound = found.bound.map_or(String::new(), |bound| probability(&bound, found.runs));
    format!("explored: {runs}, {which}; {results}\n{bound}")
}

/// The probability with which runs with random priorities show a failure.
fn probability(bound: &Bound, runs: usize) -> String {
    let Bound { warps, operations, depth, .. } = *bound;
    let percent = |probability: f64| match 100.0 * probability {
        percent if percent < 0.01 => format!("at least {percent:.1e} %"),
        percent if percent > 99.99 => "more than 99.99 %".to_string(),
        percent => format!("at least {percent:.2} %"),
    };
    let (one, all) = (percent(bound.probability()), percent(bound.probability_of(runs.saturating_sub(1))));
    format!(
        "probability: {warps} warps, {operations} operations: a failure of depth {depth} shows in one of these schedules with {all}, in each \
         with {one}\n"
    )
}

/// The first run, and the run with the shortest schedule that fails, or else that gives another result; `None` if all results are equal.
pub fn different(found: &Exploration) -> Option<[&Explored; 2]> {
    let [first, others @ ..] = &found.outcomes[..] else { return None };
    let fails = |run: &&Explored| run.errors.len() > first.errors.len() || run.outcome.hangs() && !first.outcome.hangs();
    Some([first, others.iter().find(fails).or(others.first())?])
}

/// Writes the schedule of a run.
pub fn save(case: &Case, run: &Explored, path: &Path) -> Result<()> {
    let schedule = Schedule { programs: Some(case.session.digest()), ..run.schedule.clone() };
    let text = schedule.text(|execution| case.session.place(execution));
    let mut batch = Batch::default();
    batch.add(path, text)?;
    batch.commit()
}
