// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The title, the notes, and the legend with the colours that occur in the picture.

use super::arrows::{look, Arrows};
use super::layout::{MARGIN, MAX_ROWS};
use super::paint::{
    barrier, shortened, Font, Paint, ALARM, BUSY, CHARACTER, CLUSTER, DEPENDENT, EXITED, FAINT, GATHERING, INK, MEMORY,
    RUNNING, STOPPED,
};
use super::title::Title;
use crate::report::{Report, Verdict};
use crate::timeline::{State, Timeline, MAX_INTERVALS};
use std::collections::BTreeSet;

/// The sample of a colour in the legend.
enum Sample {
    Fill(&'static str),
    Label(String),
    Completion,
    Fault,
    /// A line from waiting to missing warps; true for a circular wait.
    Wait(bool),
}

impl Sample {
    /// The width of the sample, including the space after it.
    fn width(&self) -> f64 {
        match self {
            Sample::Label(label) => label.chars().count() as f64 * LABEL * CHARACTER + 8.0,
            _ => SWATCH,
        }
    }
}

/// The title, the verdict, the notes, and the samples of colours.
pub struct Legend {
    title: String,
    verdict: (String, &'static str),
    notes: Vec<String>,
    /// The samples in each line of the legend.
    samples: Vec<Vec<(Sample, String, f64)>>,
}

const TITLE: f64 = 15.0;
const FONT: f64 = 11.0;
const LABEL: f64 = 10.0;
/// The width of a colour sample with the space after it.
const SWATCH: f64 = 28.0;
const LINE: f64 = 18.0;

impl Legend {
    pub fn new(title: &Title, report: &Report, timeline: &Timeline, arrows: &Arrows, width: f64) -> Legend {
        let verdict = match report.verdict {
            Verdict::Completed => (format!("completed after {} cycles", report.cycles), "#15803d"),
            Verdict::Fault => (format!("{} faults, ended after {} cycles", report.faults.len(), report.cycles), ALARM),
            Verdict::Unfinished if report.is_interrupted() => {
                (format!("unfinished: interrupted after {} cycles", report.cycles), ALARM)
            }
            Verdict::Unfinished => (format!("unfinished: stopped at the limit of {} cycles", report.cycles), ALARM),
            Verdict::Stopped => (format!("stopped by its program after {} cycles", report.cycles), ALARM),
            Verdict::Hung => (format!("hung: no further change is possible after {} cycles", report.cycles), ALARM),
        };
        let mut notes = vec![];
        if timeline.rows.len() > MAX_ROWS {
            notes.push(format!("the first {MAX_ROWS} of {} warps are shown", timeline.rows.len()));
        }
        if let Some(cycle) = timeline.stopped {
            notes.push(format!("shown up to cycle {cycle} only: the whole run has more than {MAX_INTERVALS} intervals"));
        }
        if let Some(hang) = report.hang.as_ref().filter(|h| h.not_launched > 0) {
            notes.push(format!(
                "{} CTAs were not launched: no CTA slot became free, or the prerequisite grid has neither executed launch_dependents nor ended",
                hang.not_launched
            ));
        }
        if arrows.left_out > 0 {
            notes.push(format!("the arrows of {} more barriers are not drawn", arrows.left_out));
        }
        let title = format!("{} on {} (policy {}, seed {})", title.program, title.config, report.policy, report.seed);
        let text_width = width - 2.0 * MARGIN;
        let title = shortened(&title, (text_width / (TITLE * CHARACTER)) as usize);
        Legend { title, verdict, notes, samples: lines(samples(report, timeline, arrows), text_width) }
    }

    pub fn height(&self) -> f64 {
        54.0 + LINE * (self.notes.len() + self.samples.len()) as f64
    }

    pub fn draw(&self, paint: &mut Paint) {
        paint.words((MARGIN, 24.0), Font::new(TITLE, INK).bold(), &self.title);
        paint.words((MARGIN, 43.0), Font::new(12.5, self.verdict.1).bold(), &self.verdict.0);
        let mut y = 62.0;
        for note in &self.notes {
            paint.words((MARGIN, y), Font::new(FONT, ALARM), note);
            y += LINE;
        }
        for line in &self.samples {
            let mut x = MARGIN;
            for (sample, text, width) in line {
                let middle = y - 4.0;
                match sample {
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
                }
                paint.words((x + sample.width(), y), Font::new(FONT, FAINT), text);
                x += width;
            }
            y += LINE;
        }
    }
}

fn samples(report: &Report, timeline: &Timeline, arrows: &Arrows) -> Vec<(Sample, String)> {
    let states = || timeline.rows.iter().flat_map(|r| &r.intervals).map(|i| i.state);
    let ids: BTreeSet<u8> = states().filter_map(|s| if let State::Waiting(id) = s { Some(id) } else { None }).collect();
    let mut list = vec![];
    for (state, fill, text) in [
        (State::Running, RUNNING, "running"),
        (State::Busy, BUSY, "busy"),
        (State::Memory, MEMORY, "held for memory"),
        (State::Gathering, GATHERING, "waits for its other lanes"),
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
    if !report.faults.is_empty() {
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
