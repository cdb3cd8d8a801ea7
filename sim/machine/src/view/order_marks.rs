// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Marks of the executions whose order differs between two runs: numbers in the order of the run, in a colour for each execution.

use super::layout::{fits, Layout, MARGIN};
use super::paint::{shortened, Font, Paint, FAINT};
use super::rows::Key;
use super::samples::{FONT, LINE};
use crate::moments::Moment;
use crate::schedule_file::Execution;
use crate::sentence::place;
use crate::sentence::place::line;
use bcu_program::Place;

/// The colours of the two executions; no bar has one of them.
const COLOURS: [&str; 2] = ["#1d4ed8", "#a21caf"];
const RADIUS: f64 = 7.0;
/// The position of the texts next to the marks of the list.
const TEXT: f64 = 22.0;

/// One of the two executions whose order differs, in a run.
#[derive(Clone, Debug)]
pub struct Mark {
    pub execution: Execution,
    /// The location of its instruction.
    pub place: Place,
    /// When it takes effect in this run; `None` if it is not executed.
    pub moment: Option<Moment>,
}

/// A mark with its number in the run, and the colour of its execution.
#[derive(Clone, Copy)]
struct Numbered<'a> {
    mark: &'a Mark,
    number: usize,
    colour: &'static str,
}

/// Draws the list of marks, with the text of each instruction; the base line of the first line is at `y`.
pub fn list(paint: &mut Paint, marks: &[Mark; 2], mut y: f64, width: f64) {
    for Numbered { mark, number, colour } in numbered(marks) {
        let when = match mark.moment {
            Some(moment) if moment.has_effect() => format!("cycle {}", moment.cycle),
            Some(moment) => format!("issued in cycle {} without effect", moment.cycle),
            None => "not executed".to_string(),
        };
        paint.badge((MARGIN + RADIUS, y - 4.0), RADIUS, colour, number);
        let who = format!("warp {} of CTA {}, {when}, {}:", mark.execution.warp, mark.execution.cta, line(&mark.place));
        let text = shortened(&mark.place.text, fits(FONT, width).saturating_sub(who.chars().count() + 5));
        paint.labelled((MARGIN + TEXT, y), Font::new(FONT, FAINT), &who, &text);
        y += LINE;
    }
}

/// Draws each mark above the bar of its warp, with a line through all rows.
pub fn draw(paint: &mut Paint, layout: &Layout, marks: &[Mark; 2]) {
    let at = |mark: &Mark| {
        let row = layout.row(Key::Warp(mark.execution.cta, mark.execution.warp))?;
        let cycle = mark.moment?.cycle;
        Some(((layout.x(cycle) + layout.x(cycle + 1)) / 2.0, row.top + 3.0))
    };
    for Numbered { mark, colour, .. } in numbered(marks) {
        if let Some((x, _)) = at(mark) {
            let whole = [(x, layout.top), (x, layout.bottom)];
            paint.path(&whole, colour, 1.25, "stroke-dasharray=\"3 3\"");
        }
    }
    for Numbered { mark, number, colour } in numbered(marks) {
        if let Some(center) = at(mark) {
            let when = match mark.moment {
                Some(moment) if moment.has_effect() => format!("takes effect in cycle {}", moment.cycle),
                _ => "has no effect".to_string(),
            };
            let tooltip = format!("{number}: {when}\n{}", place(&mark.place));
            paint.group(&tooltip, |paint| paint.badge(center, RADIUS, colour, number));
        }
    }
}

/// The marks with their numbers, in the order in which the executions take effect.
fn numbered(marks: &[Mark; 2]) -> [Numbered<'_>; 2] {
    let [first, second] = marks;
    let is_swapped = match (first.moment, second.moment) {
        (Some(first), Some(second)) => second < first,
        (first, second) => first.is_none() && second.is_some(),
    };
    let of = |mark, number, colour| Numbered { mark, number, colour };
    if is_swapped {
        [of(second, 1, COLOURS[1]), of(first, 2, COLOURS[0])]
    } else {
        [of(first, 1, COLOURS[0]), of(second, 2, COLOURS[1])]
    }
}
