// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a session in other schedules: each run reverses one pair of operations that nothing orders, and keeps the order of the pairs before
//! it. A run that orders its pairs as an earlier run did is not continued.
//!
//! Runs share nothing, so a schedule is the list of its constraints, and every run starts at the beginning.

use crate::check::{check_run, Severity};
use crate::cycle::Observer;
use crate::exploration::{Exploration, Explored, Limits, Outcome};
use crate::issued::Issued;
use crate::report::Pair;
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Execution};
use crate::session::{Ended, Session};
use std::collections::{HashMap, HashSet, VecDeque};

/// Runs the session with the schedule `constraints`.
///
/// # Errors
/// As [`Session::run`], but a run that its program has stopped is a result.
pub fn run_schedule(session: &Session, files: &[&str], constraints: &[Constraint], strict: bool) -> Result<Explored, RunError> {
    let mut issued = Issued::new(&session.ports()?)?;
    let ended = session.run_schedule(constraints, Observer::of_changes(&mut |cycle| issued.cycle(cycle)));
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
    Ok(Explored {
        constraints: constraints.to_vec(),
        reversed: None,
        outcome,
        report,
        variables,
        schedules: checked.schedules,
        errors,
    })
}

/// Explores schedules. `observe` gets every run.
///
/// # Errors
/// As [`run_schedule`].
pub fn explore(
    session: &Session,
    files: &[&str],
    Limits { runs: most, only_pairs, strict }: Limits,
    observe: &mut dyn FnMut(&Explored),
) -> Result<Exploration, RunError> {
    // Earlier launches have one schedule.
    let mut found = Exploration { is_complete: !session.has_earlier_runs(), ..Exploration::default() };
    let mut seen: HashMap<Vec<Constraint>, Vec<HashSet<Constraint>>> = HashMap::new();
    let mut planned: HashSet<Vec<Constraint>> = HashSet::from([vec![]]);
    let mut next: VecDeque<(Vec<Constraint>, Option<Pair>)> = VecDeque::from([(vec![], None)]);
    while let Some((constraints, reversed)) = next.pop_front() {
        let run = Explored { reversed, ..run_schedule(session, files, &constraints, strict)? };
        found.runs += 1;
        found.given_up += run.report.given_up_constraints;
        observe(&run);
        let pairs = &run.report.pairs;
        found.is_complete &= run.report.given_up_constraints == 0 && !only_pairs;
        let is_proved = run.schedules.is_proved();
        found.is_complete &= is_proved || run.schedules.is_explorable && !run.report.has_other_pairs;
        let mut order: Vec<Constraint> = pairs.iter().map(|pair| pair.reversal).collect();
        order.sort_unstable();
        let decided: HashSet<Constraint> =
            constraints.iter().flat_map(|constraint| [*constraint, reverse(*constraint)]).collect();
        let earlier = seen.entry(order).or_default();
        found.orders += usize::from(earlier.is_empty());
        // A run with this order has been continued by all pairs that its schedule did not decide.
        if !earlier.iter().any(|earlier| earlier.is_subset(&decided)) {
            earlier.push(decided);
            let is_last = only_pairs && !constraints.is_empty();
            for (schedule, reversed) in reversals(&constraints, pairs).into_iter().filter(|_| !is_last) {
                let mut key = schedule.clone();
                key.sort_unstable();
                if found.runs + next.len() >= most {
                    found.is_complete = false;
                } else if planned.insert(key) {
                    next.push_back((schedule, Some(reversed)));
                }
            }
        }
        add_outcome(&mut found.outcomes, run);
    }
    Ok(found)
}

/// The schedules that reverse one of the pairs of a run and keep the pairs before it, each with the reversed pair.
fn reversals(constraints: &[Constraint], pairs: &[Pair]) -> Vec<(Vec<Constraint>, Pair)> {
    let is_decided = |pair: &Pair| {
        constraints.iter().any(|constraint| *constraint == pair.reversal || *constraint == reverse(pair.reversal))
    };
    let open: Vec<Pair> = pairs.iter().copied().filter(|pair| !is_decided(pair)).collect();
    let schedule = |at: usize| {
        let kept = open[..at].iter().map(|pair| reverse(pair.reversal));
        (constraints.iter().copied().chain(kept).chain([open[at].reversal]).collect(), open[at])
    };
    (0..open.len()).map(schedule).filter(|(constraints, _): &(Vec<Constraint>, Pair)| !is_circular(constraints)).collect()
}

/// Whether no run can follow the constraints, because an execution would wait for itself.
fn is_circular(constraints: &[Constraint]) -> bool {
    let mut executions: Vec<Execution> =
        constraints.iter().flat_map(|constraint| [constraint.delayed, constraint.after]).collect();
    executions.sort_unstable();
    executions.dedup();
    let number = |of: &Execution| executions.binary_search(of).unwrap_or(0);
    // Executions of one instruction by a warp are next to each other, in the order of their times.
    let same = |pair: &[Execution]| Execution { time: 0, ..pair[0] } == Execution { time: 0, ..pair[1] };
    let in_program = executions.windows(2).enumerate().filter(|(_, pair)| same(pair)).map(|(at, _)| (at, at + 1));
    let mut edges: Vec<(usize, usize)> =
        constraints.iter().map(|constraint| (number(&constraint.after), number(&constraint.delayed))).collect();
    edges.extend(in_program);
    let mut remaining: Vec<usize> = (0..executions.len()).collect();
    loop {
        let before = remaining.len();
        let waits = |of: usize| edges.iter().any(|(from, to)| *to == of && remaining.contains(from));
        let left_over: Vec<usize> = remaining.iter().copied().filter(|of| waits(*of)).collect();
        if left_over.len() == before {
            return before > 0;
        }
        remaining = left_over;
    }
}

/// The constraint that keeps the order of a pair.
fn reverse(Constraint { delayed, after }: Constraint) -> Constraint {
    Constraint { delayed: after, after: delayed }
}

fn add_outcome(outcomes: &mut Vec<Explored>, run: Explored) {
    match outcomes.iter_mut().find(|known| known.outcome == run.outcome) {
        Some(known) if known.constraints.len() > run.constraints.len() => *known = run,
        Some(_) => {}
        None => outcomes.push(run),
    }
}
