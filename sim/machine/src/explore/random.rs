// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schedules by random priorities of warps. A run whose outcome differs from that of the first run is repeated by constraints, of which as
//! few remain as show the outcome.

use super::parallel::{run_all, Run};
use crate::exploration::{Bound, Exploration, Explored, Limits, Outcome};
use crate::interrupt::is_interrupted;
use crate::priorities::Priorities;
use crate::report::Pair;
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Schedule};
use std::collections::HashSet;

/// The maximum number of runs that shorten one schedule.
const MOST_SHORTENING: usize = 60;

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
        bound: Some(Bound { warps: first.report.warps.len(), operations, depth, seed }),
        ..Exploration::default()
    };
    let schedule = |number: u64| {
        let priorities = Some(Priorities { seed: seed.wrapping_add(number), depth, operations });
        Schedule { constraints: vec![], priorities }
    };
    let schedules: Vec<Schedule> = (0..limits.runs.saturating_sub(1) as u64).map(schedule).collect();
    let pairs = first.report.scheduled.pairs.clone();
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
                let repeated = repeat(run, &ran, &pairs)?;
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

/// A run with few constraints that has the outcome of `wanted`, if there is one. `first` are the pairs of the run without constraints.
fn repeat(run: &Run, wanted: &Explored, first: &[Pair]) -> Result<Option<Explored>, RunError> {
    // The pairs in the other order than in `wanted`: as constraints, they keep the order of that run.
    let kept: Vec<Pair> = wanted.report.scheduled.pairs.iter().map(|pair| pair.reverse()).collect();
    let is_other = |pair: &&Pair| first.iter().any(|other| other.reversal == pair.reversal);
    let different: Vec<Pair> = kept.iter().filter(is_other).copied().collect();
    for pairs in [different, kept] {
        let ran = run_pairs(run, &pairs)?;
        if ran.outcome == wanted.outcome {
            return shorten(run, pairs, ran, &wanted.outcome).map(Some);
        }
    }
    Ok(None)
}

/// Removes constraints from a schedule while its outcome remains.
fn shorten(run: &Run, mut pairs: Vec<Pair>, mut shortest: Explored, wanted: &Outcome) -> Result<Explored, RunError> {
    let mut part = pairs.len().div_ceil(2);
    let mut runs = 0;
    while part > 0 {
        let mut at = 0;
        while at < pairs.len() && runs < MOST_SHORTENING {
            let without: Vec<Pair> = pairs[..at].iter().chain(&pairs[(at + part).min(pairs.len())..]).copied().collect();
            let ran = run_pairs(run, &without)?;
            runs += 1;
            match ran.outcome == *wanted {
                true => (pairs, shortest) = (without, ran),
                false => at += part,
            }
        }
        part = if part == 1 { 0 } else { part.div_ceil(2) };
    }
    Ok(shortest)
}

/// Runs the schedule that reverses the pairs.
fn run_pairs(run: &Run, pairs: &[Pair]) -> Result<Explored, RunError> {
    let constraints: Vec<Constraint> = pairs.iter().map(|pair| pair.reversal).collect();
    let ran = run(&Schedule { constraints, priorities: None })?;
    Ok(Explored { reversed: pairs.last().copied(), ..ran })
}
