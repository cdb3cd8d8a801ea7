// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Positions in the picture: rows of warps below a line for their CTA, cycles from left to right, ticks.

use super::paint::{shortened, Anchor, Font, Paint, CHARACTER, FAINT, GRID, INK};
use super::rows::{keys, Key};
use super::words;
use crate::report::Report;
use crate::timeline::Timeline;
use crate::window::Window;
use crate::WarpIdentity;
use bcu_program::launch::kernel_title;
use std::collections::HashMap;

/// The width, in pixels, of the names to the left of the plot.
pub const GUTTER: f64 = 176.0;
/// The margin at the left edge, and to the right of the plot.
pub const MARGIN: f64 = 14.0;
/// The height of the line above the warps of a CTA.
const CTA_LINE: f64 = 20.0;
/// The height of the numbers of an axis.
const AXIS: f64 = 26.0;

/// The position of a row in the picture.
#[derive(Clone, Copy)]
pub struct Place {
    pub top: f64,
    pub height: f64,
}

impl Place {
    pub fn middle(&self) -> f64 {
        self.top + self.height / 2.0
    }
}

/// The cycles that the picture shows, and their width in pixels.
#[derive(Clone, Copy)]
pub struct Span {
    pub from: u64,
    pub to: u64,
    tick_spacing: u64,
    plot: f64,
    /// The width to the right of the plot.
    right_width: f64,
}

impl Span {
    pub fn new(report: &Report, timeline: &Timeline, window: &Window, right_width: f64) -> Span {
        let end = window.to.map_or(report.cycles, |end| end.min(report.cycles));
        if window.from == 0 {
            return Span::from_to(first_launch(timeline), end, right_width);
        }
        let to = end.max(window.from + 1);
        Span::exactly(window.from, to, tick_spacing(to - window.from), right_width)
    }

    /// The cycles from `first`, or from the tick before it, to before `end`.
    pub fn from_to(first: u64, end: u64, right_width: f64) -> Span {
        let to = end.max(first + 1);
        let tick_spacing = tick_spacing(to - first);
        Span::exactly(first - first % tick_spacing, to, tick_spacing, right_width)
    }

    fn exactly(from: u64, to: u64, tick_spacing: u64, right_width: f64) -> Span {
        Span { from, to, tick_spacing, plot: ((to - from) as f64 * 24.0).clamp(560.0, 1000.0), right_width }
    }

    /// The width of the whole picture.
    pub fn width(&self) -> f64 {
        GUTTER + self.plot + self.right_width + 2.0 * MARGIN
    }
}

/// The positions of all rows of a picture.
pub struct Layout {
    pub width: f64,
    pub height: f64,
    /// The y coordinate of the upper edge of the plot, in pixels.
    pub top: f64,
    /// The y coordinate of the lower edge of the plot, in pixels.
    pub bottom: f64,
    /// The cycles that the plot shows.
    span: Span,
    rows: HashMap<Key, Place>,
    /// The headings of the CTAs, with their positions.
    ctas: Vec<(usize, Place)>,
}

impl Layout {
    /// Places the rows below `top`, the height of title and legend.
    pub fn new(span: Span, timeline: &Timeline, top: f64) -> Layout {
        let (height, of_object, of_cta) = match timeline.rows.len() {
            0..=16 => (22.0, 16.0, CTA_LINE),
            17..=64 => (15.0, 13.0, CTA_LINE),
            _ => (11.0, 10.0, 15.0),
        };
        let (mut rows, mut ctas) = (HashMap::new(), vec![]);
        let mut y = top + AXIS;
        for key in keys(timeline) {
            let (cta, height) = match key {
                Key::Warp(cta, _) => (cta, height),
                Key::Object(cta, _) | Key::Copies(cta) => (cta, of_object),
            };
            if ctas.last().is_none_or(|(last, _)| *last != cta) {
                ctas.push((cta, Place { top: y, height: of_cta }));
                y += of_cta;
            }
            rows.insert(key, Place { top: y, height });
            y += height;
        }
        let bottom = y + 4.0;
        Layout { width: span.width(), height: bottom + AXIS, top: top + AXIS, bottom, span, rows, ctas }
    }

    /// The y coordinate of the lower edge of title and legend.
    pub fn heading_bottom(&self) -> f64 {
        self.top - AXIS
    }

    /// The cycle after the last shown cycle.
    pub fn end(&self) -> u64 {
        self.span.to
    }

    /// The x coordinate of the left edge of a cycle.
    pub fn x(&self, cycle: u64) -> f64 {
        let Span { from, to, plot, .. } = self.span;
        GUTTER + MARGIN + plot * (cycle.clamp(from, to) - from) as f64 / (to - from) as f64
    }

    /// Whether a cycle is shown.
    pub fn shows(&self, cycle: u64) -> bool {
        (self.span.from..=self.span.to).contains(&cycle)
    }

    pub fn row(&self, key: Key) -> Option<Place> {
        self.rows.get(&key).copied()
    }

    /// The heading of a CTA.
    pub fn cta(&self, cta: usize) -> Option<Place> {
        self.ctas.iter().find(|(c, _)| *c == cta).map(|(_, place)| *place)
    }

    /// Draws the axes, the grid and the names of the rows.
    pub fn draw(&self, paint: &mut Paint, timeline: &Timeline) {
        let number = Font::new(11.0, FAINT).anchored(Anchor::Middle);
        let Span { from, to, tick_spacing, .. } = self.span;
        let (left_edge, right_edge) = (self.x(from), self.x(to));
        let mut cycle = from.next_multiple_of(tick_spacing);
        while cycle <= to {
            let x = self.x(cycle);
            paint.path(&[(x, self.top), (x, self.bottom)], GRID, 1.0, "");
            // A number at the right edge must not be cut.
            let half_width = cycle.to_string().len() as f64 * 11.0 * CHARACTER / 2.0;
            for y in [self.top - 7.0, self.bottom + 16.0] {
                paint.words((x.min(self.width - half_width - 2.0), y), number, &cycle.to_string());
            }
            cycle += tick_spacing;
        }
        paint.words((MARGIN, self.top - 7.0), Font::new(11.0, FAINT), "cycle");
        for (cta, place) in &self.ctas {
            let size = place.height * 0.6;
            paint.words((MARGIN, place.top + place.height * 0.7), Font::new(size, INK).bold(), &self.cta_name(*cta, timeline));
            paint.path(&[(MARGIN, place.top + 0.5), (right_edge, place.top + 0.5)], "#c4c9d0", 1.0, "");
        }
        paint.path(&[(left_edge, self.bottom), (right_edge, self.bottom)], "#c4c9d0", 1.0, "");
        for row in &timeline.rows {
            let program = kernel_title(&row.program);
            let role = WarpIdentity::new(row.cta, row.warp, &program).role;
            let name = role.map_or(format!("warp {}", row.warp), |role| format!("{:2} {role}", row.warp));
            let tooltip = format!("CTA {}, warp {}: {program}", row.cta, row.warp);
            self.name(paint, Key::Warp(row.cta, row.warp), (name.trim_end(), &tooltip), INK);
        }
        for object in &timeline.objects {
            let tooltip = format!("CTA {}, {}", object.cta, object.name);
            self.name(paint, Key::Object(object.cta, object.name.address), (&words::short(&object.name), &tooltip), FAINT);
        }
        for (cta, _) in &self.ctas {
            self.name(paint, Key::Copies(*cta), ("copies", &format!("the asynchronous copies of CTA {cta}")), FAINT);
        }
    }

    /// The name of a CTA, with its grid if there are several.
    fn cta_name(&self, cta: usize, timeline: &Timeline) -> String {
        let grid = |row: &&crate::timeline::Row| (row.cta == cta).then_some(row.grid);
        let has_several = timeline.rows.windows(2).any(|pair| pair[0].grid != pair[1].grid);
        let grid = timeline.rows.iter().find_map(|row| grid(&row)).filter(|_| has_several);
        grid.map_or(format!("CTA {cta}"), |grid| format!("CTA {cta}, grid {grid}"))
    }

    /// Draws the name of a row.
    fn name(&self, paint: &mut Paint, key: Key, (name, tooltip): (&str, &str), colour: &'static str) {
        let Some(place) = self.row(key) else { return };
        let is_warp = matches!(key, Key::Warp(..));
        let size = if is_warp && place.height > 20.0 { 12.0 } else { (place.height * 0.7).min(10.5) };
        let indent = if is_warp { 8.0 } else { 22.0 };
        let max_characters = ((GUTTER - 8.0 - indent) / (size * CHARACTER)) as usize;
        paint.group(tooltip, |paint| {
            paint.rect((MARGIN, place.top, GUTTER - 8.0, place.height), "#ffffff", "");
            let base = place.middle() + size * 0.36;
            paint.words((MARGIN + indent, base), Font::new(size, colour), &shortened(name, max_characters));
        });
    }
}

/// The cycle in which the first warp is launched. Before it the unit only clears its tables, so a picture starts here.
pub fn first_launch(timeline: &Timeline) -> u64 {
    let firsts = timeline.rows.iter().filter_map(|row| Some(row.intervals.first()?.from));
    firsts.min().unwrap_or(0)
}

/// The number of characters of a size that fit into a line of a picture of width `width`.
pub fn fits(size: f64, width: f64) -> usize {
    // Some fonts are wider.
    (0.93 * (width - 2.0 * MARGIN) / (size * CHARACTER)) as usize
}

/// The number of cycles from tick to tick: 1, 2 or 5 times a power of ten, so that there are at most twelve ticks.
fn tick_spacing(cycles: u64) -> u64 {
    let steps =
        std::iter::successors(Some(1u64), |n| n.checked_mul(10)).flat_map(|n| [n, n.saturating_mul(2), n.saturating_mul(5)]);
    steps.into_iter().find(|tick_spacing| cycles / tick_spacing <= 12).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!([1, 12, 13, 140, 1_000_000, u64::MAX].map(tick_spacing), [1, 1, 2, 20, 100_000, 2_000_000_000_000_000_000]);
    }
}
