// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The title, the verdict, the notes, and the samples of the colours that occur in the picture.

use super::arrows::Arrows;
use super::layout::{Span, MARGIN};
use super::paint::{shortened, Font, Paint, ALARM, CHARACTER, INK};
use super::rows::Selection;
use super::samples::{Samples, FONT, LINE};
use super::title::Title;
use crate::report::{Report, Verdict};
use crate::timeline::MAX_INTERVALS;
use crate::window::Window;

/// The title, the verdict, the notes, and the samples of colours.
pub struct Legend {
    title: String,
    verdict: (String, &'static str),
    notes: Vec<String>,
    samples: Samples,
}

const TITLE: f64 = 15.0;

impl Legend {
    pub fn new(
        title: &Title,
        (report, selection): (&Report, &Selection),
        window: &Window,
        arrows: &Arrows,
        span: Span,
    ) -> Legend {
        let width = span.width();
        let samples = Samples::new(&[(report, &selection.timeline, arrows, span)], width - 2.0 * MARGIN);
        let (mut verdict, notes) = (verdict(report), notes(report, selection, arrows));
        if *window != Window::default() {
            verdict.0 += &format!("; cycles {} to {}", window.from, span.to - 1);
        }
        Legend { title: headline(title, report, width), verdict, notes, samples }
    }

    pub fn height(&self) -> f64 {
        54.0 + LINE * self.notes.len() as f64 + self.samples.height()
    }

    pub fn draw(&self, paint: &mut Paint) {
        draw_headline(paint, &self.title);
        paint.words((MARGIN, 43.0), Font::new(12.5, self.verdict.1).bold(), &self.verdict.0);
        let mut y = 62.0;
        for note in &self.notes {
            paint.words((MARGIN, y), Font::new(FONT, ALARM), note);
            y += LINE;
        }
        self.samples.draw(paint, y);
    }
}

/// The title as text that fits into a picture of width `width`.
pub fn headline(title: &Title, report: &Report, width: f64) -> String {
    let text = format!("{} on {} (policy {}, seed {})", title.program, title.config, report.policy, report.seed);
    shortened(&text, ((width - 2.0 * MARGIN) / (TITLE * CHARACTER)) as usize)
}

pub fn draw_headline(paint: &mut Paint, text: &str) {
    paint.words((MARGIN, 24.0), Font::new(TITLE, INK).bold(), text);
}

/// How the run ended, and the colour of this text.
pub fn verdict(report: &Report) -> (String, &'static str) {
    match report.verdict {
        Verdict::Completed => (format!("completed after {} cycles", report.cycles), "#15803d"),
        Verdict::Fault => (format!("{} faults, ended after {} cycles", report.faults.len(), report.cycles), ALARM),
        Verdict::Unfinished if report.is_interrupted() => {
            (format!("unfinished: interrupted after {} cycles", report.cycles), ALARM)
        }
        Verdict::Unfinished => (format!("unfinished: stopped at the limit of {} cycles", report.cycles), ALARM),
        Verdict::Stopped => (format!("stopped by its program after {} cycles", report.cycles), ALARM),
        Verdict::Hung => (format!("hung: no further change is possible after {} cycles", report.cycles), ALARM),
    }
}

/// What the picture leaves out.
pub fn notes(report: &Report, selection: &Selection, arrows: &Arrows) -> Vec<String> {
    let Selection { timeline, hidden_warps, hidden_objects } = selection;
    let mut notes = vec![];
    if *hidden_warps > 0 {
        let (shown, all) = (timeline.rows.len(), timeline.rows.len() + hidden_warps);
        notes.push(format!(
            "{shown} of {all} warps are shown, CTAs that hang or have a fault first; a window of cycles shows others"
        ));
    }
    if *hidden_objects > 0 {
        notes.push(format!("{hidden_objects} more mbarriers have no row"));
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
    notes
}
