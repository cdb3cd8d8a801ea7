// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a run does not end: per blocked warp what it waits for, who arrived, who is missing and where; then who waits for whom in a circle.

use super::ledger::{Ledger, Row};
use super::meaning::{meaning, Meaning};
use super::report::{Blocked, Missing, Whereabouts};
use super::sentence;
use super::warp::Warp;
use crate::program::{Action, Place};
use std::collections::VecDeque;

/// Every warp that waits, in the order of launch.
pub(super) fn blocked(warps: &[Warp], ledger: &Ledger, lanes: usize) -> Vec<Blocked> {
    let waiting = warps.iter().filter_map(|w| Some((w, w.waits_at?)));
    waiting.map(|(warp, id)| one(warp, id, &ledger.books[warp.cta].rows[usize::from(id)], warps, lanes)).collect()
}

fn one(warp: &Warp, id: u8, row: &Row, warps: &[Warp], lanes: usize) -> Blocked {
    let of_cta = || warps.iter().filter(|w| w.cta == warp.cta);
    let arrived = |w: &Warp| row.arrivals.iter().any(|a| a.warp == w.warp);
    // An exited warp is not awaited by a barrier without a count, but one with a count would have needed it.
    let could_count = |w: &&Warp| !arrived(w) && (row.count != 0 || w.exited.is_none());
    let counted = row.count as usize / lanes;
    let live = of_cta().filter(|w| w.exited.is_none()).count();
    Blocked {
        cta: warp.cta,
        warp: warp.warp,
        place: warp.last_place(),
        id,
        number: row.completed + 1,
        expected: if row.count == 0 { live } else { counted },
        threads: (row.count != 0).then_some(row.count),
        arrived: row.arrivals.clone(),
        missing: of_cta()
            .filter(could_count)
            .map(|w| Missing { warp: w.warp, now: now(w), next: next_arrival(w, id) })
            .collect(),
    }
}

fn now(warp: &Warp) -> Whereabouts {
    match (warp.exited, warp.waits_at) {
        (Some(cycle), _) => Whereabouts::Exited { cycle, place: warp.last_place() },
        (None, Some(id)) => Whereabouts::Blocked { id, place: warp.last_place() },
        (None, None) => Whereabouts::Running { place: warp.place() },
    }
}

/// The next instruction of the warp's program that arrives at the barrier.
fn next_arrival(warp: &Warp, id: u8) -> Option<Place> {
    let rest = warp.program.steps.get(warp.step..).unwrap_or_default();
    let to_come = rest.iter().take_while(|step| step.action != Action::Exit);
    to_come
        .filter(|step| match step.action {
            Action::Barrier { word, ra, rb } => matches!(meaning(word, ra, rb), Meaning::Arrival(ask) if ask.id == id),
            _ => false,
        })
        .map(|step| step.place.clone())
        .next()
}

/// The shortest circle of warps each of which waits for the next, as sentences; empty if there is none.
pub(super) fn circle(blocked: &[Blocked]) -> Vec<String> {
    let next = |i: usize| {
        let from = &blocked[i];
        let awaited = from.missing.iter().filter(|m| m.next.is_some());
        awaited.filter_map(|m| blocked.iter().position(|b| b.cta == from.cta && b.warp == m.warp)).collect::<Vec<_>>()
    };
    let circles = (0..blocked.len()).filter_map(|start| way_back(start, blocked.len(), &next));
    let Some(circle) = circles.min_by_key(Vec::len) else { return vec![] };
    let followers = circle.iter().cycle().skip(1);
    let pairs = circle.iter().zip(followers).map(|(i, n)| (&blocked[*i], &blocked[*n]));
    pairs
        .map(|(b, n)| {
            let next = b.missing.iter().find(|m| m.warp == n.warp).and_then(|m| m.next.as_ref());
            let would = next.map_or(String::new(), |p| format!(", which would arrive there at {}", sentence::place(p)));
            format!(
                "CTA {} warp {} waits at barrier {} ({}) for warp {}{would}",
                b.cta,
                b.warp,
                b.id,
                sentence::place(&b.place),
                n.warp
            )
        })
        .collect()
}

/// The shortest way from `start` back to itself.
fn way_back(start: usize, nodes: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Option<Vec<usize>> {
    let mut from = vec![None; nodes];
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for target in next(node) {
            if target == start {
                let mut way: Vec<usize> =
                    std::iter::successors(Some(node), |n| if *n == start { None } else { from[*n] }).collect();
                way.reverse();
                return Some(way);
            }
            if from[target].is_none() {
                from[target] = Some(node);
                queue.push_back(target);
            }
        }
    }
    None
}
