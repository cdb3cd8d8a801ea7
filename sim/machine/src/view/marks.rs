// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Marks of single events: completed barriers, faults, the hang, the end of the recording.

use super::completed::{all, Completed};
use super::detail::Detail;
use super::layout::Layout;
use super::paint::{Anchor, Font, Paint, ALARM, INK};
use super::rows::Key;
use crate::report::Report;
use crate::sentence;
use crate::timeline::Timeline;
use std::collections::HashMap;

/// Dots are drawn if their distance is at least this number of pixels.
const DOTS: f64 = 7.0;

/// Draws a line from the last arrival of each generation or phase to the warps that it released.
pub fn completions(paint: &mut Paint, layout: &Layout, (report, timeline): (&Report, &Timeline), detail: Detail) {
    let mut last: HashMap<usize, f64> = HashMap::new();
    let completed = all(report, timeline);
    let shown = |cycle: u64| layout.shows(cycle + 1);
    for (at, generation) in completed.iter().enumerate().filter(|(_, completed)| shown(completed.released)) {
        // Released warps resume in the cycle after the release is output.
        let x = layout.x(generation.released + 1);
        let gap = last.get(&generation.cta).map_or(f64::MAX, |before| x - before);
        if gap < detail.near {
            continue;
        }
        let is_near = |g: &&Completed| layout.x(g.released + 1) < x + detail.near && shown(g.released);
        let near = completed[at..].iter().take_while(is_near);
        let hidden = near.filter(|g| g.cta == generation.cta).count() - 1;
        if completion(paint, layout, generation, gap >= DOTS && hidden == 0, hidden) {
            last.insert(generation.cta, x);
        }
    }
}

/// Draws a completion, and returns whether its start is shown. `hidden` is the number of completions that are too near to be drawn.
fn completion(paint: &mut Paint, layout: &Layout, completed: &Completed, dots: bool, hidden: usize) -> bool {
    let row = |key: Key| layout.row(key).map(|place| place.middle());
    let Some(start) = completed.start.and_then(row) else { return false };
    let (from, x) = (layout.x(completed.arrival + 1), layout.x(completed.released + 1));
    let rows: Vec<f64> = completed.waits.iter().filter_map(|key| row(*key)).collect();
    let top = rows.iter().copied().fold(start, f64::min);
    let low = rows.iter().copied().fold(start, f64::max);
    let more = if hidden > 0 { format!("\nand {hidden} more at this place") } else { String::new() };
    paint.group(&format!("{}{more}", completed.tooltip), |paint| {
        if !dots {
            paint.path(&[(x, top), (x, low)], INK, 0.75, "opacity=\"0.4\"");
        } else {
            // If the last warp to arrive also waits, its bar already leads to the completion, so no line is needed.
            if !completed.waits.iter().any(|key| row(*key) == Some(start)) {
                paint.path(&[(from, start), (x, start)], INK, 1.5, "");
            }
            paint.path(&[(x, top), (x, low)], INK, 1.5, "");
            // Dots of low rows are smaller.
            let scale = completed.start.and_then(|key| layout.row(key)).map_or(1.0, |place| (place.height / 15.0).min(1.0));
            rows.iter().for_each(|y| paint.circle((x, *y), 2.2 * scale, INK, INK));
            paint.circle((from, start), 3.0 * scale, "#ffffff", INK);
        }
    });
    true
}

/// Draws a cross for each fault, in the row of its warp, or at its CTA if it has no warp.
pub fn faults(paint: &mut Paint, layout: &Layout, report: &Report) {
    let mut last: HashMap<(usize, Option<usize>), f64> = HashMap::new();
    for (at, fault) in report.faults.iter().enumerate().filter(|(_, fault)| layout.shows(fault.cycle)) {
        let row = match fault.warp {
            Some(warp) => layout.row(Key::Warp(fault.cta, warp)),
            None => layout.cta(fault.cta),
        };
        let Some(place) = row else { continue };
        let x = layout.x(fault.cycle);
        let key = (fault.cta, fault.warp);
        if last.get(&key).is_some_and(|before| x - before < DOTS) {
            continue;
        }
        last.insert(key, x);
        let is_near = |cycle: u64| layout.x(cycle) < x + DOTS && layout.shows(cycle);
        let near = report.faults[at..].iter().filter(|f| (f.cta, f.warp) == key && is_near(f.cycle)).count() - 1;
        let line = fault.place.as_ref().map_or(String::new(), |p| format!("\n{}", sentence::place(p)));
        let more = if near > 0 { format!("\nand {near} more at this place") } else { String::new() };
        let barrier = fault.id.map_or(String::new(), |id| format!(", barrier {id}"));
        let tooltip = format!("{}, reported in cycle {}{barrier}\n{}{line}{more}", fault.code, fault.cycle, fault.sentence);
        paint.group(&tooltip, |paint| paint.cross((x, place.middle()), 5.0));
    }
}

/// Draws the right edge of a run that did not end, and the end of the recording.
pub fn end(paint: &mut Paint, layout: &Layout, (report, timeline): (&Report, &Timeline), is_whole: bool) {
    let label = Font::new(11.0, ALARM).bold().anchored(Anchor::End);
    let (top, bottom) = (layout.top, layout.bottom);
    if report.hang.is_some() && is_whole {
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
