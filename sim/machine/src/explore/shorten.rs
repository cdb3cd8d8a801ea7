// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Removes constraints from a schedule while its outcome remains.

use super::parallel::Run;
use crate::exploration::Explored;
use crate::report::Pair;
use crate::run_error::RunError;
use crate::schedule_file::{Constraint, Schedule};

/// The maximum number of runs that shorten schedules, unless the limit of the exploration is lower.
pub(super) const MOST_RUNS: usize = 60;

/// A run with the outcome of `longest` and fewer constraints: each of the parts of its schedule that remain is needed. `parts` are the
/// constraints of the schedule, each with the pair that it reverses, if that is known; the last one with a known pair is that of the result.
/// `runs` is the number of runs that are left, and becomes lower.
pub(super) fn shorten(
    run: &Run,
    longest: Explored,
    mut parts: Vec<(Constraint, Option<Pair>)>,
    runs: &mut usize,
) -> Result<Explored, RunError> {
    let mut shortest = longest;
    let mut length = parts.len().div_ceil(2);
    while length > 0 && parts.len() > 1 {
        let mut at = 0;
        while at < parts.len() && *runs > 0 {
            let without = [&parts[..at], &parts[(at + length).min(parts.len())..]].concat();
            let is_named = without.iter().any(|(_, pair)| pair.is_some());
            let ran = if is_named { Some(run_parts(run, &without)?) } else { None };
            *runs -= 1;
            match ran.filter(|ran| ran.outcome == shortest.outcome) {
                Some(ran) => (parts, shortest) = (without, ran),
                None => at += length,
            }
        }
        length = if length == 1 { 0 } else { length.div_ceil(2) };
    }
    Ok(shortest)
}

/// Runs a schedule of constraints.
pub(super) fn run_parts(run: &Run, parts: &[(Constraint, Option<Pair>)]) -> Result<Explored, RunError> {
    let constraints = parts.iter().map(|(constraint, _)| *constraint).collect();
    let ran = run(&Schedule { constraints, ..Schedule::default() })?;
    Ok(Explored { reversed: parts.iter().rev().find_map(|(_, pair)| *pair), ..ran })
}
