// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the warps in the report of a run that does not end: each warp that waits at a named barrier, with the arrived and the
//! missing warps; lanes that wait for other lanes; the warps that may resume; the stopped warps; the CTAs that can never end.

use super::lookahead::{next_arrival, Next};
use super::record::Record;
use super::report::{Arrival, Blocked, BlockedLanes, Fault, HangCause, Missing, ResumableWarp, Stopped, Whereabouts};
use super::warp::Warp;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::Bcu;
use std::collections::{BTreeMap, BTreeSet};

/// For each warp and barrier, the location where the warp would arrive; the key is the index of the warp and the barrier id.
type Foreseen = BTreeMap<(usize, u8), Next>;

/// The state of the barriers in the unit, and the record of the instructions that caused this state.
#[derive(Clone, Copy)]
pub(super) struct Barriers<'a> {
    pub unit: &'a Bcu,
    pub record: &'a Record,
}

/// The CTAs that can never end. In an unfinished run these are the CTAs with a reported deadlock, and each CTA for which three conditions
/// hold: no signal can reach its mbarriers any more (`has_no_signals`); all its remaining warps wait or are stopped; at least one of them
/// polls an mbarrier.
pub(super) fn find_hung_ctas(
    cause: HangCause,
    warps: &[Warp],
    faults: &[Fault],
    barriers: Barriers,
    has_no_signals: &dyn Fn(usize) -> bool,
) -> Vec<usize> {
    let dead = |cta: usize| {
        let of_cta = || warps.iter().enumerate().filter(|(_, w)| w.cta == cta && w.exited.is_none());
        let polls_mbarrier = |index: usize| barriers.record.mbarriers.waiters.contains_key(&index);
        let is_held =
            |(index, w): (usize, &Warp)| polls_mbarrier(index) || w.stopped.is_some() || waits_at(w, barriers).is_some();
        let reported = faults.iter().any(|f| f.cta == cta && f.code == FaultCode::Deadlock.name());
        reported || has_no_signals(cta) && of_cta().any(|(index, _)| polls_mbarrier(index)) && of_cta().all(is_held)
    };
    let open = warps.iter().filter(|w| w.exited.is_none()).map(|w| w.cta);
    let hung = open.filter(|cta| cause == HangCause::NothingCanChange || dead(*cta));
    hung.collect::<BTreeSet<usize>>().into_iter().collect()
}

/// The barrier at which a warp waits; `None` while its arrival or its release is in flight.
pub(super) fn waits_at(warp: &Warp, barriers: Barriers) -> Option<u8> {
    let waits = warp.stopped.is_none() && warp.waits_at.is_some();
    barriers.record.waits_at(warp.cta, warp.warp, barriers.unit).filter(|_| waits)
}

/// All warps that wait at named barriers, in launch order; empty if the unit has Intel's gateway.
pub(super) fn blocked(warps: &[Warp], barriers: Barriers, sizes: &Config) -> Vec<Blocked> {
    if barriers.unit.gateway().is_some() {
        return vec![];
    }
    let waiting = warps.iter().filter_map(|w| Some((w, waits_at(w, barriers)?)));
    let mut next = Foreseen::new();
    waiting.filter_map(|(warp, id)| describe_blocked((warp, id), warps, barriers, sizes, &mut next)).collect()
}

/// Describes the wait of `warp` at barrier `id`: its arrival instruction, the arrived warps, and the missing warps with their next arrival
/// there.
fn describe_blocked(
    (warp, id): (&Warp, u8),
    warps: &[Warp],
    barriers: Barriers,
    sizes: &Config,
    next: &mut Foreseen,
) -> Option<Blocked> {
    let (row, arrivals) = barriers.record.row(warp.cta, id, barriers.unit)?;
    let of_cta = || warps.iter().enumerate().filter(|(_, w)| w.cta == warp.cta);
    let has = |w: &Warp| row.arrived >> w.slot & 1 == 1;
    let coming = of_cta().filter(|(_, w)| !has(w)).filter_map(|(index, _)| barriers.record.arrival_in_flight(index, id));
    let under_way: Vec<Arrival> = coming.collect();
    // An exited warp is missing only at a barrier with a count; a barrier without a count does not wait for it.
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
                    Next::Arrives(place) => (Some(place), false),
                    Next::Never => (None, false),
                    Next::Unclear => (None, true),
                };
                Missing { warp: w.warp, whereabouts: find_whereabouts((index, w), barriers), next: place, unclear }
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

/// The state of a warp, with the location of its instruction.
pub(super) fn find_whereabouts((index, warp): (usize, &Warp), barriers: Barriers) -> Whereabouts {
    // While an arrival at a barrier is in flight, its warp also counts as blocked there; a released warp counts as running.
    let coming = |id: &u8| barriers.record.arrival_in_flight(index, *id).is_some();
    match (warp.exited, waits_at(warp, barriers).or(warp.waits_at.filter(coming))) {
        (Some(cycle), _) => Whereabouts::Exited { cycle, place: warp.exit_place() },
        (None, waits) => match (warp.stopped, waits) {
            (Some(how), _) => Whereabouts::Stopped { how, place: warp.last_place() },
            (None, Some(id)) => Whereabouts::Blocked { id, place: warp.last_place() },
            (None, None) if barriers.record.mbarriers.waiters.contains_key(&index) => {
                Whereabouts::AtMbarrier { place: warp.last_place() }
            }
            (None, None) if at_cluster(warp, barriers.unit) => Whereabouts::AtCluster { place: warp.last_place() },
            (None, None) if warp.at_grid.is_some() => Whereabouts::AtGrid { place: warp.last_place() },
            (None, None) if warp.polled_grid_barrier().is_some() => Whereabouts::AtGridBarrier { place: warp.last_place() },
            (None, None) if warp.waiting != 0 && warp.chosen().is_none() => Whereabouts::Partly { place: warp.last_place() },
            (None, None) => Whereabouts::Running { place: warp.place() },
        },
    }
}

/// All warps that may resume, in launch order; empty for a hung run.
pub(super) fn find_resumable(cause: HangCause, warps: &[Warp], barriers: Barriers) -> Vec<ResumableWarp> {
    let limit = cause != HangCause::NothingCanChange;
    let polls_mbarrier = |index: &usize| barriers.record.mbarriers.waiters.contains_key(index);
    let waits = |w: &Warp| waits_at(w, barriers).is_some() || at_cluster(w, barriers.unit) || w.at_grid.is_some();
    let is_resumable = |(i, w): &(usize, &Warp)| limit && w.exited.is_none() && !waits(w) && !polls_mbarrier(i);
    let place = |index: usize, w: &Warp| match find_whereabouts((index, w), barriers) {
        Whereabouts::Running { place } | Whereabouts::Blocked { place, .. } | Whereabouts::AtGridBarrier { place } => {
            Some(place)
        }
        _ => None,
    };
    let resumable = |(index, w): (usize, &Warp)| Some(ResumableWarp { cta: w.cta, warp: w.warp, place: place(index, w)? });
    warps.iter().enumerate().filter(is_resumable).filter_map(resumable).collect()
}

/// All warps that the fault policy stopped, in launch order.
pub(super) fn stopped(warps: &[Warp]) -> Vec<Stopped> {
    let live = warps.iter().filter(|w| w.exited.is_none());
    live.filter_map(|w| Some(Stopped { cta: w.cta, warp: w.warp, how: w.stopped?, place: w.last_place() })).collect()
}

/// All lanes that wait for other lanes of their warp, in launch order.
pub(super) fn lanes(warps: &[Warp], barriers: Barriers) -> Vec<BlockedLanes> {
    let live = warps.iter().filter(|w| w.exited.is_none());
    let blocked_lanes = |w: &Warp| {
        let (cta, warp) = (w.cta, w.warp);
        let partly = barriers.record.partly(w.slot, barriers.unit).into_iter();
        partly
            .map(move |p| BlockedLanes { cta, warp, waiting: p.lanes, missing: p.missing, place: p.place })
            .collect::<Vec<_>>()
    };
    live.flat_map(blocked_lanes).collect()
}
