// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The verdict of one run for every schedule, and the outcomes of an exploration, against the search through all interleavings.
//!
//! Longer: `BCU_SEED=1 BCU_SEEDS=100000 cargo test --release -p bcu-tb --test tb interleavings::proved -- --nocapture`.

use crate::ring::seeds;
use bcu_machine::exploration::{Explored, Limits, Selection};
use bcu_machine::explore;
use bcu_tb::interleavings::{explore as search, machine, session, Outcome, Program, Ran, Shown};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;

/// The number of programs.
const PROGRAMS: u64 = 2000;
/// The number of tests among which the programs are divided.
const PARTS: usize = 4;
/// The states of a program, at most.
const LIMIT: usize = 20_000;
const LIMITS: Limits = Limits { runs: 24, selection: Selection::Reversals, strict: false, threads: NonZeroUsize::MIN };

/// What the programs of a test were like.
#[derive(Debug, Default)]
struct Totals {
    programs: usize,
    /// The programs whose search has ended.
    compared: usize,
    one_outcome: usize,
    proved: usize,
    /// The explorations that executed every order, and their runs.
    explored: usize,
    runs: usize,
}

fn shown(program: &Program, run: &Explored) -> Option<Shown> {
    Ran { report: run.report.clone(), variables: run.variables.clone() }.shown(program)
}

/// Compares verdict and exploration of a program with its outcomes. Returns what is wrong.
fn compare(program: &Program, seed: u64, totals: &mut Totals) -> Option<String> {
    totals.programs += 1;
    let searched = search(program, LIMIT);
    if !searched.finished {
        return None;
    }
    totals.compared += 1;
    totals.one_outcome += usize::from(searched.outcomes.len() == 1);
    let text = program.ptx();
    let session = match session(program, &machine(seed)) {
        Ok(session) => session,
        Err(why) => return Some(format!("the machine does not run it: {why}")),
    };
    let mut found: BTreeSet<Shown> = BTreeSet::new();
    let mut observe = |run: &Explored| found.extend(shown(program, run));
    let explored = match explore::explore(&session, &[&text], &LIMITS, &mut observe) {
        Ok(explored) => explored,
        Err(error) => return Some(format!("the exploration ends with an error: {error}")),
    };
    let is_proved = explored.outcomes[0].schedules.is_proved();
    totals.proved += usize::from(is_proved);
    if is_proved && (searched.outcomes.len() != 1 || searched.outcomes.contains(&Outcome::Misuse)) {
        let steps = searched.schedules.values().map(|steps| steps.join("\n")).collect::<Vec<_>>().join("\n\n");
        return Some(format!("the run proves every schedule, and these are the outcomes: {:?}\n{steps}", searched.outcomes));
    }
    if explored.is_complete {
        totals.explored += 1;
        totals.runs += explored.runs;
        let expected: BTreeSet<Shown> = searched.outcomes.iter().map(Outcome::shown).collect();
        if found != expected {
            let missing: Vec<&Outcome> = searched.outcomes.iter().filter(|outcome| !found.contains(&outcome.shown())).collect();
            let steps = missing.first().map(|outcome| searched.schedules[outcome].join("\n"));
            let other: Vec<&Shown> = found.difference(&expected).collect();
            return Some(format!(
                "the exploration is complete after {} runs; {} outcomes are missing, such as {:?}; these are not expected: {other:?}\n{}",
                explored.runs,
                missing.len(),
                missing.first(),
                steps.unwrap_or_default()
            ));
        }
    }
    None
}

/// Compares every fourth program, from the one with number `first` on, so that the parts of the test run side by side.
fn compare_part(first: u64) {
    let mut totals = Totals::default();
    let mut wrong = vec![];
    let all: Vec<u64> = seeds(PROGRAMS).collect();
    for seed in all.into_iter().skip(first as usize).step_by(PARTS) {
        let program = Program::random(seed);
        if let Some(why) = compare(&program, seed, &mut totals) {
            wrong.push(format!(
                "{why}\n{}\nseed {seed}; repeat with: BCU_SEED={seed} BCU_SEEDS=1 cargo test -p bcu-tb --test tb interleavings::proved",
                program.ptx()
            ));
        }
    }
    eprintln!("{totals:?}");
    let number = wrong.len();
    assert!(wrong.is_empty(), "{number} programs; the first ones:\n{}", wrong[..number.min(3)].join("\n\n"));
}

#[test]
fn a_proved_program_has_one_outcome_and_a_complete_exploration_has_all_1() {
    compare_part(0);
}

#[test]
fn a_proved_program_has_one_outcome_and_a_complete_exploration_has_all_2() {
    compare_part(1);
}

#[test]
fn a_proved_program_has_one_outcome_and_a_complete_exploration_has_all_3() {
    compare_part(2);
}

#[test]
fn a_proved_program_has_one_outcome_and_a_complete_exploration_has_all_4() {
    compare_part(3);
}
