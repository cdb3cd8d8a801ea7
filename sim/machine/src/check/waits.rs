// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits that never end: one finding for all warps at one barrier, with the arrived and the missing warps.

use super::codes::{CLUSTER_WAIT, DEADLOCK, GRID_BARRIER_WAIT, MBARRIER_WAIT, SIGNAL_MISSING, SPIN_WAIT};
use super::finding::{Case, Finding, Related};
use crate::report::{Blocked, ClusterWait, GatewayWait, GridBarrierWait, Hang, HangCause, ObjectWait, Role, Signal};
use crate::sentence::waits;
use crate::sentence::{counted, object_arrival, too_few};
use crate::text::hang::{missing, of_cluster, of_gateway, of_grid, to_come};
use crate::waits::{gathered, key_of_spin};
use bcu_program::Place;

/// CTA and warp of the first waiting warp, with the finding.
type Waiting = ((usize, usize), Finding);

/// One finding for each object (barrier, mbarrier, grid or memory word) at which warps wait, in
/// CTAs that can never end.
pub fn group_findings(case: &Case, hang: &Hang) -> Vec<Waiting> {
    let mut found: Vec<Waiting> = vec![];
    let is_hung = |cta: usize| hang.hung_ctas.contains(&cta);
    for waits in gathered(&hang.blocked, |w| is_hung(w.cta), |w| (w.cta, w.id)) {
        found.push(((waits[0].cta, waits[0].warp), at_barrier(case, &waits)));
    }
    for waits in gathered(&hang.at_clusters, |w| is_hung(w.cta), |w| (w.cluster.clone(), w.phase)) {
        found.push(((waits[0].cta, waits[0].warp), at_cluster(case, &waits)));
    }
    for waits in gathered(&hang.at_gateway, |w| is_hung(w.cta), |w| (w.cta, w.id)) {
        found.push(((waits[0].cta, waits[0].warp), at_gateway(case, &waits)));
    }
    for waits in gathered(&hang.at_mbarriers, |w| is_hung(w.cta), |w| (w.cta, w.object.address, w.parity)) {
        found.push(((waits[0].cta, waits[0].warp), at_mbarrier(case, &waits)));
    }
    for waits in gathered(&hang.at_grids, |w| is_hung(w.cta), |w| w.grid) {
        let first = waits[0];
        let mut finding = Finding::new(&DEADLOCK, case.locate_in(first.cta, first.warp, &first.place), waits::at_grid(&waits));
        (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
        found.push(((first.cta, first.warp), finding));
    }
    for waits in gathered(&hang.at_grid_barriers, |w| is_hung(w.cta), |w| w.grid) {
        found.push(((waits[0].cta, waits[0].warp), at_grid_barrier(case, &waits)));
    }
    for waits in gathered(&hang.spinning, |w| is_hung(w.cta), key_of_spin) {
        let first = waits[0];
        let mut finding =
            Finding::new(&SPIN_WAIT, case.locate_in(first.cta, first.warp, &first.place), waits::at_memory(&waits));
        (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
        for (next, place) in first.writers.iter().filter_map(|next| Some((next, next.place.as_ref()?))) {
            let note = format!(
                "warp {} of CTA {} would store here to the address on which warp {} spins",
                next.warp, next.cta, first.warp
            );
            finding.related.push(Related { at: case.locate_in(next.cta, next.warp, place), note });
        }
        found.push(((first.cta, first.warp), finding));
    }
    // Lanes often wait for a lane that waits at one of the objects above, which has the better description.
    for l in hang.lanes.iter().filter(|l| is_hung(l.cta)) {
        let mut finding = Finding::new(&DEADLOCK, case.locate_in(l.cta, l.warp, &l.place), waits::at_lanes(l));
        (finding.cta, finding.warp, finding.cycle) = (Some(l.cta), Some(l.warp), case.deadlock_cycle(l.cta));
        found.push(((l.cta, l.warp), finding));
    }
    found
}

/// Whether a run stopped by its cycle limit may still progress. The run cannot progress if all remaining warps wait at mbarriers of CTAs
/// that can never end.
pub fn is_limited(hang: &Hang) -> bool {
    let is_told = hang.resumable.is_empty() && !hang.at_mbarriers.is_empty() && hang.not_launched == 0;
    hang.cause != HangCause::NothingCanChange && !(is_told && hang.at_mbarriers.iter().all(|w| hang.hung_ctas.contains(&w.cta)))
}

/// The finding for all warps that wait at one named barrier.
fn at_barrier(case: &Case, waits: &[&Blocked]) -> Finding {
    let first = waits[0];
    let mut finding = Finding::new(&DEADLOCK, case.locate_in(first.cta, first.warp, &first.place), waits::at_barrier(waits));
    (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), case.deadlock_cycle(first.cta));
    (finding.barrier, finding.generation) = (Some(first.id), Some(first.number));
    let mut places = vec![&first.place];
    for b in waits {
        if !places.contains(&&b.place) {
            places.push(&b.place);
            let since =
                b.arrived.iter().find(|a| a.warp == b.warp).map_or(String::new(), |a| format!(", since cycle {}", a.cycle));
            let note = format!("warp {} waits here{since}", b.warp);
            finding.related.push(Related { at: case.locate_in(b.cta, b.warp, &b.place), note });
        }
    }
    for m in &first.missing {
        let at = m.next.as_ref().and_then(|place| case.locate_in(first.cta, m.warp, place));
        finding.related.push(Related { at, note: format!("missing: {}", missing(m)) });
    }
    let never = |m: &crate::report::Missing| m.next.is_none() && !m.unclear;
    if !first.missing.is_empty() && first.missing.iter().all(never) {
        let note = format!("no other warp ever arrives at barrier {}", first.id);
        finding.related.push(Related { at: None, note });
    }
    let short = first.expected.saturating_sub(first.arrived.len());
    if first.missing.len() < short {
        let (needed, others) = (counted(short as u32, "more warp"), counted(first.missing.len() as u32, "other warp"));
        let note = format!("the count needs {needed}, but the CTA has only {others}");
        finding.related.push(Related { at: None, note });
    }
    finding
}

/// The finding for all warps that wait at the barrier of one cluster for one phase.
fn at_cluster(case: &Case, waits: &[&ClusterWait]) -> Finding {
    let first = waits[0];
    let mut finding =
        Finding::new(&CLUSTER_WAIT, case.locate_in(first.cta, first.warp, &first.place), waits::at_cluster(waits));
    (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), case.deadlock_cycle(first.cta));
    for m in &first.missing {
        let at = m.warp.next.as_ref().and_then(|place| case.locate_in(m.cta, m.warp.warp, place));
        finding.related.push(Related { at, note: format!("missing: {}", of_cluster(m)) });
    }
    finding
}

/// The finding for all warps that wait at the barrier of one cooperative grid.
fn at_grid_barrier(case: &Case, waits: &[&GridBarrierWait]) -> Finding {
    let first = waits[0];
    let message = waits::at_grid_barrier(waits);
    let mut finding = Finding::new(&GRID_BARRIER_WAIT, case.locate_in(first.cta, first.warp, &first.place), message);
    (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), case.deadlock_cycle(first.cta));
    finding.generation = Some(first.generation);
    for m in &first.missing {
        let place = m.warp.next.as_ref().or(m.warp.whereabouts.exit());
        let at = place.and_then(|place| case.locate_in(m.cta, m.warp.warp, place));
        finding.related.push(Related { at, note: format!("missing: {}", of_grid(m)) });
    }
    finding
}

/// The finding for all warps that wait at one barrier of Intel's gateway.
fn at_gateway(case: &Case, waits: &[&GatewayWait]) -> Finding {
    let first = waits[0];
    let mut finding =
        Finding::new(&SIGNAL_MISSING, case.locate_in(first.cta, first.warp, &first.place), waits::at_gateway(waits));
    (finding.cta, finding.warp, finding.cycle) = (Some(first.cta), Some(first.warp), case.deadlock_cycle(first.cta));
    (finding.barrier, finding.generation) = (Some(first.id), Some(first.phase));
    let mut places: Vec<(&Place, Role)> = vec![];
    for key in first.signals.iter().map(|signal| (&signal.place, signal.role)) {
        if !places.contains(&key) {
            places.push(key);
        }
    }
    for (place, role) in places {
        let same: Vec<&Signal> = first.signals.iter().filter(|s| (&s.place, s.role) == (place, role)).collect();
        let warps: Vec<String> = same.iter().map(|signal| signal.warp.to_string()).collect();
        let warp_noun = if warps.len() == 1 { "warp" } else { "warps" };
        let note = format!("{warp_noun} {} signalled here as {role}", warps.join(", "));
        let at = same.first().and_then(|signal| case.locate_in(first.cta, signal.warp, place));
        finding.related.push(Related { at, note });
    }
    for m in &first.missing {
        let at = m.warp.next.as_ref().and_then(|place| case.locate_in(first.cta, m.warp.warp, place));
        finding.related.push(Related { at, note: format!("missing: {}", of_gateway(m)) });
    }
    finding.related.extend(too_few(first).map(|note| Related { at: None, note }));
    finding
}

/// The finding for all warps that wait at one mbarrier for one phase.
fn at_mbarrier(case: &Case, waits: &[&ObjectWait]) -> Finding {
    let first = waits[0];
    let mut finding =
        Finding::new(&MBARRIER_WAIT, case.locate_in(first.cta, first.warp, &first.place), waits::at_mbarrier(waits));
    (finding.cta, finding.warp) = (Some(first.cta), Some(first.warp));
    for waiter in waits.iter().filter(|w| w.place != first.place) {
        let note = format!("warp {} waits here, since cycle {}", waiter.warp, waiter.since);
        finding.related.push(Related { at: case.locate_in(waiter.cta, waiter.warp, &waiter.place), note });
    }
    for arrival in &first.object.arrived {
        let at = arrival.warp.zip(arrival.place.as_ref()).and_then(|(warp, place)| case.locate_in(first.cta, warp, place));
        finding.related.push(Related { at, note: object_arrival(arrival) });
    }
    let notes = to_come(first).into_iter().map(|line| Related { at: None, note: line.trim_start().to_string() });
    finding.related.extend(notes);
    finding
}
