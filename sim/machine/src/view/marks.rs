// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Marks of single events: completed barriers, faults, the hang, the end of the recording.

use super::layout::Layout;
use super::paint::{Anchor, Font, Paint, ALARM, INK};
use crate::report::{GatewayPhase, Generation, Report, Wait};
use crate::sentence::numbers;
use crate::timeline::Timeline;
use bcu_program::Place;
use std::collections::HashMap;

/// A completion closer to the previous one than this number of pixels is not drawn, because it is indistinguishable.
const NEAR: f64 = 1.5;
/// Dots are drawn if their distance is at least this number of pixels.
const DOTS: f64 = 7.0;

/// A completed generation of a named barrier, or a completed phase of a barrier of the gateway.
struct Completed<'a> {
    cta: usize,
    /// The name of the barrier, and the arrivals that it requires.
    what: String,
    /// Warp, cycle and location of the last arrival.
    last: Option<(usize, u64, &'a Place)>,
    /// The warp whose exit completed the generation; `None` if an arrival or a state word did.
    exited: Option<usize>,
    released: u64,
    waits: &'a [Wait],
    /// The result of a reduction, as text.
    result: Option<String>,
}

impl<'a> Completed<'a> {
    fn from_generation(g: &'a Generation) -> Completed<'a> {
        let wanted = g.threads.map_or("all warps that have not exited".to_string(), |t| format!("{t} threads"));
        let result = g.reduction.zip(g.value);
        Completed {
            cta: g.cta,
            what: format!("barrier {}, generation {}: {wanted}", g.id, g.number),
            last: g.arrivals.last().map(|a| (a.warp, a.cycle, &a.place)),
            exited: g.exited,
            released: g.released,
            waits: &g.waits,
            result: result.map(|(reduction, value)| format!("{reduction} of the predicates: {value}")),
        }
    }

    fn of_phase(p: &'a GatewayPhase) -> Completed<'a> {
        Completed {
            cta: p.cta,
            what: format!("barrier {}, phase {}: {}", p.id, p.number, numbers(p.producers, p.consumers)),
            last: p.signals.last().map(|s| (s.warp, s.cycle, &s.place)),
            exited: None,
            released: p.completed,
            waits: &p.waits,
            result: None,
        }
    }
}

/// Draws a line from the last arrival of each generation or phase to the warps that it released.
pub fn completions(paint: &mut Paint, layout: &Layout, report: &Report) {
    let mut last: HashMap<usize, f64> = HashMap::new();
    let completed =
        report.generations.iter().map(Completed::from_generation).chain(report.phases.iter().map(Completed::of_phase));
    let completed: Vec<Completed> = completed.collect();
    for (at, generation) in completed.iter().enumerate() {
        // Released warps resume in the cycle after the release is output.
        let x = layout.x(generation.released + 1);
        let gap = last.get(&generation.cta).map_or(f64::MAX, |before| x - before);
        if gap < NEAR {
            continue;
        }
        let near = completed[at..].iter().take_while(|g| layout.x(g.released + 1) < x + NEAR);
        let hidden = near.filter(|g| g.cta == generation.cta).count() - 1;
        // If an exit completed the generation, the last event is the exit, not an arrival.
        let by_exit =
            generation.exited.and_then(|warp| report.warps.iter().find(|w| (w.cta, w.warp) == (generation.cta, warp))?.exited);
        if completion(paint, layout, generation, by_exit, gap >= DOTS, hidden) {
            last.insert(generation.cta, x);
        }
    }
}

/// Draws a completion, and returns whether warps of the generation are shown. `by_exit` is the
/// cycle of the exit that completed the generation; `hidden` is the number of completions that are
/// too near to be drawn.
fn completion(
    paint: &mut Paint,
    layout: &Layout,
    generation: &Completed,
    by_exit: Option<u64>,
    dots: bool,
    hidden: usize,
) -> bool {
    let row = |warp: usize| layout.row(generation.cta, Some(warp)).map(|place| place.middle());
    let last = generation.last;
    let Some(start) = generation.exited.or(last.map(|(warp, ..)| warp)).and_then(row) else { return false };
    let arrival = by_exit.or(last.map(|(_, cycle, _)| cycle)).unwrap_or(generation.released);
    let (from, x) = (layout.x(arrival + 1), layout.x(generation.released + 1));
    let rows: Vec<f64> = generation.waits.iter().filter_map(|w| row(w.warp)).collect();
    let top = rows.iter().copied().fold(start, f64::min);
    let low = rows.iter().copied().fold(start, f64::max);
    paint.group(&tooltip(generation, hidden), |paint| {
        if !dots {
            paint.path(&[(x, top), (x, low)], INK, 0.75, "opacity=\"0.4\"");
        } else {
            // If the last warp to arrive also waits, its bar already leads to the completion, so no line is needed.
            if !generation.waits.iter().any(|w| row(w.warp) == Some(start)) {
                paint.path(&[(from, start), (x, start)], INK, 1.5, "");
            }
            paint.path(&[(x, top), (x, low)], INK, 1.5, "");
            rows.iter().for_each(|y| paint.circle((x, *y), 2.2, INK, INK));
            paint.circle((from, start), 3.0, "#ffffff", INK);
        }
    });
    true
}

fn tooltip(g: &Completed, hidden: usize) -> String {
    let mut text = format!("CTA {}, {}", g.cta, g.what);
    match (g.exited, g.last) {
        (Some(warp), _) => text += &format!("\ncompleted by the exit of warp {warp}"),
        (None, Some((warp, cycle, place))) => {
            text += &format!("\nlast arrival: warp {warp} in cycle {cycle}\nline {}: {}", place.line, place.text)
        }
        (None, None) => {}
    }
    let released: Vec<String> = g.waits.iter().map(|w| format!("{} (waited {})", w.warp, w.cycles)).collect();
    let released = if released.is_empty() { "no warp waited".to_string() } else { format!("warp {}", released.join(", ")) };
    text += &format!("\nreleased in cycle {}: {released}", g.released);
    if let Some(result) = &g.result {
        text += &format!("\n{result}");
    }
    if hidden > 0 {
        text += &format!("\nand {hidden} more at this place");
    }
    text
}

/// Draws a cross for each fault, in the row of its warp, or at its CTA if it has no warp.
pub fn faults(paint: &mut Paint, layout: &Layout, report: &Report) {
    let mut last: HashMap<(usize, Option<usize>), f64> = HashMap::new();
    for (at, fault) in report.faults.iter().enumerate() {
        let Some(place) = layout.row(fault.cta, fault.warp).filter(|_| fault.cycle <= layout.end()) else { continue };
        let x = layout.x(fault.cycle);
        let key = (fault.cta, fault.warp);
        if last.get(&key).is_some_and(|before| x - before < DOTS) {
            continue;
        }
        last.insert(key, x);
        let near = report.faults[at..].iter().filter(|f| (f.cta, f.warp) == key && layout.x(f.cycle) < x + DOTS).count() - 1;
        let line = fault.place.as_ref().map_or(String::new(), |p| format!("\nline {}: {}", p.line, p.text));
        let more = if near > 0 { format!("\nand {near} more at this place") } else { String::new() };
        let barrier = fault.id.map_or(String::new(), |id| format!(", barrier {id}"));
        let tooltip = format!("{}, reported in cycle {}{barrier}\n{}{line}{more}", fault.code, fault.cycle, fault.sentence);
        paint.group(&tooltip, |paint| paint.cross((x, place.middle()), 5.0));
    }
}

/// Draws the right edge of a run that did not end, and the end of the recording.
pub fn end(paint: &mut Paint, layout: &Layout, report: &Report, timeline: &Timeline) {
    let label = Font::new(11.0, ALARM).bold().anchored(Anchor::End);
    let (top, bottom) = (layout.top, layout.bottom);
    if report.hang.is_some() {
        let x = layout.x(layout.end());
        paint.path(&[(x, top - 4.0), (x, bottom)], ALARM, 2.5, "stroke-dasharray=\"5 3\"");
        paint.words((x - 6.0, top + 14.0), label, report.verdict.name());
    }
    if let Some(cycle) = timeline.stopped.filter(|cycle| *cycle < layout.end()) {
        let x = layout.x(cycle);
        paint.group("not recorded", |paint| {
            paint.rect((x, top, layout.x(layout.end()) - x, bottom - top), "#f3f4f6", "opacity=\"0.8\"");
        });
        paint.path(&[(x, top), (x, bottom)], ALARM, 1.0, "stroke-dasharray=\"2 3\"");
    }
}
