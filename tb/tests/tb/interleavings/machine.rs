// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random programs on the machine: each run has one of the outcomes that the explorer finds.
//!
//! Longer: `BCU_SEED=1 BCU_SEEDS=100000 BCU_SCHEDULES=10 cargo test --release -p bcu-tb --test tb interleavings::machine -- --nocapture`.

use crate::ring::{seeds, setting};
use bcu_machine::priorities::Priorities;
use bcu_machine::schedule_file::Schedule;
use bcu_machine::Machine;
use bcu_tb::interleavings::{explore, machine, run, run_on, Outcome, Program, Ran, Shown};
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
}

/// Runs a program; every third schedule is one of random priorities.
fn run_in(program: &Program, schedule: u64) -> Result<Ran, String> {
    if schedule % 3 != 0 {
        return run(program, schedule);
    }
    let priorities = Some(Priorities { seed: schedule, depth: 3, operations: 20 });
    run_on(program, &Machine { schedule: Schedule { priorities, ..Schedule::default() }, ..machine(schedule) })
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
        let ran = match run_in(program, schedule) {
            Ok(ran) => ran,
            Err(why) => return Some(format!("the machine does not run it: {why}")),
        };
        totals.running += start.elapsed();
        let Some(found) = ran.shown(program) else {
            return Some(format!("the run has no outcome: {}", ran.report));
        };
        if explored.finished && !shown.contains(&found) {
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
