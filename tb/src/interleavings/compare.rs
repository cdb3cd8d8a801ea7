// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the verdict of one run for every schedule, and the outcomes of an exploration, with the outcomes of all interleavings.

use super::explore::explore as search;
use super::outcome::{Outcome, Shown};
use super::program::Program;
use super::run::{machine, session, Ran};
use bcu_machine::exploration::{Explored, Limits, Selection};
use bcu_machine::explore::explore;
use bcu_machine::report::{Change, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroUsize;

/// The states of a program, at most.
const MOST_STATES: usize = 20_000;
const LIMITS: Limits = Limits { runs: 24, selection: Selection::Reversals, strict: false, threads: NonZeroUsize::MIN };

/// What the compared programs were like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub programs: usize,
    /// The programs whose search has ended.
    pub compared: usize,
    pub with_one_outcome: usize,
    pub proved: usize,
    /// The explorations that executed every order, and their runs.
    pub explored: usize,
    pub runs: usize,
    /// For each rule, the programs with several outcomes that only this rule does not prove: an error in the rule would be noticed.
    pub rules: BTreeMap<&'static str, usize>,
}

impl Totals {
    pub fn add(&mut self, other: &Totals) {
        self.programs += other.programs;
        self.compared += other.compared;
        self.with_one_outcome += other.with_one_outcome;
        self.proved += other.proved;
        self.explored += other.explored;
        self.runs += other.runs;
        for (rule, programs) in &other.rules {
            *self.rules.entry(rule).or_default() += programs;
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Totals { programs, compared, with_one_outcome, proved, explored, runs, .. } = self;
        write!(
            f,
            "{programs} programs, {compared} compared, {with_one_outcome} with one outcome, {proved} proved, {explored} explored completely \
             in {runs} runs"
        )
    }
}

/// Compares the program of a seed. Returns what is wrong, with the program and the seed.
pub fn compare(seed: u64, totals: &mut Totals) -> Option<String> {
    let program = Program::random(seed);
    compare_program(&program, seed, totals).map(|why| format!("{why}\n{}\nseed {seed}", program.ptx()))
}

/// Compares a program, whose first run has the schedule of a seed. Returns what is wrong.
pub fn compare_program(program: &Program, seed: u64, totals: &mut Totals) -> Option<String> {
    totals.programs += 1;
    let searched = search(program, MOST_STATES);
    if !searched.finished {
        return None;
    }
    totals.compared += 1;
    let has_one_outcome = searched.outcomes.len() == 1 && !searched.outcomes.contains(&Outcome::Misuse);
    totals.with_one_outcome += usize::from(has_one_outcome);
    let text = program.ptx();
    let session = match session(program, &machine(seed)) {
        Ok(session) => session,
        Err(why) => return Some(format!("the machine does not run it: {why}")),
    };
    let mut found: BTreeSet<Shown> = BTreeSet::new();
    let mut observe = |run: &Explored| found.extend(shown(program, run));
    let explored = match explore(&session, &[&text], &LIMITS, &mut observe) {
        Ok(explored) => explored,
        Err(error) => return Some(format!("the exploration ends with an error: {error}")),
    };
    let first = explored.outcomes.first()?;
    let is_proved = first.schedules.is_proved();
    totals.proved += usize::from(is_proved);
    if is_proved && !has_one_outcome {
        let steps = searched.schedules.values().map(|steps| steps.join("\n")).collect::<Vec<_>>().join("\n\n");
        return Some(format!("the run proves every schedule, and these are the outcomes: {:?}\n{steps}", searched.outcomes));
    }
    if let Some(rule) = only_rule(&first.report, first.schedules.reasons.len()).filter(|_| !has_one_outcome) {
        *totals.rules.entry(rule).or_default() += 1;
    }
    if !explored.is_complete() {
        return None;
    }
    totals.explored += 1;
    totals.runs += explored.runs;
    let expected: BTreeSet<Shown> = searched.outcomes.iter().map(Outcome::shown).collect();
    if found == expected {
        return None;
    }
    let missing: Vec<&Outcome> = searched.outcomes.iter().filter(|outcome| !found.contains(&outcome.shown())).collect();
    let steps = missing.first().map(|outcome| searched.schedules[outcome].join("\n")).unwrap_or_default();
    let other: Vec<&Shown> = found.difference(&expected).collect();
    Some(format!(
        "the exploration is complete after {} runs; {} outcomes are missing, such as {:?}; these are not expected: {other:?}\n{steps}",
        explored.runs,
        missing.len(),
        missing.first()
    ))
}

fn shown(program: &Program, run: &Explored) -> Option<Shown> {
    Ran { report: run.report.clone(), variables: run.variables.clone() }.shown(program)
}

/// The only rule by which a run is no proof; `None` if there are several, or other reasons.
fn only_rule(report: &Report, reasons: usize) -> Option<&'static str> {
    let races = usize::from(!report.races.is_empty());
    let mut rules: BTreeSet<&'static str> = report.unordered.iter().map(|unordered| rule(unordered.change)).collect();
    rules.extend((races > 0).then_some(rule(Change::Stores)));
    (rules.len() == 1 && reasons == report.unordered.len() + races).then(|| rules.pop_first()).flatten()
}

/// The rule that finds a change.
pub fn rule(change: Change) -> &'static str {
    match change {
        Change::Stores | Change::StoreBeforeLoad | Change::LoadBeforeStore => "memory",
        Change::Generation => "named barrier",
        Change::Phase => "mbarrier",
        Change::Expectation => "expectation without an arrival",
        Change::WaitEarlier => "wait after the phase before",
        Change::WaitLater => "wait before the phase after",
        Change::Answer => "wait that no loop repeats",
        Change::State => "state that an arrival returns",
        Change::BeforeInit => "init",
        Change::Invalidation => "invalidation",
        Change::LastDrop => "last drop",
        Change::Range => "bytes of a phase",
        Change::WaitForGrids => "wait for earlier grids",
        Change::ExitOfCta => "shared memory of another CTA",
    }
}
