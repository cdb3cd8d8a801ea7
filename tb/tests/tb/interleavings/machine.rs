// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs on the machine: each run has one of the outcomes that the explorer finds.
//!
//! Longer: `BCU_SEED=1 BCU_SEEDS=100000 BCU_SCHEDULES=10 cargo test --release -p bcu-tb --test tb interleavings::machine -- --nocapture`.

use crate::ring::{seeds, setting};
use bcu_tb::interleavings::{explore, run, OpKind, Outcome, Program, Ran, Shown};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The number of programs.
const PROGRAMS: u64 = 900;
/// The states of a program, at most.
const LIMIT: usize = 20_000;
/// The schedules of each program on the machine, unless `BCU_SCHEDULES` is set.
const SCHEDULES: u64 = 3;

/// What the programs of a test were like.
#[derive(Debug, Default)]
struct Totals {
    programs: usize,
    unfinished: usize,
    misuses: std::collections::BTreeMap<&'static str, usize>,
    one_outcome: usize,
    one_misuse: usize,
    one_hang: usize,
    states: usize,
    /// The outcomes of the programs that have several, and those of them that runs had.
    outcomes: usize,
    outcomes_in_runs: usize,
    exploring: Duration,
    running: Duration,
    /// The runs with [`has_merged_arrivals`].
    merged: usize,
    /// The runs of programs with [`has_copy_after_arrival`] or [`has_increment_of_rank_1`].
    not_compared: usize,
}

/// Whether a warp starts a `cp.async` after a `cp.async.mbarrier.arrive`. The machine may count the end of that copy for the arrival, which
/// then comes before an earlier copy has ended: a consumer loads bytes that are not there yet. PTX lets the arrival wait for all earlier
/// copies of its thread.
fn has_copy_after_arrival(program: &Program) -> bool {
    program.warps.iter().any(|ops| {
        let mut after = ops.iter().skip_while(|op| !matches!(op.kind, OpKind::CpArrive { .. }));
        after.any(|op| matches!(op.kind, OpKind::CpAsync { .. }))
    })
}

/// Whether the machine has made one operation of the arrivals of several `cp.async.mbarrier.arrive` of a warp that came in one cycle, and the
/// mbarrier has refused it as more arrivals than the phase needs. In PTX each arrival is an operation of its own, and may begin the next
/// phase, so the explorer has no such outcome.
fn has_merged_arrivals(ran: &Ran) -> bool {
    let is_merged = |sentence: &str| sentence.contains(" arrivals by a copy at the mbarrier");
    ran.report.faults.iter().any(|fault| fault.code == "mbarrier_over_arrival" && is_merged(&fault.sentence))
}

/// Whether a CTA of rank 1 executes `cp.async.mbarrier.arrive` without `.noinc`. The machine gives its increment of the pending arrivals an
/// address without the rank, so that the unit refuses it as `rank_out_of_range`.
fn has_increment_of_rank_1(program: &Program) -> bool {
    let ops = program.warps.iter().skip(program.warps_per_cta()).flatten();
    ops.into_iter().any(|op| matches!(op.kind, OpKind::CpArrive { noinc: false, .. }))
}

/// Whether the machine executes the program as PTX does.
pub fn is_compared(program: &Program) -> bool {
    !has_copy_after_arrival(program) && !has_increment_of_rank_1(program)
}

/// Compares the runs of a program with its outcomes. Returns what is wrong.
fn compare(program: &Program, totals: &mut Totals) -> Option<String> {
    let start = Instant::now();
    let explored = explore(program, LIMIT);
    totals.exploring += start.elapsed();
    totals.programs += 1;
    totals.states += explored.states;
    totals.unfinished += usize::from(!explored.finished);
    if explored.finished && explored.outcomes.len() == 1 {
        totals.one_outcome += 1;
        totals.one_misuse += usize::from(explored.outcomes.contains(&Outcome::Misuse));
        totals.one_hang += usize::from(explored.outcomes.iter().any(Outcome::hangs));
    }
    for misuse in &explored.misuses {
        *totals.misuses.entry(misuse.0).or_default() += 1;
    }
    let shown: BTreeSet<Shown> = explored.outcomes.iter().map(Outcome::shown).collect();
    let mut seen = BTreeSet::new();
    for schedule in 1..=setting("BCU_SCHEDULES", SCHEDULES) {
        let start = Instant::now();
        let ran = match run(program, schedule) {
            Ok(ran) => ran,
            Err(why) => return Some(format!("the machine does not run it: {why}")),
        };
        totals.running += start.elapsed();
        let Some(found) = ran.shown(program) else {
            return Some(format!("the run has no outcome: {}", ran.report));
        };
        if has_merged_arrivals(&ran) {
            totals.merged += 1;
        } else if !is_compared(program) {
            totals.not_compared += 1;
        } else if explored.finished && !shown.contains(&found) {
            return Some(format!(
                "schedule {schedule} of the machine has the outcome {found:?}, faults {:?}, which none of these is: {shown:?}\n{:?}",
                ran.faults(),
                ran.report.faults.iter().map(|fault| (fault.cycle, &fault.sentence)).collect::<Vec<_>>()
            ));
        }
        seen.insert(found);
    }
    if explored.finished && shown.len() > 1 {
        totals.outcomes += shown.len();
        totals.outcomes_in_runs += seen.len();
    }
    None
}

#[test]
fn every_run_has_an_outcome_that_the_explorer_finds() {
    let mut totals = Totals::default();
    let mut wrong = vec![];
    for seed in seeds(PROGRAMS) {
        let program = Program::random(seed);
        if let Some(why) = compare(&program, &mut totals) {
            wrong.push(format!(
                "{why}\n{}\nseed {seed}; repeat with: BCU_SEED={seed} BCU_SEEDS=1 cargo test -p bcu-tb --test tb interleavings::machine",
                program.ptx()
            ));
        }
    }
    eprintln!("{totals:?}");
    let number = wrong.len();
    assert!(wrong.is_empty(), "{number} programs; the first ones:\n{}", wrong[..number.min(3)].join("\n\n"));
}
