// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bars of the warps; bars that are too short to be visible are merged with their neighbours.

use super::detail::Detail;
use super::endless::Waits;
use super::layout::{Layout, Place};
use super::paint::{
    barrier, Anchor, Font, Paint, ALARM, BUSY, CHARACTER, CLUSTER, COPIES, DEPENDENT, EXITED, GATHERING, INK, MBARRIER, MEMORY,
    POLLING, RUNNING, STOPPED,
};
use super::rows::Key;
use super::words;
use crate::report::Report;
use crate::sentence;
use crate::timeline::{Interval, Row, State, Timeline};

/// The smallest distance between marks of time-outs, in pixels.
const TIME_OUTS: f64 = 4.0;

/// The height of a block of two colours, as a part of the height of its row.
const MERGED_HEIGHT: f64 = 0.64;
/// A block has a second colour if the second state has at least this part of its cycles.
const SECOND: u64 = 32;

const LABEL: f64 = 10.0;

pub fn draw(paint: &mut Paint, layout: &Layout, (report, timeline): (&Report, &Timeline), detail: Detail) {
    let waits = Waits::new(report);
    for row in &timeline.rows {
        let Some(place) = layout.row(Key::Warp(row.cta, row.warp)) else { continue };
        let width = |i: &Interval| layout.x(i.to) - layout.x(i.from);
        let mut narrow: Vec<&Interval> = vec![];
        for interval in &row.intervals {
            let gathered = narrow.first().map_or(0.0, |first| layout.x(interval.from) - layout.x(first.from));
            let alone = width(interval) >= detail.least || waits.why_endless(row, interval).is_some();
            if alone || gathered >= detail.merged {
                several(paint, layout, place, (row, &narrow, report), &waits);
                narrow.clear();
            }
            if alone {
                single(paint, layout, place, (row, interval, report), &waits);
            } else {
                narrow.push(interval);
            }
        }
        several(paint, layout, place, (row, &narrow, report), &waits);
    }
}

/// Draws narrow bars: a single one as it is, several as one block.
fn several(
    paint: &mut Paint,
    layout: &Layout,
    place: Place,
    (row, narrow, report): (&Row, &[&Interval], &Report),
    waits: &Waits,
) {
    match narrow {
        [interval] => single(paint, layout, place, (row, interval, report), waits),
        _ => merged(paint, layout, place, narrow),
    }
}

/// Draws the bar of one interval, with a tooltip and, if the bar is wide enough, a label.
fn single(
    paint: &mut Paint,
    layout: &Layout,
    place: Place,
    (row, interval, report): (&Row, &Interval, &Report),
    waits: &Waits,
) {
    let (x, width) = (layout.x(interval.from), layout.x(interval.to) - layout.x(interval.from));
    // Bars that are wide enough get a thin gap after them.
    let width = if width > 4.0 { width - 0.6 } else { width };
    let waiting = if let State::Waiting(id) = interval.state { Some(id) } else { None };
    let number = waiting.and_then(|id| waits.number(row, id, interval.from));
    let endless = waits.why_endless(row, interval);
    let mut lines = vec![words::heading(interval, number), words::cycles(interval.from, interval.to)];
    lines.push(sentence::place(&interval.first));
    if interval.last != interval.first {
        lines.push(format!("to {}", sentence::place(&interval.last)));
    }
    lines.extend(interval.awaited.iter().flat_map(|awaited| words::outcome(awaited)));
    if interval.state == State::AtGrid {
        lines.extend(grids_before(row, report));
    }
    lines.extend(endless.map(|why| format!("for ever: {why}")));
    let more = if endless.is_some() { format!("stroke=\"{ALARM}\" stroke-width=\"1.5\"") } else { String::new() };
    let shape = bar(place, interval.state, x, width);
    let label = match waiting {
        Some(id) => Some(number.map_or(format!("{id}"), |number| format!("{id} #{number}"))),
        None => words::label(interval),
    };
    let size = LABEL.min(place.height * 0.62);
    let fits = |label: &String| label.chars().count() as f64 * size * CHARACTER + 8.0 <= width;
    let label = label.filter(fits);
    let timed_out = time_outs(layout, interval);
    let Some(label) = label.map(Some).or((!timed_out.is_empty()).then_some(None)) else {
        return paint.titled_rect(&lines.join("\n"), shape, fill(interval.state), &more);
    };
    paint.group(&lines.join("\n"), |paint| {
        paint.rect(shape, fill(interval.state), &more);
        for x in timed_out {
            paint.path(&[(x, shape.1), (x, shape.1 + shape.3 * 0.3)], "#ffffff", 1.0, "");
        }
        if let Some(label) = label {
            let colour = if waiting.is_some() { INK } else { "#ffffff" };
            let font = Font::new(size, colour).anchored(Anchor::Middle);
            paint.words((x + width / 2.0, place.middle() + size * 0.36), font, &label);
        }
    });
}

/// The x coordinates at which waits of an interval timed out, if they can be distinguished.
fn time_outs(layout: &Layout, interval: &Interval) -> Vec<f64> {
    let Some(wait) = interval.phase_wait().filter(|wait| wait.timed_out.len() as u64 == wait.time_outs) else {
        return vec![];
    };
    let xs: Vec<f64> = wait.timed_out.iter().filter(|cycle| layout.shows(**cycle)).map(|cycle| layout.x(*cycle)).collect();
    let is_wide = xs.windows(2).all(|pair| pair[1] - pair[0] >= TIME_OUTS);
    if is_wide {
        xs
    } else {
        vec![]
    }
}

/// The grids before the grid of a warp, one line each.
fn grids_before(row: &Row, report: &Report) -> Vec<String> {
    let before = report.grids.iter().filter(|grid| grid.grid < row.grid);
    let line = |grid: &crate::report::GridTotal| {
        let ended = grid.ended.map_or("has not ended".to_string(), |cycle| format!("ended in cycle {cycle}"));
        format!("grid {} ({}) {ended}", grid.grid, grid.kernel)
    };
    before.map(line).collect()
}

/// Draws several narrow bars as one block in the colours of the one or two states with the most cycles. The tooltip has the share of each
/// state.
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
    let total: u64 = shares.iter().map(|(_, cycles)| cycles).sum();
    let part = |(state, cycles): &(State, u64)| format!("{} {}", words::percent(*cycles, total), words::state(*state, None));
    let parts: Vec<String> = shares.iter().map(part).collect();
    let intervals = if narrow.len() == 1 { String::new() } else { format!(", {} intervals", narrow.len()) };
    let tooltip = format!("{}{intervals}\n{}", words::cycles(first.from, last.to), parts.join("\n"));
    let (x, width) = (layout.x(first.from), (layout.x(last.to) - layout.x(first.from)).max(0.5));
    let (state, most) = shares[0];
    // Beside a state of a running warp only a wait is shown, and beside a wait any state but the exit.
    let is_shown = |other: State| other != State::Exited && (is_wait(other) || is_wait(state));
    let second = shares[1..].iter().find(|(other, cycles)| is_shown(*other) && cycles * SECOND >= total);
    let Some((second, cycles)) = second else {
        return paint.titled_rect(&tooltip, bar(place, state, x, width), fill(state), "");
    };
    // The second state has its share of the height below the first one.
    let (height, part) = (place.height * MERGED_HEIGHT, most as f64 / (most + cycles) as f64);
    let top = place.middle() - height / 2.0;
    paint.group(&tooltip, |paint| {
        paint.rect((x, top, width, height * part), fill(state), "");
        paint.rect((x, top + height * part, width, height * (1.0 - part)), fill(*second), "");
    });
}

/// Whether the bar of a state is as high as that of a wait.
fn is_wait(state: State) -> bool {
    !matches!(state, State::Running | State::Busy | State::Memory | State::Exited)
}

fn bar(place: Place, state: State, x: f64, width: f64) -> (f64, f64, f64, f64) {
    let thin = match state {
        State::Running | State::Busy | State::Memory => place.height * 0.36,
        State::Exited => 2.0,
        _ => place.height * 0.8,
    };
    (x, place.middle() - thin / 2.0, width, thin)
}

/// The colour of a state.
pub fn fill(state: State) -> &'static str {
    match state {
        State::Running => RUNNING,
        State::Busy => BUSY,
        State::Memory => MEMORY,
        State::Gathering => GATHERING,
        State::Waiting(id) => barrier(id),
        State::AtMbarrier => MBARRIER,
        State::AtCluster => CLUSTER,
        State::AtGrid => DEPENDENT,
        State::AtCopies => COPIES,
        State::Polling => POLLING,
        State::Stopped => STOPPED,
        State::Exited => EXITED,
    }
}
