// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two runs of an exploration, executed once more with a recorder of what a picture shows.

use crate::cycle::{Cycle, Observer};
use crate::moments::{Moment, Moments};
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Execution, Schedule};
use crate::session::Session;
use crate::timeline::{Recorder, Timeline};

/// The recording of a run.
pub struct Recorded {
    pub timeline: Timeline,
    moments: Moments,
}

/// Runs the session without a schedule and with `schedule`. Returns both recordings, and the pair of executions whose order differs: of
/// several, the last one of the schedule. The pair is `None` if the schedule has no constraints.
///
/// # Errors
/// As [`Session::run`], but a run that its program has stopped is a result.
pub fn record(session: &Session, schedule: &Schedule) -> Result<([Recorded; 2], Option<Constraint>), RunError> {
    let constraints = &schedule.constraints;
    let runs = [run(session, &Schedule::default(), constraints)?, run(session, schedule, constraints)?];
    let differs =
        |pair: &&Constraint| runs[0].is_first(&pair.delayed, &pair.after) && runs[1].is_first(&pair.after, &pair.delayed);
    let pair = constraints.iter().rev().find(differs).or(constraints.last()).copied();
    Ok((runs, pair))
}

/// Runs a schedule, and watches the executions of `watched`.
fn run(session: &Session, schedule: &Schedule, watched: &[Constraint]) -> Result<Recorded, RunError> {
    let mut recorder = Recorder::default();
    let mut moments = Moments::new(watched.iter().flat_map(|pair| [pair.delayed, pair.after]));
    let mut observe = |cycle: &Cycle| {
        recorder.cycle(cycle);
        moments.cycle(cycle);
    };
    match session.run_schedule(schedule, Observer::of_all(&mut observe)) {
        Ok(_) | Err(RunError::Program { report: Some(_), .. }) => Ok(Recorded { timeline: recorder.finish(), moments }),
        Err(error) => Err(error),
    }
}

impl Recorded {
    /// When an execution of the schedule took effect; `None` if it was not executed.
    pub fn moment(&self, execution: &Execution) -> Option<Moment> {
        self.moments.of(execution)
    }

    /// Whether one execution took effect before another one, or without it.
    fn is_first(&self, execution: &Execution, other: &Execution) -> bool {
        match (self.moments.of(execution), self.moments.of(other)) {
            (Some(moment), Some(other)) => moment < other,
            (moment, _) => moment.is_some(),
        }
    }
}
