// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples of the colours and marks that occur in a picture, with their meanings.

use super::arrows::{look, Arrows};
use super::layout::MARGIN;
use super::paint::{
    barrier, Font, Paint, BUSY, CHARACTER, CLUSTER, DEPENDENT, EXITED, FAINT, GATHERING, INK, MBARRIER, MEMORY, RUNNING,
    STOPPED,
};
use crate::report::Report;
use crate::timeline::{State, Timeline};
use std::collections::BTreeSet;

/// The size of the texts of a legend.
pub const FONT: f64 = 11.0;
/// The distance between lines of a legend.
pub const LINE: f64 = 18.0;
const LABEL: f64 = 10.0;
/// The width of a colour sample with the space after it.
const SWATCH: f64 = 28.0;

/// A run of the picture: its result, its intervals, its lines of endless waits, and the end of what is shown of it.
type Shown<'a> = (&'a Report, &'a Timeline, &'a Arrows, u64);

/// The sample of a colour in the legend.
enum Sample {
    Fill(&'static str),
    Label(String),
    Completion,
    Fault,
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
fn of_run((report, timeline, arrows, end): Shown) -> Vec<(Sample, String)> {
    let states = || timeline.rows.iter().flat_map(|r| &r.intervals).map(|i| i.state);
    let ids: BTreeSet<u8> = states().filter_map(|s| if let State::Waiting(id) = s { Some(id) } else { None }).collect();
    let mut list = vec![];
    for (state, fill, text) in [
        (State::Running, RUNNING, "running"),
        (State::Busy, BUSY, "busy"),
        (State::Memory, MEMORY, "held for memory"),
        (State::Gathering, GATHERING, "waits for its other lanes"),
        (State::AtMbarrier, MBARRIER, "waits at an mbarrier"),
        (State::AtCluster, CLUSTER, "waits at the barrier of its cluster"),
        (State::AtGrid, DEPENDENT, "waits for the grids before its own"),
        (State::Stopped, STOPPED, "stopped at a fault"),
        (State::Exited, EXITED, "exited"),
    ] {
        if states().any(|s| s == state) {
            list.push((Sample::Fill(fill), text.to_string()));
        }
    }
    list.extend(ids.iter().map(|id| (Sample::Fill(barrier(*id)), format!("waits at barrier {id}"))));
    if let Some(id) = ids.first() {
        list.push((Sample::Label(format!("{id} #2")), format!("barrier {id}, generation 2")));
    }
    if !report.generations.is_empty() || !report.phases.is_empty() {
        list.push((Sample::Completion, "last arrival, release".to_string()));
    }
    if report.faults.iter().any(|fault| fault.cycle <= end) {
        list.push((Sample::Fault, "fault".to_string()));
    }
    for (circle, text) in [(false, "waits for ever for"), (true, "wait for each other")] {
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
