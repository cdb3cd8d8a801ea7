// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schedules by random priorities of warps. A run whose outcome differs from that of the first run is repeated by constraints, of which as
//! few remain as show the outcome.

use super::parallel::{run_all, Run};
use super::shorten::{run_parts, shorten, MOST_RUNS};
use crate::exploration::{Bound, Exploration, Explored, Gap, Limits};
use crate::interrupt::is_interrupted;
use crate::priorities::Priorities;
use crate::report::Pair;
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Schedule};
use std::collections::HashSet;

/// Runs schedules whose seeds begin with `seed`. `observe` gets every run.
pub(super) fn explore(
    run: &Run,
    limits: &Limits,
    (depth, seed): (u32, u64),
    observe: &mut dyn FnMut(&Explored),
) -> Result<Exploration, RunError> {
    let first = run(&Schedule::default())?;
    observe(&first);
    let operations = first.report.scheduled.operations;
    let mut found = Exploration {
        runs: 1,
        gap: Some(Gap::Random),
        bound: Some(Bound { warps: first.report.warps.len(), operations, depth, seed }),
        ..Exploration::default()
    };
    let schedule = |number: u64| {
        let priorities = Some(Priorities { seed: seed.wrapping_add(number), depth, operations });
        Schedule { priorities, ..Schedule::default() }
    };
    let schedules: Vec<Schedule> = (0..limits.runs as u64).map(schedule).collect();
    let pairs = first.report.scheduled.pairs.clone();
    let mut runs = MOST_RUNS.min(limits.runs);
    let mut orders = HashSet::from([order(&first)]);
    found.outcomes.push(first);
    for schedules in schedules.chunks(4 * limits.threads.get()) {
        if is_interrupted() {
            break;
        }
        for ran in run_all(run, schedules, limits.threads) {
            let ran = ran?;
            found.runs += 1;
            observe(&ran);
            orders.insert(order(&ran));
            if found.outcomes.iter().all(|known| known.outcome != ran.outcome) {
                let repeated = repeat(run, &ran, &pairs, &mut runs)?;
                found.add(repeated.unwrap_or(ran));
            }
        }
    }
    found.orders = orders.len();
    Ok(found)
}

/// The order of the pairs of a run.
fn order(run: &Explored) -> Vec<Constraint> {
    let mut order: Vec<Constraint> = run.report.scheduled.pairs.iter().map(|pair| pair.reversal).collect();
    order.sort_unstable();
    order
}

/// A run with few constraints that has the outcome of `wanted`, if there is one. `first` are the pairs of the run without constraints. `runs`: as for [`shorten`].
fn repeat(run: &Run, wanted: &Explored, first: &[Pair], runs: &mut usize) -> Result<Option<Explored>, RunError> {
    // As constraints, the pairs keep the order of that run. Those of the first run that they reverse state what changes.
    let kept = wanted.report.scheduled.pairs.iter().map(|pair| {
        let constraint = pair.reverse().reversal;
        (constraint, first.iter().find(|of_first| of_first.reversal == constraint).copied())
    });
    let kept: Vec<(Constraint, Option<Pair>)> = kept.collect();
    let different: Vec<(Constraint, Option<Pair>)> = kept.iter().filter(|(_, pair)| pair.is_some()).copied().collect();
    for parts in [different, kept] {
        let ran = run_parts(run, &parts)?;
        if ran.outcome == wanted.outcome && ran.reversed.is_some() {
            return shorten(run, ran, parts, runs).map(Some);
        }
    }
    Ok(None)
}
