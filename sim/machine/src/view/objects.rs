// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows of mbarriers, with a bar for each phase and marks for arrivals and bytes, and the rows of asynchronous copies.

use super::detail::Detail;
use super::layout::{Layout, Place};
use super::paint::{Anchor, Font, Paint, ALARM, CHARACTER, COPY, INK, PHASES};
use super::rows::Key;
use super::words;
use crate::report::Report;
use crate::sentence;
use crate::timeline::{CopyInterval, ObjectChange, Phase, Timeline};

/// The size of the number of a phase.
const LABEL: f64 = 9.0;
/// The smallest distance between marks of changes, in pixels.
const MARKS: f64 = 3.0;
/// The smallest width, in pixels, of a phase with marks of its changes.
const MARKED: f64 = 10.0;
/// The maximum number of changes that the text of a phase lists.
const MOST_CHANGES: usize = 6;
/// The maximum number of copies, one above the other, in a row.
const MOST_LANES: usize = 4;
/// The maximum number of copies that a text lists.
const MOST_COPIES: usize = 4;

/// Draws the rows of all mbarriers.
pub fn draw(paint: &mut Paint, layout: &Layout, (report, timeline): (&Report, &Timeline), detail: Detail) {
    let awaited: Vec<(usize, u32)> = report
        .hang
        .iter()
        .flat_map(|hang| hang.at_mbarriers.iter().filter(|wait| hang.hung_ctas.contains(&wait.cta)))
        .map(|wait| (wait.cta, wait.object.address))
        .collect();
    for object in &timeline.objects {
        let key = (object.cta, object.name.address);
        let Some(place) = layout.row(Key::Object(key.0, key.1)) else { continue };
        let mut narrow: Vec<&Phase> = vec![];
        for phase in &object.phases {
            let is_wide = layout.x(phase.to) - layout.x(phase.from) >= detail.least;
            let gathered = narrow.first().map_or(0.0, |first| layout.x(phase.from) - layout.x(first.from));
            if is_wide || gathered >= detail.merged {
                merged(paint, layout, place, &narrow);
                narrow.clear();
            }
            if is_wide {
                let is_stuck = phase.to == report.cycles && !phase.is_complete && awaited.contains(&key);
                single(paint, layout, place, (phase, is_stuck));
            } else {
                narrow.push(phase);
            }
        }
        merged(paint, layout, place, &narrow);
    }
}

/// Draws the bar of a phase, and marks for its arrivals and bytes.
fn single(paint: &mut Paint, layout: &Layout, place: Place, (phase, is_stuck): (&Phase, bool)) {
    let (x, end) = (layout.x(phase.from), layout.x(phase.to));
    let (top, height) = (place.top + 2.0, place.height - 4.0);
    let more = if is_stuck { format!("stroke=\"{ALARM}\" stroke-width=\"1.5\"") } else { String::new() };
    let fill = PHASES[(phase.number & 1) as usize];
    paint.titled_rect(&tooltip(phase), (x, top, end - x, height), fill, &more);
    let mut last = f64::MIN;
    for change in phase.changes.iter().filter(|change| end - x >= MARKED && layout.shows(change.cycle)) {
        let at = layout.x(change.cycle);
        if at - last >= MARKS {
            last = at;
            // An arrival is a long line, and bytes alone are a short one.
            let low = if change.arrivals > 0 { top + height } else { top + height * 0.45 };
            paint.group(&described(change), |paint| paint.path(&[(at, top), (at, low)], INK, 1.25, ""));
        }
    }
    let label = phase.number.to_string();
    let size = LABEL.min(height * 0.9);
    let is_free = last <= x + size;
    if is_free && end - x >= label.len() as f64 * size * CHARACTER + 6.0 || end - x > 60.0 {
        let font = Font::new(size, INK).anchored(Anchor::Middle);
        paint.words(((x + end) / 2.0, place.middle() + size * 0.36), font, &label);
    }
}

/// Draws several narrow phases as one bar.
fn merged(paint: &mut Paint, layout: &Layout, place: Place, narrow: &[&Phase]) {
    let (Some(first), Some(last)) = (narrow.first(), narrow.last()) else { return };
    let tooltip = match narrow {
        [phase] => tooltip(phase),
        _ => format!("phases {} to {}\n{}", first.number, last.number, words::cycles(first.from, last.to)),
    };
    let (x, width) = (layout.x(first.from), (layout.x(last.to) - layout.x(first.from)).max(0.5));
    let height = place.height - 8.0;
    let fill = PHASES[(first.number & 1) as usize];
    paint.titled_rect(&tooltip, (x, place.middle() - height / 2.0, width, height), fill, "");
}

fn tooltip(phase: &Phase) -> String {
    let mut lines = vec![format!("phase {} (parity {})", phase.number, phase.number & 1)];
    lines.push(words::cycles(phase.from, phase.to));
    let end = if phase.is_complete { String::new() } else { "; not complete".to_string() };
    lines.push(format!("{} of {} arrivals{end}", phase.arrivals, phase.needed));
    if phase.expected_bytes + phase.completed_bytes > 0 {
        lines.push(format!("{} of {} expected bytes completed", phase.completed_bytes, phase.expected_bytes));
    }
    lines.extend(phase.changes.iter().take(MOST_CHANGES).map(described));
    if phase.changes.len() > MOST_CHANGES {
        lines.push(format!("and {} more", phase.changes.len() - MOST_CHANGES));
    }
    lines.join("\n")
}

/// A change of an mbarrier as one line.
pub fn described(change: &ObjectChange) -> String {
    let mut what = vec![];
    match change.arrivals {
        0 => {}
        1 => what.push("1 arrival".to_string()),
        n => what.push(format!("{n} arrivals")),
    }
    if change.expected_bytes > 0 {
        what.push(format!("{} bytes expected", change.expected_bytes));
    }
    if change.completed_bytes > 0 {
        what.push(format!("{} bytes completed", change.completed_bytes));
    }
    let by = match (change.warp, change.sender) {
        (Some(warp), _) => format!("warp {warp}"),
        (None, Some(cta)) => format!("CTA {cta}"),
        (None, None) => "a copy".to_string(),
    };
    let place = change.place.as_ref().map_or(String::new(), |place| format!(", {}", sentence::place(place)));
    format!("cycle {}: {} by {by}{place}", change.cycle, what.join(", "))
}

/// Draws the rows of copies: a bar for each copy, and one bar for several copies that are too narrow or too many.
pub fn copies(paint: &mut Paint, layout: &Layout, timeline: &Timeline, detail: Detail) {
    let mut ctas: Vec<usize> = timeline.copies.iter().map(|copy| copy.cta).collect();
    ctas.sort_unstable();
    ctas.dedup();
    for cta in ctas {
        let Some(place) = layout.row(Key::Copies(cta)) else { continue };
        // Each lane has the bars of copies that do not overlap. What does not fit joins the last bar of the last lane.
        let mut lanes: Vec<Vec<Vec<&CopyInterval>>> = vec![];
        for copy in timeline.copies.iter().filter(|copy| copy.cta == cta) {
            let bar_end = |bar: &Vec<&CopyInterval>| bar.iter().map(|copy| copy.to).max().unwrap_or(0);
            let bar_width = |bar: &[&CopyInterval]| {
                let first = bar.first().map_or(0.0, |first| layout.x(first.from));
                bar.iter().map(|copy| layout.x(copy.to)).fold(0.0, f64::max) - first
            };
            let is_narrow = bar_width(&[copy]) < detail.merged;
            let free = lanes.iter().position(|lane| lane.last().is_none_or(|bar| bar_end(bar) <= copy.from));
            match free {
                Some(lane) => match lanes[lane].last_mut().filter(|bar| is_narrow && bar_width(bar) < detail.merged) {
                    Some(bar) => bar.push(copy),
                    None => lanes[lane].push(vec![copy]),
                },
                None if lanes.len() < MOST_LANES => lanes.push(vec![vec![copy]]),
                None => lanes[MOST_LANES - 1].last_mut().into_iter().for_each(|bar| bar.push(copy)),
            }
        }
        let height = (place.height - 4.0) / lanes.len().max(1) as f64;
        for (lane, bars) in lanes.iter().enumerate() {
            for bar in bars {
                let end = bar.iter().map(|copy| copy.to).max().unwrap_or(0);
                let x = layout.x(bar[0].from);
                let width = (layout.x(end) - x).max(0.5);
                let y = place.top + 2.0 + lane as f64 * height;
                let gap = if height > 3.0 { 0.6 } else { 0.0 };
                paint.titled_rect(&of_copies(bar), (x, y, width, height - gap), COPY, "");
            }
        }
    }
}

/// The copies of a bar as text.
fn of_copies(bar: &[&CopyInterval]) -> String {
    let each = |copy: &&CopyInterval| {
        let signals: Vec<String> = copy
            .signals
            .iter()
            .map(|(cta, name)| if *cta == copy.cta { name.to_string() } else { format!("{name} of CTA {cta}") })
            .collect();
        let signals = if signals.is_empty() { String::new() } else { format!(", signals {}", signals.join(", ")) };
        let bytes =
            if copy.bytes == 0 { "an arrival after copies".to_string() } else { format!("copy of {} bytes", copy.bytes) };
        let open = if copy.is_done { "" } else { ", not performed" };
        format!(
            "{bytes} by warp {}{signals}{open}\n{}\n{}",
            copy.warp,
            words::cycles(copy.from, copy.to),
            sentence::place(&copy.place)
        )
    };
    let mut lines: Vec<String> = bar.iter().take(MOST_COPIES).map(each).collect();
    if bar.len() > MOST_COPIES {
        lines.push(format!("and {} more copies", bar.len() - MOST_COPIES));
    }
    lines.join("\n")
}
