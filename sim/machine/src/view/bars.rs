// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bars of the warps; bars that are too short to be visible are merged with their neighbours.

use super::layout::{Layout, Place};
use super::paint::{
    barrier, Anchor, Font, Paint, ALARM, BUSY, CHARACTER, CLUSTER, DEPENDENT, EXITED, GATHERING, INK, MBARRIER, MEMORY,
    RUNNING, STOPPED,
};
use crate::report::Report;
use crate::sentence::signalled;
use crate::timeline::{Interval, Row, State, Timeline};
use std::collections::{BTreeMap, HashMap};

/// In pixels: bars narrower than the first value are merged until they are together as wide as the second value.
const FINE: (f64, f64) = (1.5, 4.0);
/// The values of `FINE` for a run with more than `MANY` intervals: a browser would show the picture slowly if more bars were separate.
const COARSE: (f64, f64) = (4.0, 8.0);
const MANY: usize = 20_000;

/// The maximum number of colours in a block of merged bars.
const COLOURS: usize = 3;
/// The height of a block of merged bars, as a part of the height of its row.
const MERGED_HEIGHT: f64 = 0.64;

const LABEL: f64 = 10.0;

/// The data of waits in a report: the number of the generation of each arrival, and the waits that never end.
struct Waits {
    /// The number of the generation or phase; the key is CTA, warp, barrier id and cycle of the arrival.
    numbers: BTreeMap<(usize, usize, u8, u64), usize>,
    /// The waits that never end, by CTA and warp.
    endless: HashMap<(usize, usize), EndlessWait>,
    /// The number of cycles of the run; the picture may show less.
    end: u64,
}

/// A wait that never ends: the barrier, and text with the missing warps.
struct EndlessWait {
    id: u8,
    why: String,
}

impl Waits {
    fn new(report: &Report) -> Waits {
        let blocked = || report.hang.iter().flat_map(|h| &h.blocked);
        let done =
            report.generations.iter().flat_map(|g| g.arrivals.iter().map(move |a| ((g.cta, a.warp, g.id, a.cycle), g.number)));
        let open = blocked().flat_map(|b| b.arrived.iter().map(move |a| ((b.cta, a.warp, b.id, a.cycle), b.number)));
        let at_gateway = || report.hang.iter().flat_map(|h| &h.at_gateway);
        let phases =
            report.phases.iter().flat_map(|p| p.signals.iter().map(move |s| ((p.cta, s.warp, p.id, s.cycle), p.number)));
        let signals = at_gateway().flat_map(|w| w.signals.iter().map(move |s| ((w.cta, s.warp, w.id, s.cycle), w.phase)));
        let is_hung = |cta: usize| report.hang.iter().any(|h| h.hung_ctas.contains(&cta));
        let warps = |missing: Vec<usize>| missing.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let of_named = blocked().map(|b| {
            let missing = warps(b.missing.iter().map(|m| m.warp).collect());
            let why = format!("{} of {} arrived, missing: warp {missing}", b.arrived.len(), b.expected);
            ((b.cta, b.warp), EndlessWait { id: b.id, why })
        });
        let of_gateway = at_gateway().map(|w| {
            let missing = warps(w.missing.iter().map(|m| m.warp.warp).collect());
            ((w.cta, w.warp), EndlessWait { id: w.id, why: format!("{}, missing: warp {missing}", signalled(w)) })
        });
        let endless = of_named.chain(of_gateway).filter(|((cta, _), _)| is_hung(*cta)).collect();
        Waits { numbers: done.chain(open).chain(phases).chain(signals).collect(), endless, end: report.cycles }
    }

    /// The endless wait that `interval` shows; `None` unless the interval lasts until the end of
    /// the run.
    fn endless_wait(&self, row: &Row, interval: &Interval) -> Option<&EndlessWait> {
        let endless = self.endless.get(&(row.cta, row.warp))?;
        (interval.to == self.end && interval.state == State::Waiting(endless.id)).then_some(endless)
    }

    /// The generation of a wait at barrier `id` that includes cycle `from`. It is the generation of the warp's last arrival at this barrier
    /// before this cycle.
    fn number(&self, row: &Row, id: u8, from: u64) -> Option<usize> {
        let row = |cycle| (row.cta, row.warp, id, cycle);
        self.numbers.range(row(0)..row(from)).next_back().map(|(_, number)| *number)
    }
}

pub fn draw(paint: &mut Paint, layout: &Layout, report: &Report, timeline: &Timeline) {
    let waits = Waits::new(report);
    let intervals: usize = timeline.rows[..layout.shown].iter().map(|r| r.intervals.len()).sum();
    let (least, enough) = if intervals > MANY { COARSE } else { FINE };
    for row in &timeline.rows[..layout.shown] {
        let Some(place) = layout.row(row.cta, Some(row.warp)) else { continue };
        let width = |i: &Interval| layout.x(i.to) - layout.x(i.from);
        let mut narrow: Vec<&Interval> = vec![];
        for interval in &row.intervals {
            let gathered = narrow.first().map_or(0.0, |first| layout.x(interval.from) - layout.x(first.from));
            let alone = width(interval) >= least || waits.endless_wait(row, interval).is_some();
            if alone || gathered >= enough {
                merged(paint, layout, place, &narrow);
                narrow.clear();
            }
            if alone {
                single(paint, layout, place, row, interval, &waits);
            } else {
                narrow.push(interval);
            }
        }
        merged(paint, layout, place, &narrow);
    }
}

/// Draws the bar of one interval, with a tooltip and, if the bar is wide enough, a label.
fn single(paint: &mut Paint, layout: &Layout, place: Place, row: &Row, interval: &Interval, waits: &Waits) {
    let (x, width) = (layout.x(interval.from), layout.x(interval.to) - layout.x(interval.from));
    // Bars that are wide enough get a thin gap after them.
    let width = if width > 4.0 { width - 0.6 } else { width };
    let waiting = if let State::Waiting(id) = interval.state { Some(id) } else { None };
    let number = waiting.and_then(|id| waits.number(row, id, interval.from));
    let endless = waits.endless_wait(row, interval);
    let mut tooltip = format!("{}\n{}", heading(interval.state, number), cycles(interval.from, interval.to));
    tooltip += &format!("\nline {}: {}", interval.first.line, interval.first.text);
    if interval.last != interval.first {
        tooltip += &format!("\nto line {}: {}", interval.last.line, interval.last.text);
    }
    if let Some(EndlessWait { why, .. }) = endless {
        tooltip += &format!("\nfor ever: {why}");
    }
    paint.group(&tooltip, |paint| {
        let more = if endless.is_some() { format!("stroke=\"{ALARM}\" stroke-width=\"1.5\"") } else { String::new() };
        paint.rect(bar(place, interval.state, x, width), fill(interval.state), &more);
        let label = waiting.map(|id| number.map_or(format!("{id}"), |number| format!("{id} #{number}")));
        let fits = |label: &String| label.chars().count() as f64 * LABEL * CHARACTER + 4.0 <= width;
        if let Some(label) = label.filter(fits) {
            let font = Font::new(LABEL, INK).anchored(Anchor::Middle);
            paint.words((x + width / 2.0, place.middle() + LABEL * 0.36), font, &label);
        }
    });
}

/// Draws several narrow bars as one block. The block has a stripe for each of the states with the
/// most cycles, at most `COLOURS` of them; the heights of the stripes are in proportion to their
/// cycles.
fn merged(paint: &mut Paint, layout: &Layout, place: Place, narrow: &[&Interval]) {
    let (Some(first), Some(last)) = (narrow.first(), narrow.last()) else { return };
    let mut shares: Vec<(State, u64)> = vec![];
    for interval in narrow {
        let cycles = interval.to - interval.from;
        match shares.iter_mut().find(|(state, _)| *state == interval.state) {
            Some((_, sum)) => *sum += cycles,
            None => shares.push((interval.state, cycles)),
        }
    }
    // The sort is stable: of states with equal shares, the earlier one is first.
    shares.sort_by_key(|(_, cycles)| std::cmp::Reverse(*cycles));
    let parts: Vec<String> =
        shares.iter().map(|(state, cycles)| format!("{}: {cycles} cycles", heading(*state, None))).collect();
    let tooltip = format!("{} intervals\n{}\n{}", narrow.len(), cycles(first.from, last.to), parts.join("\n"));
    let (x, width) = (layout.x(first.from), (layout.x(last.to) - layout.x(first.from)).max(0.5));
    shares.truncate(COLOURS);
    let total: u64 = shares.iter().map(|(_, cycles)| cycles).sum();
    let height = place.height * MERGED_HEIGHT;
    let mut y = place.middle() - height / 2.0;
    paint.group(&tooltip, |paint| {
        for (state, cycles) in shares {
            let part = height * cycles as f64 / total as f64;
            paint.rect((x, y, width, part), fill(state), "");
            y += part;
        }
    });
}

fn bar(place: Place, state: State, x: f64, width: f64) -> (f64, f64, f64, f64) {
    let thin = match state {
        State::Running | State::Busy | State::Memory => place.height * 0.36,
        State::Waiting(_) | State::AtMbarrier | State::AtCluster | State::AtGrid | State::Stopped | State::Gathering => {
            place.height * 0.8
        }
        State::Exited => 2.0,
    };
    (x, place.middle() - thin / 2.0, width, thin)
}

fn fill(state: State) -> &'static str {
    match state {
        State::Running => RUNNING,
        State::Busy => BUSY,
        State::Memory => MEMORY,
        State::Gathering => GATHERING,
        State::Waiting(id) => barrier(id),
        State::AtMbarrier => MBARRIER,
        State::AtCluster => CLUSTER,
        State::AtGrid => DEPENDENT,
        State::Stopped => STOPPED,
        State::Exited => EXITED,
    }
}

fn heading(state: State, number: Option<usize>) -> String {
    match state {
        State::Running => "running".to_string(),
        State::Busy => "busy".to_string(),
        State::Memory => "held until its memory accesses are performed".to_string(),
        State::Waiting(id) => format!("waits at barrier {id}{}", number.map_or(String::new(), |n| format!(", generation {n}"))),
        State::AtMbarrier => "waits at an mbarrier".to_string(),
        State::AtCluster => "waits at the barrier of its cluster".to_string(),
        State::AtGrid => "waits for the grids before its own".to_string(),
        State::Gathering => "waits for its other lanes".to_string(),
        State::Stopped => "stopped by the fault policy".to_string(),
        State::Exited => "exited".to_string(),
    }
}

fn cycles(from: u64, to: u64) -> String {
    match to - from {
        1 => format!("cycle {from}"),
        n => format!("cycles {from} to {} ({n})", to - 1),
    }
}
