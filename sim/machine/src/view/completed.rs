// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What releases warps: completed generations of named barriers, phases of the gateway, of mbarriers and of cluster barriers, and the end of
//! grids.

use super::objects::described;
use super::rows::Key;
use crate::report::{GatewayPhase, Generation, GridTotal, Report};
use crate::sentence;
use crate::sentence::numbers;
use crate::timeline::{Awaited, Interval, ObjectRow, Phase, Row, State, Timeline};
use std::collections::BTreeMap;

/// A completion, which releases warps.
pub struct Completed {
    /// A completion is compared with the previous one of the same CTA, to leave out those that are too near.
    pub cta: usize,
    /// The row in which the completion starts: that of the last arrival, or of the mbarrier.
    pub start: Option<Key>,
    /// The cycle of the last arrival, or of the exit that completed the generation.
    pub arrival: u64,
    /// The cycle of the release.
    pub released: u64,
    /// The rows of the released warps.
    pub waits: Vec<Key>,
    pub tooltip: String,
}

/// All completions of a run, in order of time.
pub fn all(report: &Report, timeline: &Timeline) -> Vec<Completed> {
    let exit = |cta: usize, warp: usize| report.warps.iter().find(|w| (w.cta, w.warp) == (cta, warp))?.exited;
    let generations = report.generations.iter().map(|g| of_generation(g, g.exited.and_then(|warp| exit(g.cta, warp))));
    let mut all: Vec<Completed> = generations.chain(report.phases.iter().map(of_gateway)).collect();
    for object in &timeline.objects {
        let complete = object.phases.iter().filter(|phase| phase.is_complete);
        all.extend(complete.filter_map(|phase| of_phase(object, phase, timeline)));
    }
    all.extend(of_clusters(timeline));
    all.extend(report.grids.iter().filter_map(|grid| of_grid(grid, timeline)));
    all.sort_by_key(|completed| completed.released);
    all
}

fn of_generation(g: &Generation, exit: Option<u64>) -> Completed {
    let wanted = g.threads.map_or("all warps that have not exited".to_string(), |t| format!("{t} threads"));
    let mut lines = vec![format!("CTA {}, barrier {}, generation {}: {wanted}", g.cta, g.id, g.number)];
    let last = g.arrivals.last();
    match (g.exited, last) {
        (Some(warp), _) => lines.push(format!("completed by the exit of warp {warp}")),
        (None, Some(a)) => {
            lines.push(format!("last arrival: warp {} in cycle {}\n{}", a.warp, a.cycle, sentence::place(&a.place)))
        }
        (None, None) => {}
    }
    lines.push(released(g.released, g.waits.iter().map(|w| (w.warp, w.cycles))));
    if let Some((reduction, value)) = g.reduction.zip(g.value) {
        lines.push(format!("{reduction} of the predicates: {value}"));
    }
    Completed {
        cta: g.cta,
        start: g.exited.or(last.map(|a| a.warp)).map(|warp| Key::Warp(g.cta, warp)),
        arrival: exit.or(last.map(|a| a.cycle)).unwrap_or(g.released),
        released: g.released,
        waits: g.waits.iter().map(|w| Key::Warp(g.cta, w.warp)).collect(),
        tooltip: lines.join("\n"),
    }
}

fn of_gateway(p: &GatewayPhase) -> Completed {
    let mut lines = vec![format!("CTA {}, barrier {}, phase {}: {}", p.cta, p.id, p.number, numbers(p.producers, p.consumers))];
    let last = p.signals.last();
    lines.extend(last.map(|s| format!("last arrival: warp {} in cycle {}\n{}", s.warp, s.cycle, sentence::place(&s.place))));
    lines.push(released(p.completed, p.waits.iter().map(|w| (w.warp, w.cycles))));
    Completed {
        cta: p.cta,
        start: last.map(|s| Key::Warp(p.cta, s.warp)),
        arrival: last.map_or(p.completed, |s| s.cycle),
        released: p.completed,
        waits: p.waits.iter().map(|w| Key::Warp(p.cta, w.warp)).collect(),
        tooltip: lines.join("\n"),
    }
}

/// The released warps as text, each with the number of cycles that it waited.
fn released(cycle: u64, waits: impl Iterator<Item = (usize, u64)>) -> String {
    let waits: Vec<String> = waits.map(|(warp, cycles)| format!("{warp} (waited {cycles})")).collect();
    let waits = if waits.is_empty() { "no warp waited".to_string() } else { format!("warp {}", waits.join(", ")) };
    format!("released in cycle {cycle}: {waits}")
}

/// The completion of a phase of an mbarrier; `None` if no warp waited for it.
fn of_phase(object: &ObjectRow, phase: &Phase, timeline: &Timeline) -> Option<Completed> {
    let is_wait = |interval: &Interval| {
        let is_same = interval
            .phase_wait()
            .is_some_and(|wait| wait.object.address == object.name.address && wait.phase == Some(phase.number));
        is_same && interval.from <= phase.to && interval.to > phase.to
    };
    let rows = timeline.rows.iter().filter(|row| row.cta == object.cta);
    let waits: Vec<(usize, u64)> = rows
        .filter_map(|row| Some((row.warp, phase.to - row.intervals.iter().find(|interval| is_wait(interval))?.from)))
        .collect();
    if waits.is_empty() {
        return None;
    }
    let last = phase.changes.last();
    let start = match last.and_then(|change| change.warp) {
        Some(warp) => Key::Warp(object.cta, warp),
        None => Key::Object(object.cta, object.name.address),
    };
    let mut lines = vec![format!("CTA {}, {}, phase {} is complete", object.cta, object.name, phase.number)];
    lines.extend(last.map(|change| format!("last change: {}", described(change))));
    lines.push(released(phase.to, waits.iter().copied()));
    Some(Completed {
        cta: object.cta,
        start: Some(start),
        arrival: last.map_or(phase.to, |change| change.cycle),
        released: phase.to,
        waits: waits.iter().map(|(warp, _)| Key::Warp(object.cta, *warp)).collect(),
        tooltip: lines.join("\n"),
    })
}

/// The completed phases of cluster barriers for which warps waited.
fn of_clusters(timeline: &Timeline) -> Vec<Completed> {
    let mut waits: BTreeMap<(usize, u64), Vec<(&Row, &Interval)>> = BTreeMap::new();
    for row in &timeline.rows {
        for interval in row.intervals.iter().filter(|interval| interval.state == State::AtCluster) {
            if let Some(Awaited::ClusterPhase(phase)) = interval.awaited.as_deref() {
                waits.entry((row.cluster, *phase)).or_default().push((row, interval));
            }
        }
    }
    let end = timeline.rows.iter().filter_map(|row| Some(row.intervals.last()?.to)).max().unwrap_or(0);
    let completed = |((cluster, phase), waits): ((usize, u64), Vec<(&Row, &Interval)>)| {
        let released = waits.iter().map(|(_, interval)| interval.to).min().filter(|to| *to < end)?;
        // A warp that waits after the completion resumes at once.
        let waits: Vec<_> = waits.into_iter().filter(|(_, interval)| interval.from < released).collect();
        let rows = timeline.rows.iter().filter(|row| row.cluster == cluster);
        let arrivals = rows.flat_map(|row| row.cluster_arrivals.iter().map(move |arrival| (row, arrival)));
        let of_phase = arrivals.filter(|(_, arrival)| arrival.phase == phase && arrival.cycle < released);
        let (row, arrival) = of_phase.max_by_key(|(_, arrival)| arrival.cycle)?;
        let lines = [
            format!("cluster of CTA {cluster}, phase {phase} is complete"),
            format!("last arrival: warp {} of CTA {} in cycle {}", row.warp, row.cta, arrival.cycle),
            sentence::place(&arrival.place),
            format!("{} warps waited", waits.len()),
        ];
        Some(Completed {
            cta: cluster,
            start: Some(Key::Warp(row.cta, row.warp)),
            arrival: arrival.cycle.saturating_sub(1),
            released: released.saturating_sub(1),
            waits: waits.iter().map(|(row, _)| Key::Warp(row.cta, row.warp)).collect(),
            tooltip: lines.join("\n"),
        })
    };
    waits.into_iter().filter_map(completed).collect()
}

/// The end of a grid for which warps waited.
fn of_grid(grid: &GridTotal, timeline: &Timeline) -> Option<Completed> {
    let ended = grid.ended?;
    let waits_at = |row: &&Row| {
        let mut waits = row.intervals.iter().filter(|interval| interval.state == State::AtGrid);
        row.grid > grid.grid && waits.any(|interval| (interval.from..=interval.to + 8).contains(&ended))
    };
    let waits: Vec<&Row> = timeline.rows.iter().filter(waits_at).collect();
    let exits = timeline.rows.iter().filter(|row| row.grid == grid.grid).filter_map(|row| {
        let exit = row.intervals.iter().find(|interval| interval.state == State::Exited)?;
        Some((row, exit.from))
    });
    let (row, exit) = exits.max_by_key(|(_, exit)| *exit).filter(|_| !waits.is_empty())?;
    let lines = [
        format!("grid {} ({}) has ended in cycle {ended}: its stores are visible", grid.grid, grid.kernel),
        format!("last exit: warp {} of CTA {} in cycle {exit}", row.warp, row.cta),
        format!("{} warps waited", waits.len()),
    ];
    Some(Completed {
        cta: row.cta,
        start: Some(Key::Warp(row.cta, row.warp)),
        arrival: exit.saturating_sub(1),
        released: ended,
        waits: waits.iter().map(|row| Key::Warp(row.cta, row.warp)).collect(),
        tooltip: lines.join("\n"),
    })
}
