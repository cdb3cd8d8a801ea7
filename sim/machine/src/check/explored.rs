// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings of an exploration: what runs of other schedules give and the first run does not. Each is a schedule that was executed.

use super::codes::{Code, ARRIVAL_IN_OTHER_PHASE, SCHEDULE_FAILS, SCHEDULE_RESULT, USED_BEFORE_INIT, WAIT_IN_OTHER_PHASE};
use super::finding::{At, Case, Finding, Related};
use crate::exploration::{Exploration, Explored};
use crate::report::{Change, Pair, Verdict};
use crate::schedule_file::Execution;
use bcu_program::{Access, AccessKind, Op};

/// One finding for each pair of locations and each kind of failure, and one for all other results.
pub(super) fn find(case: &Case, exploration: &Exploration) -> Vec<Finding> {
    let [first, others @ ..] = &exploration.outcomes[..] else { return vec![] };
    let known: Vec<&str> = first.errors.iter().map(|error| error.code.name).collect();
    let mut found: Vec<Finding> = vec![];
    // Whether a run that was stopped at its limit fails is unknown.
    let others: Vec<&Explored> = others.iter().filter(|run| run.outcome.verdict != Verdict::Unfinished.name()).collect();
    for run in others.iter().copied() {
        let Some(failure) = failure(first, run, &known) else { continue };
        let mut finding = of_run(case, (run.reversed.map_or(&SCHEDULE_FAILS, |pair| code(pair.change)), run), &failure);
        let new_errors = || run.errors.iter().filter(|error| !known.contains(&error.code.name));
        // If the run hangs, the error that states for what its warps wait explains it best.
        let cause = new_errors().find(|error| run.outcome.hangs() && error.code.is_hang()).or(new_errors().next());
        finding.related.extend(cause.map(|error| Related {
            at: error.at.clone(),
            note: format!("in that schedule: {}[{}]: {}", error.severity.name(), error.code.name, error.message),
        }));
        if !found.iter().any(|earlier| earlier.code == finding.code && earlier.at == finding.at) {
            found.push(finding);
        }
    }
    let results: Vec<&Explored> = others.iter().copied().filter(|run| failure(first, run, &known).is_none()).collect();
    if let Some(run) = results.first() {
        let failure = match results.len() {
            1 if first.outcome.hangs() && !run.outcome.hangs() => "completes".to_string(),
            1 => "gives another result".to_string(),
            results => format!("gives another result, the first of {results} that differ from that of the run"),
        };
        let mut finding = of_run(case, (&SCHEDULE_RESULT, *run), &failure);
        finding.related.extend(run.outcome.mismatches().map(|mismatch| Related { at: None, note: mismatch.to_string() }));
        found.push(finding);
    }
    found
}

/// The difference of a run to the first one, as a verb phrase, and the errors that only this run has.
pub fn difference<'a>(first: &Explored, run: &'a Explored) -> (String, Vec<&'a Finding>) {
    let known: Vec<&str> = first.errors.iter().map(|error| error.code.name).collect();
    let what = failure(first, run, &known).unwrap_or_else(|| "gives another result".to_string());
    (what, run.errors.iter().filter(|error| !known.contains(&error.code.name)).collect())
}

/// How a run fails in a way in which the first run does not, as a verb phrase.
fn failure(first: &Explored, run: &Explored, known: &[&str]) -> Option<String> {
    let new_error = run.errors.iter().find(|error| !known.contains(&error.code.name));
    match new_error {
        _ if run.outcome.hangs() && !first.outcome.hangs() => Some("hangs".to_string()),
        Some(error) => Some(format!("has the error `{}`", error.code.name)),
        None if run.outcome.verdict != first.outcome.verdict && first.errors.is_empty() => {
            Some(format!("ends as {}", run.outcome.verdict))
        }
        None if run.outcome.mismatches().next().is_some() && first.outcome.mismatches().next().is_none() => {
            Some("gives contents of a buffer that are not expected".to_string())
        }
        None => None,
    }
}

fn code(change: Change) -> &'static Code {
    match change {
        Change::Generation | Change::Phase | Change::Expectation => &ARRIVAL_IN_OTHER_PHASE,
        Change::WaitEarlier | Change::WaitLater | Change::Answer => &WAIT_IN_OTHER_PHASE,
        Change::BeforeInit | Change::Invalidation => &USED_BEFORE_INIT,
        _ => &SCHEDULE_FAILS,
    }
}

fn of_run(case: &Case, (code, run): (&'static Code, &Explored), failure: &str) -> Finding {
    let Some(Pair { reversal, change }) = run.reversed else {
        return Finding::new(code, None, format!("another schedule {failure}: with random priorities, {}", seed_of(run)));
    };
    let named = |execution: &Execution| format!("warp {} of CTA {}", execution.warp, execution.cta);
    let (delayed, after) = (reversal.delayed, reversal.after);
    let what = |execution: &Execution, first: bool| match (change, is_atomic(case, execution)) {
        (Change::Stores | Change::StoreBeforeLoad | Change::LoadBeforeStore, true) => "performs its atomic operation",
        _ => does(change, first),
    };
    let message = format!(
        "another schedule {failure}: {} {} before {} {}",
        named(&after),
        what(&after, true),
        named(&delayed),
        what(&delayed, false)
    );
    let mut finding = Finding::new(code, locate(case, &after), message);
    (finding.cta, finding.warp) = (Some(after.cta), Some(after.warp));
    finding.related.push(Related {
        at: locate(case, &delayed),
        note: format!("in that schedule {} executes this second", named(&delayed)),
    });
    finding
}

/// The random priorities of a run, which no constraints repeat.
fn seed_of(run: &Explored) -> String {
    run.schedule.priorities.map_or(String::new(), |priorities| format!("seed {}", priorities.seed))
}

/// What the execution that another schedule performs `first`, or the other execution, does.
fn does(change: Change, first: bool) -> &'static str {
    match (change, first) {
        (Change::Stores | Change::StoreBeforeLoad, true) | (Change::Stores | Change::LoadBeforeStore, false) => "stores",
        (Change::LoadBeforeStore, true) | (Change::StoreBeforeLoad, false) => "loads",
        (Change::Generation | Change::Phase, _) => "arrives",
        (Change::Expectation, true) => "completes the phase",
        (Change::Expectation, false) => "expects bytes or arrivals",
        (Change::WaitEarlier, true) | (Change::WaitLater | Change::Answer, false) => "waits",
        (Change::WaitEarlier, false) | (Change::WaitLater | Change::Answer, true) => "completes the phase",
        (Change::BeforeInit, true) => "uses the mbarrier",
        (Change::BeforeInit, false) => "initialises it",
        (Change::Invalidation, true) => "invalidates the mbarrier",
        (Change::Invalidation, false) => "uses it",
        (Change::State | Change::LastDrop | Change::Range | Change::WaitForGrids | Change::ExitOfCta, _) => {
            "executes its operation"
        }
    }
}

/// Whether an execution is one of `atom` or `red`, which both loads and stores.
fn is_atomic(case: &Case, execution: &Execution) -> bool {
    matches!(case.instr(execution).map(|instr| &instr.op), Some(Op::Access(Access { kind: AccessKind::Atomic { .. }, .. })))
}

fn locate(case: &Case, execution: &Execution) -> Option<At> {
    let place = case.place(execution)?;
    case.locate_in(execution.cta, execution.warp, &place)
}
