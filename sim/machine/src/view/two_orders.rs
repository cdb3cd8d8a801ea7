// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two runs of a launch in one picture, one above the other with the same time axis, and the two executions whose order differs.

use super::arrows::Arrows;
use super::detail::{drawn, Detail};
use super::layout::{first_launch, fits, Layout, Span, MARGIN};
use super::legend::{draw_headline, headline, notes, verdict};
pub use super::order_marks::Mark;
use super::paint::{shortened, Font, Paint, ALARM};
use super::rows::{select, Selection};
use super::samples::{Samples, FONT, LINE};
use super::title::Title;
use super::{order_marks, plot};
use crate::report::{Report, Verdict};
use crate::timeline::Timeline;
use crate::window::Window;

/// A run with more rows shows only the CTAs of the marked executions.
const MOST_ROWS: usize = 32;

/// A run in the picture.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The name of the run, such as `this run`.
    pub name: &'a str,
    /// What the run does and the other one does not, a verb phrase; empty for the run with which the other one is compared.
    pub differs: &'a str,
    /// Errors and results of the run that the other one does not have, one line each.
    pub details: &'a [String],
    pub report: &'a Report,
    pub timeline: &'a Timeline,
    /// The same executions in the same order for both runs; the numbers in the picture are in the order of the run.
    pub marks: &'a [Mark; 2],
}

/// The size of the heading of a run.
const HEADING: f64 = 13.0;

/// The picture of two runs.
pub fn svg(title: &Title, runs: [Run; 2]) -> String {
    let selections = runs.map(|run| selected(&run));
    let rows = selections.iter().map(|selection| selection.timeline.rows.len()).sum();
    drawn(rows, |detail| picture(title, &runs, &selections, detail))
}

fn picture(title: &Title, runs: &[Run; 2], selections: &[Selection; 2], detail: Detail) -> String {
    let timelines = selections.each_ref().map(|selection| &selection.timeline);
    let shown = || runs.iter().zip(timelines);
    let arrows: Vec<Arrows> = shown().map(|(run, timeline)| Arrows::new(run.report, timeline)).collect();
    let right_width = arrows.iter().map(Arrows::width).fold(0.0, f64::max);
    let first = timelines.into_iter().map(first_launch).min().unwrap_or(0);
    let end = shown().map(|(run, timeline)| last_shown(run.report, timeline, run.marks)).max().unwrap_or(0);
    let span = Span::from_to(first, end, right_width);
    let width = span.width();
    let of_runs: Vec<_> = shown().zip(&arrows).map(|((run, timeline), arrows)| (run.report, timeline, arrows, span)).collect();
    let samples = Samples::with_order(&of_runs, width - 2.0 * MARGIN);
    let headings: Vec<Heading> = runs
        .iter()
        .zip(selections)
        .zip(&arrows)
        .map(|((run, selection), arrows)| Heading::new(run, (selection, arrows, span.to), width))
        .collect();
    let mut layouts: Vec<Layout> = vec![];
    for (heading, timeline) in headings.iter().zip(timelines) {
        let top = layouts.last().map_or(48.0 + samples.height(), |above| above.height + 12.0);
        layouts.push(Layout::new(span, timeline, top + heading.height()));
    }
    let mut paint = Paint::new(width, layouts.last().map_or(0.0, |layout| layout.height));
    draw_headline(&mut paint, &headline(title, runs[0].report, width));
    samples.draw(&mut paint, 46.0);
    for (((run, heading), layout), (report, timeline, arrows, _)) in runs.iter().zip(&headings).zip(&layouts).zip(&of_runs) {
        heading.draw(&mut paint, layout, run.marks);
        plot(&mut paint, layout, (report, timeline, arrows), (detail, true));
        order_marks::draw(&mut paint, layout, run.marks);
    }
    paint.finish()
}

/// The lines above the rows of a run.
struct Heading {
    title: (String, &'static str),
    notes: Vec<String>,
}

impl Heading {
    fn new(run: &Run, (selection, arrows, shown_to): (&Selection, &Arrows, u64), width: f64) -> Heading {
        let report = run.report;
        let (verdict, colour) = verdict(report);
        let mut verdict = match report.verdict {
            Verdict::Hung if !run.differs.is_empty() => format!("no further change is possible after {} cycles", report.cycles),
            _ => verdict,
        };
        if shown_to < report.cycles {
            verdict += &format!(", shown up to cycle {shown_to}");
        }
        let (gap, colour) = if run.differs.is_empty() { ("", colour) } else { ("; ", ALARM) };
        let title = format!("{}: {}{gap}{verdict}", run.name, run.differs);
        let mut lines: Vec<String> = run.details.iter().flat_map(|detail| wrapped(detail, fits(FONT, width))).collect();
        let hidden = run.timeline.rows.len() - selection.timeline.rows.len() - selection.hidden_warps;
        if hidden > 0 {
            lines.push(format!("{hidden} warps of CTAs without a mark are not shown"));
        }
        lines.extend(notes(report, selection, arrows));
        Heading { title: (title, colour), notes: lines }
    }

    fn height(&self) -> f64 {
        HEADING + 8.0 + LINE * (self.notes.len() + 2) as f64
    }

    fn draw(&self, paint: &mut Paint, layout: &Layout, marks: &[Mark; 2]) {
        let mut y = layout.heading_bottom() - self.height() + HEADING;
        paint.words(
            (MARGIN, y),
            Font::new(HEADING, self.title.1).bold(),
            &shortened(&self.title.0, fits(HEADING, layout.width)),
        );
        y += LINE;
        for note in &self.notes {
            paint.words((MARGIN, y), Font::new(FONT, ALARM), &shortened(note, fits(FONT, layout.width)));
            y += LINE;
        }
        order_marks::list(paint, marks, y, layout.width);
    }
}

/// The text in at most two lines.
fn wrapped(text: &str, fits: usize) -> Vec<String> {
    let break_at = text.char_indices().nth(fits).and_then(|(most, _)| text[..most].rfind(' '));
    match break_at {
        Some(at) => vec![text[..at].to_string(), format!("  {}", &text[at + 1..])],
        None => vec![text.to_string()],
    }
}

/// The rows to show: those of warps; of many, those of the CTAs of the marked executions.
fn selected(run: &Run) -> Selection {
    let mut selected = run.timeline.clone();
    if selected.rows.len() > MOST_ROWS {
        selected.rows.retain(|row| run.marks.iter().any(|mark| mark.execution.cta == row.cta));
    }
    selected.objects.clear();
    selected.copies.clear();
    select(run.report, &selected, &Window::default())
}

/// The end of what the picture shows of a run: some cycles after the last change of a warp, and after the marked executions.
fn last_shown(report: &Report, timeline: &Timeline, marks: &[Mark; 2]) -> u64 {
    let changes = timeline.rows.iter().filter_map(|row| Some(row.intervals.last()?.from));
    let last = changes.chain(marks.iter().filter_map(|mark| Some(mark.moment?.cycle))).max().unwrap_or(0);
    report.cycles.min(last + last.saturating_sub(first_launch(timeline)) / 6 + 20)
}
