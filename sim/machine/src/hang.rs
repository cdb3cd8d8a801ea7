// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a run does not end: per blocked warp what it waits for, who arrived, who is missing and where; then who waits for whom in a circle.

use super::foresee::{next_arrival, next_at_object, Next};
use super::record::Record;
use super::report::{Arrival, Blocked, BlockedLanes, Fault, Going, Hang, HangCause, Missing, ObjectWait, Stopped, Whereabouts};
use super::sentence;
use super::warp::Warp;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::Bcu;
use bcu_program::Place;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// For a warp and a barrier, where the warp would arrive at it.
type Foreseen = BTreeMap<(usize, u8), Next>;

/// What is known of the barriers: the state of the unit, and which instructions have led to it.
#[derive(Clone, Copy)]
pub(super) struct Barriers<'a> {
    pub unit: &'a Bcu,
    pub record: &'a Record,
}

/// CTAs that can never end; `quiet` is one to whose mbarriers nothing comes any more.
pub(super) fn stuck(
    cause: HangCause,
    warps: &[Warp],
    faults: &[Fault],
    barriers: Barriers,
    quiet: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let dead = |cta: usize| {
        let of_cta = || warps.iter().enumerate().filter(|(_, w)| w.cta == cta && w.exited.is_none());
        let asks = |index: usize| barriers.record.book.waiters.contains_key(&index);
        let held = |(index, w): (usize, &Warp)| asks(index) || w.stopped.is_some() || waits_at(w, barriers).is_some();
        let reported = faults.iter().any(|f| f.cta == cta && f.code == FaultCode::Deadlock.name());
        reported || quiet(cta) && of_cta().any(|(index, _)| asks(index)) && of_cta().all(held)
    };
    let open = warps.iter().filter(|w| w.exited.is_none()).map(|w| w.cta);
    let stuck = open.filter(|cta| cause == HangCause::NothingCanChange || dead(*cta));
    stuck.collect::<BTreeSet<usize>>().into_iter().collect()
}

/// Where a warp waits. A warp whose arrival does not count yet, or whose release is on its way to it, does not.
pub(super) fn waits_at(warp: &Warp, barriers: Barriers) -> Option<u8> {
    let waits = warp.stopped.is_none() && warp.waits_at.is_some();
    barriers.record.waits_at(warp.cta, warp.warp, barriers.unit).filter(|_| waits)
}

/// Every warp that waits, in the order of launch.
pub(super) fn blocked(warps: &[Warp], barriers: Barriers, sizes: &Config) -> Vec<Blocked> {
    if barriers.unit.gateway().is_some() {
        return vec![];
    }
    let waiting = warps.iter().filter_map(|w| Some((w, waits_at(w, barriers)?)));
    let mut next = Foreseen::new();
    waiting.filter_map(|(warp, id)| one((warp, id), warps, barriers, sizes, &mut next)).collect()
}

fn one((warp, id): (&Warp, u8), warps: &[Warp], barriers: Barriers, sizes: &Config, next: &mut Foreseen) -> Option<Blocked> {
    let (row, arrivals) = barriers.record.row(warp.cta, id, barriers.unit)?;
    let of_cta = || warps.iter().enumerate().filter(|(_, w)| w.cta == warp.cta);
    let has = |w: &Warp| row.arrived >> w.slot & 1 == 1;
    let coming = of_cta().filter(|(_, w)| !has(w)).filter_map(|(index, _)| barriers.record.coming(index, id));
    let under_way: Vec<Arrival> = coming.collect();
    // An exited warp is not awaited by a barrier without a count, but one with a count would have needed it.
    let awaited = |w: &Warp| !has(w) && !under_way.iter().any(|a| a.warp == w.warp);
    let could_count = |w: &Warp| awaited(w) && (row.expected != 0 || w.exited.is_none());
    let live = of_cta().filter(|(_, w)| w.exited.is_none()).count();
    let mut next = |(index, w): (usize, &Warp)| {
        let found = next.entry((index, id)).or_insert_with(|| next_arrival(w, id, sizes));
        if w.stopped.is_some() {
            Next::Never
        } else {
            found.clone()
        }
    };
    Some(Blocked {
        operands: warp.operands_of_last(),
        times: warp.times_of_last(),
        cta: warp.cta,
        warp: warp.warp,
        place: warp.last_place(),
        id,
        number: arrivals.completed + 1,
        expected: if row.expected == 0 { live } else { row.expected as usize },
        threads: (row.expected != 0).then_some(row.expected * sizes.lanes as u32),
        arrived: arrivals.arrivals.clone(),
        missing: of_cta()
            .filter(|(_, w)| could_count(w))
            .map(|(index, w)| {
                let (place, unclear) = match next((index, w)) {
                    Next::At(place) => (Some(place), false),
                    Next::Never => (None, false),
                    Next::Unclear => (None, true),
                };
                Missing { warp: w.warp, now: now((index, w), barriers), next: place, unclear }
            })
            .collect(),
        under_way,
    })
}

/// Whether a warp waits at the barrier of its cluster.
pub(super) fn at_cluster(warp: &Warp, unit: &Bcu) -> bool {
    let waits = unit.cluster().is_some_and(|cluster| cluster.waits >> warp.slot & 1 == 1);
    waits && warp.exited.is_none() && warp.stopped.is_none()
}

pub(super) fn now((index, warp): (usize, &Warp), barriers: Barriers) -> Whereabouts {
    // An arrival under way elsewhere holds the warp as well; one that has been released goes on.
    let coming = |id: &u8| barriers.record.coming(index, *id).is_some();
    match (warp.exited, waits_at(warp, barriers).or(warp.waits_at.filter(coming))) {
        (Some(cycle), _) => Whereabouts::Exited { cycle, place: warp.last_place() },
        (None, waits) => match (warp.stopped, waits) {
            (Some(how), _) => Whereabouts::Stopped { how, place: warp.last_place() },
            (None, Some(id)) => Whereabouts::Blocked { id, place: warp.last_place() },
            (None, None) if at_cluster(warp, barriers.unit) => Whereabouts::AtCluster { place: warp.last_place() },
            (None, None) if warp.at_grid.is_some() => Whereabouts::AtGrid { place: warp.last_place() },
            (None, None) if warp.waiting != 0 && warp.chosen().is_none() => Whereabouts::Partly { place: warp.last_place() },
            (None, None) => Whereabouts::Running { place: warp.place() },
        },
    }
}

/// Every warp that waits at an mbarrier, in the order of launch.
pub(super) fn at_mbarriers(warps: &[Warp], barriers: Barriers) -> Vec<ObjectWait> {
    let book = &barriers.record.book;
    let one = |(warp, waiter): (&Warp, super::record::Waiter)| {
        let there = |index: usize| book.waiters.get(&index).is_some_and(|other| other.address == waiter.address);
        let others = warps.iter().enumerate().filter(|(_, w)| w.cta == warp.cta && w.warp != warp.warp);
        let missing = others.filter(|(index, _)| !there(*index)).map(|(index, w)| {
            let (next, unclear) = match next_at_object(w, waiter.address) {
                Next::At(place) if w.stopped.is_none() => (Some(place), false),
                Next::Unclear if w.stopped.is_none() => (None, true),
                _ => (None, false),
            };
            Missing { warp: w.warp, now: now((index, w), barriers), next, unclear }
        });
        ObjectWait {
            cta: warp.cta,
            warp: warp.warp,
            lanes: waiter.lanes,
            place: waiter.place.clone(),
            since: waiter.since,
            times: waiter.times,
            object: book.object(warp.cta, waiter.address),
            asked: waiter.asked.into(),
            missing: missing.collect(),
        }
    };
    let live = warps.iter().enumerate().filter(|(_, w)| w.exited.is_none());
    live.filter_map(|(index, w)| Some((w, book.waiters.get(&index)?.clone()))).map(one).collect()
}

/// Every warp that may go on, in the order of launch.
pub(super) fn going(cause: HangCause, warps: &[Warp], barriers: Barriers) -> Vec<Going> {
    let limit = cause != HangCause::NothingCanChange;
    let asks = |index: &usize| barriers.record.book.waiters.contains_key(index);
    let waits = |w: &Warp| waits_at(w, barriers).is_some() || at_cluster(w, barriers.unit) || w.at_grid.is_some();
    let free = |(i, w): &(usize, &Warp)| limit && w.exited.is_none() && !waits(w) && !asks(i);
    let place = |index: usize, w: &Warp| match now((index, w), barriers) {
        Whereabouts::Running { place } | Whereabouts::Blocked { place, .. } => Some(place),
        _ => None,
    };
    let going = |(index, w): (usize, &Warp)| Some(Going { cta: w.cta, warp: w.warp, place: place(index, w)? });
    warps.iter().enumerate().filter(free).filter_map(going).collect()
}

/// Every warp that the fault policy stopped, in the order of launch.
pub(super) fn stopped(warps: &[Warp]) -> Vec<Stopped> {
    let held = warps.iter().filter(|w| w.exited.is_none());
    held.filter_map(|w| Some(Stopped { cta: w.cta, warp: w.warp, how: w.stopped?, place: w.last_place() })).collect()
}

/// All lanes that wait for other lanes of their warp, in the order of launch.
pub(super) fn lanes(warps: &[Warp], barriers: Barriers) -> Vec<BlockedLanes> {
    let held = warps.iter().filter(|w| w.exited.is_none());
    let one = |w: &Warp| {
        let (cta, warp) = (w.cta, w.warp);
        let partly = barriers.record.partly(w.slot, barriers.unit).into_iter();
        partly
            .map(move |p| BlockedLanes { cta, warp, waiting: p.lanes, missing: p.missing, place: p.place })
            .collect::<Vec<_>>()
    };
    held.flat_map(one).collect()
}

/// A warp that waits at a barrier of its CTA, and others that could arrive there, with where they would.
struct Waiter<'a> {
    cta: usize,
    warp: usize,
    id: u8,
    place: &'a Place,
    awaited: Vec<(usize, &'a Place)>,
}

/// The shortest circle of warps of stuck CTAs each of which waits for the next, as sentences; empty if there is none.
pub(super) fn circle(hang: &Hang) -> Vec<String> {
    fn awaited<'a>(missing: impl Iterator<Item = &'a Missing>) -> Vec<(usize, &'a Place)> {
        missing.filter_map(|m| Some((m.warp, m.next.as_ref()?))).collect()
    }
    let blocked = hang.blocked.iter().map(|b| {
        let awaited = awaited(b.missing.iter());
        Waiter { cta: b.cta, warp: b.warp, id: b.id, place: &b.place, awaited }
    });
    let at_gateway = hang.at_gateway.iter().map(|w| {
        let awaited = awaited(w.missing.iter().map(|m| &m.warp));
        Waiter { cta: w.cta, warp: w.warp, id: w.id, place: &w.place, awaited }
    });
    let blocked: Vec<Waiter> = blocked.chain(at_gateway).filter(|w| hang.stuck.contains(&w.cta)).collect();
    let next = |i: usize| {
        let from = &blocked[i];
        let of = |warp: usize| blocked.iter().position(|b| b.cta == from.cta && b.warp == warp);
        from.awaited.iter().filter_map(|(warp, _)| of(*warp)).collect::<Vec<_>>()
    };
    let circles = (0..blocked.len()).filter_map(|start| way_back(start, blocked.len(), &next));
    let Some(circle) = circles.min_by_key(Vec::len) else { return vec![] };
    let followers = circle.iter().cycle().skip(1);
    let pairs = circle.iter().zip(followers).map(|(i, n)| (&blocked[*i], &blocked[*n]));
    pairs
        .map(|(b, n)| {
            let next = b.awaited.iter().find(|(warp, _)| *warp == n.warp);
            let would =
                next.map_or(String::new(), |(_, place)| format!(", which would arrive there at {}", sentence::place(place)));
            format!(
                "CTA {} warp {} waits at barrier {} ({}) for warp {}{would}",
                b.cta,
                b.warp,
                b.id,
                sentence::place(b.place),
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
