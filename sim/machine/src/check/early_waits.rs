// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits at mbarriers that returned at once, before the data of the awaited phase had arrived: the cause of later races and hangs.

use super::codes::{MBARRIER_STALE_PHASE, MBARRIER_WRONG_PARITY};
use super::finding::{Case, Finding, Related};
use super::Severity;
use crate::report::{EarlyWait, Race, Toucher};

/// One error for each early wait whose warp then loads data too early.
pub fn find(case: &Case) -> Vec<Finding> {
    case.report.early_waits.iter().filter_map(|wait| check_wait(case, wait)).collect()
}

/// An error if the warp of the early wait `wait` later loads data that an arriving warp, or a copy of an arriving warp, stores. An arriving
/// warp is a warp that arrives at the mbarrier of the wait.
fn check_wait(case: &Case, wait: &EarlyWait) -> Option<Finding> {
    let EarlyWait { cta, warp, place, cycle, object, stale, .. } = wait;
    let race = case.report.races.iter().find(|race| follows(race, wait))?;
    let (load, store) = loads(race, *warp)?;
    let (code, message) = match stale {
        false => (
            &MBARRIER_WRONG_PARITY,
            format!("warp {warp} waits at {object} for parity 1 in the first phase: the wait returns at once, before the data of that phase has arrived"),
        ),
        true => (
            &MBARRIER_STALE_PHASE,
            format!("warp {warp} waits for a phase of {object} for which it has already waited: the wait returns at once, before the next phase completes"),
        ),
    };
    let mut finding = Finding::new(code, case.locate_in(*cta, *warp, place), message);
    (finding.severity, finding.cta, finding.warp, finding.cycle) = (Severity::Error, Some(*cta), Some(*warp), Some(*cycle));
    let note =
        format!("warp {} loads here data that warp {} stores; the wait does not order the two accesses", load.warp, store.warp);
    finding.related.push(Related { at: case.locate_in(*cta, load.warp, &load.place), note });
    finding.object = Some(object.clone());
    let races = case.report.races.iter().filter(|race| is_between(race, wait));
    finding.explains = races.filter_map(|race| case.locate_in(*cta, race.second.warp, &race.second.place)).collect();
    Some(finding)
}

/// The two accesses of a race between a load of `warp` and a store of another warp of the same CTA, the load first; `None` for any other
/// race.
fn loads(race: &Race, warp: usize) -> Option<(&Toucher, &Toucher)> {
    if race.first.cta != race.second.cta {
        return None;
    }
    let sides = [(&race.first, &race.second), (&race.second, &race.first)];
    sides.into_iter().find(|(load, store)| load.warp == warp && !load.store && store.store && store.warp != warp)
}

/// Whether `cycle` is after the early wait, and before the first correct wait of the same warp at the same mbarrier.
fn is_in_force(wait: &EarlyWait, cycle: u64) -> bool {
    cycle > wait.cycle && wait.until.is_none_or(|until| cycle < until)
}

/// Whether the race is later than the early wait, and is between the warp of that wait and a warp that arrives at the mbarrier.
fn is_between(Race { cycle, first, second, .. }: &Race, wait: &EarlyWait) -> bool {
    let with = |own: &Toucher, other: &Toucher| {
        own.warp == wait.warp && other.warp != wait.warp && wait.arrivers.contains(&other.warp)
    };
    first.cta == wait.cta && second.cta == wait.cta && is_in_force(wait, *cycle) && (with(first, second) || with(second, first))
}

/// Whether the race is between a load of the early wait's warp, after that wait, and a store of a warp that arrives at the mbarrier.
fn follows(race: &Race, wait: &EarlyWait) -> bool {
    let of_arriver = loads(race, wait.warp).is_some_and(|(_, store)| wait.arrivers.contains(&store.warp));
    race.second.cta == wait.cta && is_in_force(wait, race.cycle) && of_arriver
}
