// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hang in the text of a report: its causes, and the waiting and stopped warps.

use super::super::report::arrival::ArrivalForm;
use super::super::report::{
    Arrival, Blocked, BlockedLanes, ClusterMissing, ClusterWait, GatewayMissing, GatewayWait, GridBarrierArrival,
    GridBarrierMissing, GridBarrierWait, GridBefore, GridWait, Hang, HangCause, Missing, ObjectWait, Stopped, Whereabouts,
};
use super::super::sentence;
use super::table::lines;
use bcu_program::Place;
use std::fmt;

/// Writes why the run did not end: its causes, and the waiting and stopped warps.
pub(super) fn write_hang(f: &mut fmt::Formatter, hang: &Hang) -> fmt::Result {
    match hang.cause {
        HangCause::NothingCanChange => writeln!(f, "\nhung: every warp waits or has exited, and nothing is in flight")?,
        HangCause::MaxCycles | HangCause::Interrupted => {
            let why = match hang.cause {
                HangCause::Interrupted => "interrupted",
                _ => "stopped at the limit of cycles (`--max-cycles`, machine key `max_cycles`)",
            };
            writeln!(f, "\nunfinished: {why}; whether it hangs is unknown")?;
            for cta in &hang.hung_ctas {
                let why = match hang.at_mbarriers.iter().any(|w| w.cta == *cta) {
                    true => "nothing completes the phase that it waits for",
                    false => "see its deadlock above",
                };
                writeln!(f, "  CTA {cta} can never end: {why}")?;
            }
        }
    }
    for cause in &hang.causes {
        let (cta, warp, place) = (cause.cta, cause.warp, sentence::place(&cause.place));
        writeln!(f, "  cause: {} (CTA {cta} warp {warp}, {place})", cause.sentence)?;
    }
    if hang.not_launched > 0 {
        writeln!(
            f,
            "  {} CTAs were not launched: no CTA slot became free, or the prerequisite grid has neither executed launch_dependents nor ended",
            hang.not_launched
        )?;
    }
    let stopped =
        |s: &Stopped| format!("  CTA {} warp {} {} ({})", s.cta, s.warp, sentence::stopped(s.how), sentence::place(&s.place));
    lines(f, &hang.stopped.iter().map(stopped).collect::<Vec<_>>())?;
    let lanes = |l: &BlockedLanes| {
        let (waiting_lanes, missing_lanes) = (sentence::lanes(l.waiting), sentence::lanes(l.missing));
        format!("  CTA {} warp {}: {waiting_lanes} wait for {missing_lanes} ({})", l.cta, l.warp, sentence::place(&l.place))
    };
    lines(f, &hang.lanes.iter().map(lanes).collect::<Vec<_>>())?;
    let mut places: Vec<(usize, &Place)> = hang.resumable.iter().map(|g| (g.cta, &g.place)).collect();
    places.dedup();
    let first = |index: usize| !places[..index].contains(&places[index]);
    for at in (0..places.len()).filter(|index| first(*index)).map(|index| places[index]) {
        let warps_at_place = hang.resumable.iter().filter(|g| (g.cta, &g.place) == at);
        let warps: Vec<String> = warps_at_place.map(|g| g.warp.to_string()).collect();
        let (warp, runs) = if warps.len() == 1 { ("warp", "runs") } else { ("warps", "run") };
        writeln!(f, "  CTA {} {warp} {} still {runs} ({})", at.0, warps.join(", "), sentence::place(at.1))?;
    }
    let mut written = vec![];
    for first in &hang.at_mbarriers {
        let key = (first.cta, first.object.address, first.parity);
        if !written.contains(&key) {
            written.push(key);
            let same = |w: &&ObjectWait| (w.cta, w.object.address, w.parity) == key;
            write_object(f, first, hang.at_mbarriers.iter().filter(same))?;
        }
    }
    let mut clusters = vec![];
    for first in &hang.at_clusters {
        let key = (first.cluster.clone(), first.phase);
        if !clusters.contains(&key) {
            let same = |w: &&ClusterWait| (&w.cluster, w.phase) == (&key.0, key.1);
            write_cluster(f, first, hang.at_clusters.iter().filter(same))?;
            clusters.push(key);
        }
    }
    let mut grids = vec![];
    for first in &hang.at_grids {
        if !grids.contains(&first.grid) {
            write_grid(f, first, hang.at_grids.iter().filter(|w| w.grid == first.grid))?;
            grids.push(first.grid);
        }
    }
    let mut barriers = vec![];
    for first in &hang.at_grid_barriers {
        if !barriers.contains(&first.grid) {
            write_grid_barrier(f, first, hang.at_grid_barriers.iter().filter(|w| w.grid == first.grid))?;
            barriers.push(first.grid);
        }
    }
    // All warps that wait for one generation have the same arrivals and the same missing warps, so a generation is shown once.
    let mut shown = vec![];
    for first in &hang.blocked {
        if !shown.contains(&(first.cta, first.id)) {
            shown.push((first.cta, first.id));
            let together = hang.blocked.iter().filter(|b| (b.cta, b.id) == (first.cta, first.id));
            write_blocked(f, first, together)?;
        }
    }
    let mut barriers = vec![];
    for first in &hang.at_gateway {
        if !barriers.contains(&(first.cta, first.id)) {
            barriers.push((first.cta, first.id));
            write_gateway(f, first, hang.at_gateway.iter().filter(|w| (w.cta, w.id) == (first.cta, first.id)))?;
        }
    }
    if !hang.circle.is_empty() {
        writeln!(f, "\n  these warps wait for each other:")?;
        hang.circle.iter().try_for_each(|step| writeln!(f, "    {step}"))?;
    } else if hang.cause == HangCause::NothingCanChange && !(hang.blocked.is_empty() && hang.at_gateway.is_empty()) {
        writeln!(f, "\n  no remaining warp can arrive")?;
    }
    Ok(())
}

/// Writes the generation for which the warp of `b` waits; `waiting` are the waits of all warps at this barrier.
fn write_blocked<'a>(f: &mut fmt::Formatter, b: &Blocked, waiting: impl Iterator<Item = &'a Blocked>) -> fmt::Result {
    let expected = match b.threads {
        None => format!("all {} warps that have not exited", b.expected),
        Some(threads) => format!("{} warps ({threads} threads)", b.expected),
    };
    writeln!(f, "\n  CTA {} barrier {}, generation {}: {} arrived of {expected}", b.cta, b.id, b.number, b.arrived.len())?;
    let line = |w: &Blocked| {
        let since = b.arrived.iter().find(|a| a.warp == w.warp).map_or(0, |a| a.cycle);
        let operands: Vec<String> = w.operands.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let operands = if operands.is_empty() { String::new() } else { format!(", with {}", operands.join(", ")) };
        let times = if w.times > 1 { format!(", issued {} times", w.times) } else { String::new() };
        format!("    waiting: warp {} since cycle {since} ({}{operands}{times})", w.warp, sentence::place(&w.place))
    };
    lines(f, &waiting.map(line).collect::<Vec<_>>())?;
    let line = |a: &Arrival| format!("    arrived: warp {} in cycle {} ({})", a.warp, a.cycle, sentence::place(&a.place));
    lines(f, &b.arrived.iter().filter(|a| a.form == ArrivalForm::Arv).map(line).collect::<Vec<_>>())?;
    for a in &b.under_way {
        writeln!(f, "    in flight: warp {} since cycle {} ({})", a.warp, a.cycle, sentence::place(&a.place))?;
    }
    let short = b.expected.saturating_sub(b.arrived.len() + b.under_way.len());
    if short < b.missing.len() {
        writeln!(f, "    {short} of these must still arrive:")?;
    }
    lines(f, &b.missing.iter().map(|m| format!("    missing: {}", missing(m))).collect::<Vec<_>>())?;
    if short > b.missing.len() {
        let needed = sentence::counted(short as u32, "more warp");
        let others = sentence::counted(b.missing.len() as u32, "other warp");
        writeln!(f, "    the count needs {needed}, but the CTA has only {others}")?;
    }
    Ok(())
}

/// Writes the warps that wait at one mbarrier for the same phase.
fn write_object<'a>(f: &mut fmt::Formatter, w: &ObjectWait, waiting: impl Iterator<Item = &'a ObjectWait>) -> fmt::Result {
    writeln!(f, "\n  CTA {} {}", w.cta, sentence::state(&w.object))?;
    let line = |w: &ObjectWait| {
        let awaited = format!("for the phase of parity {} to complete", w.parity);
        let (since, times, place) = (w.since, w.times, sentence::place(&w.place));
        format!("    waiting: warp {} {awaited}, since cycle {since}, tested {times} times ({place})", w.warp)
    };
    lines(f, &waiting.map(line).collect::<Vec<_>>())?;
    lines(f, &w.object.arrived.iter().map(|a| format!("    {}", sentence::object_arrival(a))).collect::<Vec<_>>())?;
    lines(f, &to_come(w))
}

/// Text with the warps that would arrive at an mbarrier; if there are none, with the warps that cannot arrive any more.
pub(crate) fn to_come(w: &ObjectWait) -> Vec<String> {
    let has_ended = |m: &&Missing| matches!(m.whereabouts, Whereabouts::Exited { .. } | Whereabouts::Stopped { .. });
    let would = |m: &&Missing| !has_ended(m) && (m.next.is_some() || m.unclear);
    let own_warps = w.missing.iter().filter(would).map(|m| format!("    awaited: {}", missing(m)));
    let remote = w.remote.iter().map(|m| format!("    awaited: {}", of_cluster(m)));
    let awaited: Vec<String> = own_warps.chain(remote).collect();
    match awaited.is_empty() {
        true => w.missing.iter().map(|m| format!("    cannot arrive: {}", missing(m))).collect(),
        false => awaited,
    }
}

/// Writes the warps that wait at the barrier of one cluster for the same phase.
fn write_cluster<'a>(f: &mut fmt::Formatter, w: &ClusterWait, waiting: impl Iterator<Item = &'a ClusterWait>) -> fmt::Result {
    writeln!(f, "\n  {}, phase {} of its barrier", sentence::cluster(&w.cluster), w.phase)?;
    let line = |w: &ClusterWait| {
        format!(
            "    waiting: {} warp {} ({})",
            sentence::member(w.cta, w.rank, w.multiprocessor),
            w.warp,
            sentence::place(&w.place)
        )
    };
    lines(f, &waiting.map(line).collect::<Vec<_>>())?;
    lines(f, &w.missing.iter().map(|m| format!("    missing: {}", of_cluster(m))).collect::<Vec<_>>())
}

/// Writes the threads that wait at one barrier of the gateway.
fn write_gateway<'a>(f: &mut fmt::Formatter, w: &GatewayWait, waiting: impl Iterator<Item = &'a GatewayWait>) -> fmt::Result {
    writeln!(f, "\n  CTA {} barrier {}, phase {}: {}", w.cta, w.id, w.phase, sentence::signalled(w))?;
    let waiting: Vec<&GatewayWait> = waiting.collect();
    let line =
        |w: &&GatewayWait| format!("    waiting: warp {} since cycle {} ({})", w.warp, w.since, sentence::place(&w.place));
    lines(f, &waiting.iter().map(line).collect::<Vec<_>>())?;
    // The waiting threads have signalled and are already listed.
    let others = w.signals.iter().filter(|signal| !waiting.iter().any(|wait| wait.warp == signal.warp));
    let line = |s: &crate::report::Signal| {
        format!("    signalled: warp {} as {} in cycle {} ({})", s.warp, s.role, s.cycle, sentence::place(&s.place))
    };
    lines(f, &others.map(line).collect::<Vec<_>>())?;
    writeln!(f, "    still to signal: {}", sentence::numbers(w.missing_producers, w.missing_consumers))?;
    lines(f, &w.missing.iter().map(|m| format!("    missing: {}", of_gateway(m))).collect::<Vec<_>>())?;
    if let Some(short) = sentence::too_few(w) {
        writeln!(f, "    {short}")?;
    }
    Ok(())
}

/// Text for a thread that has not signalled.
pub(crate) fn of_gateway(m: &GatewayMissing) -> String {
    let role = m.role.map_or(String::new(), |role| format!(" as {role}"));
    format!("{}{role}", missing(&m.warp))
}

/// Writes the warps of one grid that wait for earlier grids.
fn write_grid<'a>(f: &mut fmt::Formatter, w: &GridWait, waiting: impl Iterator<Item = &'a GridWait>) -> fmt::Result {
    writeln!(f, "\n  grid {} waits for grids before it", w.grid)?;
    let line = |w: &GridWait| {
        format!("    waiting: CTA {} warp {} since cycle {} ({})", w.cta, w.warp, w.since, sentence::place(&w.place))
    };
    lines(f, &waiting.map(line).collect::<Vec<_>>())?;
    let line = |before: &GridBefore| {
        let ctas: Vec<String> = before.ctas.iter().map(ToString::to_string).collect();
        let unfinished = if ctas.is_empty() {
            "all of its CTAs have exited".to_string()
        } else {
            format!("CTAs {} have not exited", ctas.join(", "))
        };
        format!("    missing: grid {}, of which {unfinished}", before.grid)
    };
    lines(f, &w.before.iter().map(line).collect::<Vec<_>>())
}

/// Writes the warps that wait at the barrier of one grid.
fn write_grid_barrier<'a>(
    f: &mut fmt::Formatter,
    w: &GridBarrierWait,
    waiting: impl Iterator<Item = &'a GridBarrierWait>,
) -> fmt::Result {
    let GridBarrierWait { generation, arrived, expected, .. } = w;
    writeln!(f, "\n  grid barrier, generation {generation}: {} arrived of {expected} CTAs", arrived.len())?;
    let line = |w: &GridBarrierWait| {
        let since = w.since().map_or(String::new(), |cycle| format!(" since cycle {cycle}"));
        format!("    waiting: CTA {} warp {}{since} ({})", w.cta, w.warp, sentence::place(&w.place))
    };
    let waits: Vec<&GridBarrierWait> = waiting.collect();
    lines(f, &waits.iter().map(|w| line(w)).collect::<Vec<_>>())?;
    let others = arrived.iter().filter(|arrival| !waits.iter().any(|wait| wait.cta == arrival.cta));
    let line = |a: &GridBarrierArrival| {
        format!("    arrived: CTA {} warp {} in cycle {} ({})", a.cta, a.warp, a.cycle, sentence::place(&a.place))
    };
    lines(f, &others.map(line).collect::<Vec<_>>())?;
    lines(f, &w.missing.iter().map(|m| format!("    missing: {}", of_grid(m))).collect::<Vec<_>>())
}

/// Text for a warp of a CTA that has not arrived at the barrier of its grid.
pub(crate) fn of_grid(m: &GridBarrierMissing) -> String {
    format!("CTA {} {}", m.cta, missing(&m.warp))
}

/// Text for a warp that has not arrived at the barrier of its cluster.
pub(crate) fn of_cluster(m: &ClusterMissing) -> String {
    format!("{} {}", sentence::member(m.cta, m.rank, m.multiprocessor), missing(&m.warp))
}

pub(crate) fn missing(m: &Missing) -> String {
    let whereabouts = match &m.whereabouts {
        Whereabouts::Exited { cycle, place } => format!("exited in cycle {cycle} ({})", sentence::place(place)),
        Whereabouts::Blocked { id, place } => format!("waits at barrier {id} ({})", sentence::place(place)),
        Whereabouts::Stopped { how, place } => {
            format!("{} ({})", sentence::stopped(*how), sentence::place(place))
        }
        Whereabouts::AtMbarrier { place } => format!("waits at an mbarrier ({})", sentence::place(place)),
        Whereabouts::AtCluster { place } => {
            format!("waits at the barrier of its cluster ({})", sentence::place(place))
        }
        Whereabouts::AtGrid { place } => {
            format!("waits for the grids before its own ({})", sentence::place(place))
        }
        Whereabouts::AtGridBarrier { place } => format!("waits at the grid barrier ({})", sentence::place(place)),
        Whereabouts::Partly { place } => format!("waits for its other lanes ({})", sentence::place(place)),
        Whereabouts::Running { place } => format!("running ({})", sentence::place(place)),
    };
    let next = match (&m.whereabouts, &m.next) {
        (Whereabouts::Exited { .. } | Whereabouts::Stopped { .. }, _) => String::new(),
        (_, Some(place)) => format!("; would arrive at {}", sentence::place(place)),
        (_, None) if m.unclear => "; whether it would arrive is unknown".to_string(),
        (_, None) => "; it will not arrive at this barrier".to_string(),
    };
    format!("warp {} {whereabouts}{next}", m.warp)
}
