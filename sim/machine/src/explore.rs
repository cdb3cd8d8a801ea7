// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a session in other schedules: either each run reverses one pair of operations that nothing orders ([`search`]), or the warps have
//! random priorities ([`random`]).
//!
//! Runs share nothing, so a schedule is the list of its constraints, and every run starts at the beginning.

mod circular;
mod parallel;
mod random;
mod search;
mod shorten;

use crate::check::{check_run, Severity};
use crate::cycle::Observer;
use crate::exploration::{Exploration, Explored, Limits, Outcome, Selection};
use crate::issued::Issued;
use crate::run_error::RunError;
use crate::schedule_file::Schedule;
use crate::session::{Ended, Session};

/// Explores schedules. `files` are the texts of the programs; `observe` gets every run.
///
/// # Errors
/// As [`Session::run`], but a run that its program has stopped is a result.
pub fn explore(
    session: &Session,
    files: &[&str],
    limits: &Limits,
    observe: &mut dyn FnMut(&Explored),
) -> Result<Exploration, RunError> {
    let run = |schedule: &Schedule| run_schedule(session, files, schedule, limits.strict);
    match limits.selection {
        Selection::Random { depth, seed } => random::explore(&run, limits, (depth, seed), observe),
        Selection::Reversals | Selection::Pairs => search::explore(session, &run, limits, observe),
    }
}

/// Runs the session with a schedule.
fn run_schedule(session: &Session, files: &[&str], schedule: &Schedule, strict: bool) -> Result<Explored, RunError> {
    let mut issued = Issued::new(&session.ports()?)?;
    let ended = session.run_schedule(schedule, Observer::of_changes(&mut |cycle| issued.cycle(cycle)));
    let (report, outcome, variables) = match ended {
        Ok(Ended { report, launch_result, variables }) => {
            let mismatches = launch_result.mismatches.iter().map(ToString::to_string).collect();
            let outcome = Outcome::new(&report, (&variables, mismatches));
            (report, outcome, variables)
        }
        Err(RunError::Program { report: Some(report), .. }) => {
            let outcome = Outcome::new(&report, (&[], vec![]));
            (*report, outcome, vec![])
        }
        Err(error) => return Err(error),
    };
    let checked = check_run(&session.subject(files, strict), &report, &issued).map_err(RunError::Misfit)?;
    let errors = checked.findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    let schedule = schedule.clone();
    Ok(Explored { schedule, reversed: None, outcome, report, variables, schedules: checked.schedules, errors })
}
