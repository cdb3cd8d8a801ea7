// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The search through the orders of a run: each run reverses one pair of operations that nothing orders, and keeps the order of the pairs
//! before it. A run that orders its pairs as an earlier run did is not continued.

use super::circular::is_circular;
use super::parallel::{run_all, Run};
use super::shorten::{shorten, MOST_RUNS};
use crate::exploration::{Exploration, Explored, Gap, Limits, Selection};
use crate::interrupt::is_interrupted;
use crate::report::{Pair, Verdict};
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Schedule};
use crate::session::Session;
use std::collections::{HashMap, HashSet, VecDeque};

/// The schedules that are run side by side, for each thread.
const RUNS_OF_THREAD: usize = 4;

/// The state of a search.
struct Search<'a> {
    limits: &'a Limits,
    /// Whether there are launches before the last one; these have one schedule.
    has_earlier_runs: bool,
    found: Exploration,
    /// For each order of pairs, the pairs that were decided when a run with this order was continued.
    continued: HashMap<Vec<Constraint>, Vec<HashSet<Constraint>>>,
    /// The schedules so far, each sorted.
    planned: HashSet<Vec<Constraint>>,
    /// The schedules to run, each with the pair that its last constraint reverses.
    next: VecDeque<(Schedule, Option<Pair>)>,
    /// The number of schedules that are running.
    running: usize,
}

/// Explores schedules. `observe` gets every run.
pub(super) fn explore(
    session: &Session,
    run: &Run,
    limits: &Limits,
    observe: &mut dyn FnMut(&Explored),
) -> Result<Exploration, RunError> {
    let mut search = Search {
        limits,
        has_earlier_runs: session.has_earlier_runs(),
        found: Exploration::default(),
        continued: HashMap::new(),
        planned: HashSet::from([vec![]]),
        next: VecDeque::from([(Schedule::default(), None)]),
        running: 0,
    };
    while !search.next.is_empty() && !is_interrupted() {
        let batch = search.next.len().min(RUNS_OF_THREAD * limits.threads.get());
        let (schedules, reversed): (Vec<Schedule>, Vec<Option<Pair>>) = search.next.drain(..batch).unzip();
        search.running = schedules.len();
        for (ran, reversed) in run_all(run, &schedules, limits.threads).into_iter().zip(reversed) {
            let run = Explored { reversed, ..ran? };
            search.running -= 1;
            observe(&run);
            search.add(run);
        }
    }
    let mut found = search.found;
    let mut runs = MOST_RUNS.min(limits.runs);
    for outcome in found.outcomes.iter_mut().skip(1) {
        // Only the pair of the last constraint is known.
        let last = outcome.reversed.filter(|pair| outcome.schedule.constraints.last() == Some(&pair.reversal));
        let before = outcome.schedule.constraints.iter().rev().skip(1).rev().map(|constraint| (*constraint, None));
        let parts = before.chain(last.map(|pair| (pair.reversal, Some(pair)))).collect();
        *outcome = shorten(run, outcome.clone(), parts, &mut runs)?;
    }
    Ok(found)
}

impl Search<'_> {
    /// Adds a run, and plans the schedules that continue it.
    fn add(&mut self, run: Explored) {
        let only_pairs = self.limits.selection == Selection::Pairs;
        let (constraints, scheduled) = (&run.schedule.constraints, &run.report.scheduled);
        self.found.runs += 1;
        let is_open = !run.schedules.is_proved();
        let gaps = [
            (only_pairs, Gap::OnlyPairs),
            (is_open && self.has_earlier_runs, Gap::EarlierLaunches),
            (is_open && !run.schedules.is_explorable, Gap::NoPairs),
            (is_open && scheduled.has_other_pairs, Gap::OtherPairs),
            (scheduled.given_up_constraints > 0, Gap::GivenUp),
            (run.outcome.verdict == Verdict::Unfinished.name(), Gap::Unfinished),
        ];
        let gap = gaps.into_iter().find_map(|(holds, gap)| holds.then_some(gap));
        self.found.gap = self.found.gap.or(gap);
        // No run follows such a schedule, so this run is one of another schedule, which is continued elsewhere.
        if scheduled.infeasible_constraints > 0 {
            self.found.add(run);
            return;
        }
        let mut order: Vec<Constraint> = scheduled.pairs.iter().map(|pair| pair.reversal).collect();
        order.sort_unstable();
        let decided: HashSet<Constraint> =
            constraints.iter().flat_map(|constraint| [*constraint, reverse(*constraint)]).collect();
        let earlier = self.continued.entry(order).or_default();
        self.found.orders += usize::from(earlier.is_empty());
        // A run with this order has been continued by all pairs that its schedule did not decide.
        if !earlier.iter().any(|earlier| earlier.is_subset(&decided)) {
            earlier.push(decided);
            let is_last = only_pairs && !constraints.is_empty();
            for (constraints, reversed) in reversals(constraints, &scheduled.pairs).filter(|_| !is_last) {
                let mut key = constraints.clone();
                key.sort_unstable();
                if self.found.runs + self.running + self.next.len() >= self.limits.runs {
                    self.found.gap = self.found.gap.or(Some(Gap::Limit));
                    break;
                } else if self.planned.insert(key) {
                    self.next.push_back((Schedule { constraints, ..Schedule::default() }, Some(reversed)));
                }
            }
        }
        self.found.add(run);
    }
}

/// The schedules that reverse one of the pairs of a run and keep the pairs before it, each with the reversed pair.
fn reversals<'a>(constraints: &'a [Constraint], pairs: &'a [Pair]) -> impl Iterator<Item = (Vec<Constraint>, Pair)> + 'a {
    let decided: HashSet<Constraint> = constraints.iter().flat_map(|constraint| [*constraint, reverse(*constraint)]).collect();
    let open = pairs.iter().copied().filter(move |pair| !decided.contains(&pair.reversal));
    let mut kept = constraints.to_vec();
    let schedules = open.map(move |pair| {
        let schedule: Vec<Constraint> = kept.iter().copied().chain([pair.reversal]).collect();
        kept.push(reverse(pair.reversal));
        (schedule, pair)
    });
    schedules.filter(|(constraints, _)| !is_circular(constraints))
}

/// The constraint that keeps the order of a pair.
fn reverse(Constraint { delayed, after }: Constraint) -> Constraint {
    Constraint { delayed: after, after: delayed }
}
