// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples of the colours and marks that occur in a picture, with their meanings.

use super::arrows::{look, Arrows};
use super::bars::fill;
use super::completed;
use super::layout::{Span, MARGIN};
use super::paint::{barrier, Font, Paint, CHARACTER, COPY, FAINT, INK, MBARRIER, PHASES};
use super::words;
use crate::report::{Report, Verdict};
use crate::timeline::{Interval, State, Timeline};
use std::collections::BTreeSet;

/// The size of the texts of a legend.
pub const FONT: f64 = 11.0;
/// The distance between lines of a legend.
pub const LINE: f64 = 18.0;
const LABEL: f64 = 10.0;
/// The width of a colour sample with the space after it.
const SWATCH: f64 = 28.0;

/// A run of the picture: its result, its intervals, its lines of endless waits, and the shown cycles.
type Shown<'a> = (&'a Report, &'a Timeline, &'a Arrows, Span);

/// The sample of a colour in the legend.
enum Sample {
    Fill(&'static str),
    Label(String),
    Completion,
    Fault,
    /// A wait at an mbarrier that timed out.
    TimeOut,
    /// The phases of an mbarrier.
    Phases,
    /// A mark in a phase: an arrival, or bytes alone.
    Change(bool),
    /// A line from waiting to missing warps; true for a circular wait.
    Wait(bool),
    /// The numbers of two executions.
    Order,
}

impl Sample {
    /// The width of the sample, including the space after it.
    fn width(&self) -> f64 {
        match self {
            Sample::Label(label) => label.chars().count() as f64 * LABEL * CHARACTER + 8.0,
            _ => SWATCH,
        }
    }

    fn draw(&self, paint: &mut Paint, (x, y): (f64, f64)) {
        let middle = y - 4.0;
        match self {
            Sample::Fill(fill) => paint.rect((x, y - 10.0, 20.0, 12.0), fill, ""),
            Sample::Label(label) => paint.words((x, y), Font::new(LABEL, INK), label),
            Sample::Completion => {
                paint.path(&[(x + 3.0, middle), (x + 17.0, middle)], INK, 1.5, "");
                paint.circle((x + 4.0, middle), 3.0, "#ffffff", INK);
                paint.circle((x + 17.0, middle), 2.2, INK, INK);
            }
            Sample::TimeOut => {
                paint.rect((x, y - 10.0, 20.0, 12.0), MBARRIER, "");
                paint.path(&[(x + 10.0, y - 10.0), (x + 10.0, y - 6.0)], "#ffffff", 1.0, "");
            }
            Sample::Phases => {
                paint.rect((x, y - 10.0, 10.0, 12.0), PHASES[0], "");
                paint.rect((x + 10.0, y - 10.0, 10.0, 12.0), PHASES[1], "");
            }
            Sample::Change(is_arrival) => {
                paint.rect((x, y - 10.0, 20.0, 12.0), PHASES[0], "");
                let low = if *is_arrival { y + 2.0 } else { y - 4.6 };
                paint.path(&[(x + 10.0, y - 10.0), (x + 10.0, low)], INK, 1.25, "");
            }
            Sample::Fault => paint.cross((x + 10.0, middle), 5.0),
            Sample::Wait(circle) => {
                let (stroke, width) = look(*circle);
                paint.path(&[(x + 5.0, middle), (x + 20.0, middle)], stroke, width, "");
                paint.arrow((x + 1.0, middle), 6.5, stroke);
            }
            Sample::Order => {
                paint.badge((x + 5.0, middle), 6.0, FAINT, 1);
                paint.badge((x + 18.0, middle), 6.0, FAINT, 2);
            }
        }
    }
}

/// The samples in each line of the legend, each with its text and width.
pub struct Samples(Vec<Vec<(Sample, String, f64)>>);

impl Samples {
    /// The samples of the runs of a picture, in lines that are at most `width` wide.
    pub fn new(runs: &[Shown], width: f64) -> Samples {
        Samples(lines(of_runs(runs), width))
    }

    /// As [`Samples::new`], with the numbers of two executions.
    pub fn with_order(runs: &[Shown], width: f64) -> Samples {
        let mut list = of_runs(runs);
        list.push((Sample::Order, "order in which the two operations take effect".to_string()));
        Samples(lines(list, width))
    }

    pub fn height(&self) -> f64 {
        LINE * self.0.len() as f64
    }

    /// Draws the samples; the base line of the first line is at `y`.
    pub fn draw(&self, paint: &mut Paint, mut y: f64) {
        for line in &self.0 {
            let mut x = MARGIN;
            for (sample, text, width) in line {
                sample.draw(paint, (x, y));
                paint.words((x + sample.width(), y), Font::new(FONT, FAINT), text);
                x += width;
            }
            y += LINE;
        }
    }
}

/// The samples of all runs, each once.
fn of_runs(runs: &[Shown]) -> Vec<(Sample, String)> {
    let mut list: Vec<(Sample, String)> = vec![];
    for sample in runs.iter().copied().flat_map(of_run) {
        if !list.iter().any(|(_, text)| *text == sample.1) {
            list.push(sample);
        }
    }
    list
}

/// The samples of one run.
fn of_run((report, timeline, arrows, span): Shown) -> Vec<(Sample, String)> {
    let intervals = || timeline.rows.iter().flat_map(|r| &r.intervals);
    let states = || intervals().map(|i| i.state);
    let ids: BTreeSet<u8> = states().filter_map(|s| if let State::Waiting(id) = s { Some(id) } else { None }).collect();
    let mut list = vec![];
    for (state, text) in [
        (State::Running, "running"),
        (State::Busy, "busy"),
        (State::Memory, "held for memory"),
        (State::Gathering, "waits for its other lanes"),
        (State::AtMbarrier, "waits at an mbarrier"),
        (State::AtCluster, "waits at the barrier of its cluster"),
        (State::AtGrid, "waits for the grids before its own"),
        (State::AtCopies, "waits for its asynchronous copies"),
        (State::Polling, "polls memory"),
        (State::Stopped, "stopped at a fault"),
        (State::Exited, "exited"),
    ] {
        if states().any(|s| s == state) {
            list.push((Sample::Fill(fill(state)), text.to_string()));
        }
    }
    list.extend(ids.iter().map(|id| (Sample::Fill(barrier(*id)), format!("waits at barrier {id}"))));
    if let Some(id) = ids.first() {
        list.push((Sample::Label(format!("{id} #2")), format!("barrier {id}, generation 2")));
    }
    let wait = intervals().filter_map(Interval::phase_wait).find(|wait| wait.phase.is_some());
    if let Some(name) = wait.map(|wait| words::short(&wait.object)) {
        list.push((Sample::Label(format!("{name} #2")), format!("mbarrier {name}, phase 2")));
    }
    if intervals().filter_map(Interval::phase_wait).any(|wait| wait.time_outs > 0) {
        list.push((Sample::TimeOut, "time-out of a wait".to_string()));
    }
    let changes = || timeline.objects.iter().flat_map(|object| &object.phases).flat_map(|phase| &phase.changes);
    if !timeline.objects.is_empty() {
        list.push((Sample::Phases, "phases of an mbarrier".to_string()));
    }
    if changes().any(|change| change.arrivals > 0) {
        list.push((Sample::Change(true), "arrival".to_string()));
    }
    if changes().any(|change| change.arrivals == 0) {
        list.push((Sample::Change(false), "bytes expected or completed".to_string()));
    }
    if !timeline.copies.is_empty() {
        list.push((Sample::Fill(COPY), "copy in flight".to_string()));
    }
    if !completed::all(report, timeline).is_empty() {
        list.push((Sample::Completion, "last arrival, release".to_string()));
    }
    if report.faults.iter().any(|fault| (span.from..=span.to).contains(&fault.cycle)) {
        list.push((Sample::Fault, "fault".to_string()));
    }
    let waits = if report.verdict == Verdict::Unfinished { "waits at the end for" } else { "waits for ever for" };
    for (circle, text) in [(false, waits), (true, "wait for each other")] {
        if arrows.has(circle) {
            list.push((Sample::Wait(circle), text.to_string()));
        }
    }
    list
}

/// Distributes samples over lines, with as many samples in a line as fit, each with its width.
fn lines(samples: Vec<(Sample, String)>, max_width: f64) -> Vec<Vec<(Sample, String, f64)>> {
    let mut lines: Vec<Vec<(Sample, String, f64)>> = vec![];
    let mut x = f64::MAX;
    for (sample, text) in samples {
        let width = sample.width() + text.chars().count() as f64 * FONT * CHARACTER + 16.0;
        if x + width > max_width {
            lines.push(vec![]);
            x = 0.0;
        }
        x += width;
        if let Some(line) = lines.last_mut() {
            line.push((sample, text, width));
        }
    }
    lines
}
