// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a session in other schedules: each run reverses one pair of operations that nothing orders, and keeps the order of the pairs before
//! it. A run that orders its pairs as an earlier run did is not continued.
//!
//! Runs share nothing, so a schedule is the list of its holds, and every run starts at the beginning.

use crate::check::finding::{Finding, Subject};
use crate::check::schedules::Schedules;
use crate::check::{check_run, Severity};
use crate::cycle::Observer;
use crate::gate::{Execution, Hold};
use crate::issued::Issued;
use crate::report::{Pair, Report, Verdict};
use crate::run_error::RunError;
use crate::session::{Ended, Session};
use bcu_program::Variable;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a run of a schedule gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The name of the verdict of the run.
    pub verdict: &'static str,
    /// Code, CTA and warp of each fault.
    faults: Vec<(String, usize, Option<usize>)>,
    /// CTA and warp of each warp that has not exited.
    waiting: Vec<(usize, usize)>,
    /// A digest of global memory.
    memory: u64,
    /// The differences to the expected contents of buffers.
    mismatches: Vec<String>,
}

/// A run of a schedule.
#[derive(Clone, Debug)]
pub struct Explored {
    pub holds: Vec<Hold>,
    /// The pair that the last hold reverses; `None` for the first run.
    pub reversed: Option<Pair>,
    pub outcome: Outcome,
    pub report: Report,
    /// Global memory after the run.
    pub variables: Vec<Variable>,
    pub schedules: Schedules,
    /// The errors that a check of the run reports.
    pub errors: Vec<Finding>,
}

/// The limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of runs.
    pub runs: usize,
    /// Whether each run but the first reverses one pair of the first run, and no more.
    pub only_pairs: bool,
    /// Whether the checks of the runs are strict.
    pub strict: bool,
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// For each outcome, the run with the shortest schedule that shows it; the first run of all has the empty schedule.
    pub outcomes: Vec<Explored>,
    /// The number of runs.
    pub runs: usize,
    /// The number of runs with a new order of their pairs.
    pub orders: usize,
    /// The number of holds that runs could not follow.
    pub given_up: usize,
    /// Whether every order was executed; false if the limit was reached, or if a pair of operations cannot be reversed by a hold.
    pub is_complete: bool,
}

impl Outcome {
    fn new(report: &Report, (variables, mismatches): (&[Variable], Vec<String>)) -> Outcome {
        let unfinished = report.warps.iter().filter(|warp| warp.exited.is_none());
        let waiting = unfinished.map(|warp| (warp.cta, warp.warp)).collect();
        let mut faults: Vec<_> = report.faults.iter().map(|fault| (fault.code.clone(), fault.cta, fault.warp)).collect();
        faults.sort();
        let mut digest = DefaultHasher::new();
        variables.iter().for_each(|variable| (&variable.name, variable.bytes.values()).hash(&mut digest));
        let global = report.memory.iter().filter(|word| word.cta.is_none());
        global.for_each(|word| (word.address, word.value).hash(&mut digest));
        let memory = digest.finish();
        Outcome { verdict: report.verdict.name(), faults, waiting, memory, mismatches }
    }

    /// The differences to the expected contents of buffers.
    pub fn mismatches(&self) -> impl Iterator<Item = &str> {
        self.mismatches.iter().map(String::as_str)
    }

    /// Whether the run hangs.
    pub fn hangs(&self) -> bool {
        self.verdict == Verdict::Hung.name()
    }
}

/// Runs the session with the schedule `holds`.
///
/// # Errors
/// As [`Session::run`], but a run that its program has stopped is a result.
pub fn run_schedule(session: &Session, files: &[&str], holds: &[Hold], strict: bool) -> Result<Explored, RunError> {
    let mut issued = Issued::new(&session.ports()?)?;
    let ended = session.run_schedule(holds, Observer::of_changes(&mut |cycle| issued.cycle(cycle)));
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
    let subject = Subject {
        files,
        programs: &session.assignment.run.programs,
        earlier: &session.earlier_programs(),
        owners: &session.assignment.owners,
        warnings: &session.assignment.warnings,
        machine: &session.machine,
        config: &session.config,
        strict,
    };
    let checked = check_run(&subject, &report, &issued).map_err(RunError::Misfit)?;
    let errors = checked.findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect();
    Ok(Explored { holds: holds.to_vec(), reversed: None, outcome, report, variables, schedules: checked.schedules, errors })
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
    let mut found = Exploration { is_complete: true, ..Exploration::default() };
    let mut seen: HashMap<Vec<Hold>, Vec<HashSet<Hold>>> = HashMap::new();
    let mut planned: HashSet<Vec<Hold>> = HashSet::from([vec![]]);
    let mut next: VecDeque<(Vec<Hold>, Option<Pair>)> = VecDeque::from([(vec![], None)]);
    while let Some((holds, reversed)) = next.pop_front() {
        let run = Explored { reversed, ..run_schedule(session, files, &holds, strict)? };
        found.runs += 1;
        found.given_up += run.report.given_up_holds;
        observe(&run);
        let pairs = &run.report.pairs;
        found.is_complete &= run.report.given_up_holds == 0 && !only_pairs;
        found.is_complete &= run.schedules.is_explorable && !run.report.has_other_pairs;
        let mut order: Vec<Hold> = pairs.iter().map(|pair| pair.reversal).collect();
        order.sort_unstable();
        let decided: HashSet<Hold> = holds.iter().flat_map(|hold| [*hold, reverse(*hold)]).collect();
        let earlier = seen.entry(order).or_default();
        found.orders += usize::from(earlier.is_empty());
        // A run with this order has been continued by all pairs that its schedule did not decide.
        if !earlier.iter().any(|earlier| earlier.is_subset(&decided)) {
            earlier.push(decided);
            let is_last = only_pairs && !holds.is_empty();
            for (schedule, reversed) in reversals(&holds, pairs).into_iter().filter(|_| !is_last) {
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
fn reversals(holds: &[Hold], pairs: &[Pair]) -> Vec<(Vec<Hold>, Pair)> {
    let is_decided = |pair: &Pair| holds.iter().any(|hold| *hold == pair.reversal || *hold == reverse(pair.reversal));
    let open: Vec<Pair> = pairs.iter().copied().filter(|pair| !is_decided(pair)).collect();
    let schedule = |at: usize| {
        let kept = open[..at].iter().map(|pair| reverse(pair.reversal));
        (holds.iter().copied().chain(kept).chain([open[at].reversal]).collect(), open[at])
    };
    (0..open.len()).map(schedule).filter(|(holds, _): &(Vec<Hold>, Pair)| !is_circular(holds)).collect()
}

/// Whether no run can follow the holds, because an execution would wait for itself.
fn is_circular(holds: &[Hold]) -> bool {
    let mut executions: Vec<Execution> = holds.iter().flat_map(|hold| [hold.held, hold.until]).collect();
    executions.sort_unstable();
    executions.dedup();
    let number = |of: &Execution| executions.binary_search(of).unwrap_or(0);
    // Executions of one instruction by a warp are next to each other, in the order of their times.
    let same = |pair: &[Execution]| Execution { time: 0, ..pair[0] } == Execution { time: 0, ..pair[1] };
    let in_program = executions.windows(2).enumerate().filter(|(_, pair)| same(pair)).map(|(at, _)| (at, at + 1));
    let mut edges: Vec<(usize, usize)> = holds.iter().map(|hold| (number(&hold.until), number(&hold.held))).collect();
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

/// The hold that keeps the order of a pair.
fn reverse(Hold { held, until }: Hold) -> Hold {
    Hold { held: until, until: held }
}

fn add_outcome(outcomes: &mut Vec<Explored>, run: Explored) {
    match outcomes.iter_mut().find(|known| known.outcome == run.outcome) {
        Some(known) if known.holds.len() > run.holds.len() => *known = run,
        Some(_) => {}
        None => outcomes.push(run),
    }
}
