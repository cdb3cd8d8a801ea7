// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as a picture: one row per warp and per mbarrier, time to the right, bars for the states of a warp, lines for releases, arrows for
//! endless waits.
//!
//! The text is a self-contained SVG without scripts; the same run gives the same bytes. Tooltips are `<title>` elements.

mod arrows;
mod bars;
mod completed;
mod detail;
mod endless;
mod hang_waits;
mod layout;
mod legend;
mod marks;
mod objects;
mod order_marks;
mod paint;
mod rows;
mod samples;
pub mod title;
pub mod two_orders;
mod words;

use crate::report::Report;
use crate::timeline::Timeline;
use crate::window::Window;
use arrows::Arrows;
use detail::Detail;
use layout::{Layout, Span};
use paint::Paint;
use rows::Selection;
use title::Title;

/// The picture of the run with the result `report`, in which `timeline` was recorded.
pub fn svg(title: &Title, report: &Report, timeline: &Timeline) -> String {
    svg_of(title, report, timeline, Window::default())
}

/// The picture of the cycles of a run that are in `window`.
pub fn svg_of(title: &Title, report: &Report, timeline: &Timeline, window: Window) -> String {
    let selection = rows::select(report, timeline, &window);
    detail::drawn(selection.timeline.rows.len(), |detail| picture(title, (report, &selection), &window, detail))
}

fn picture(title: &Title, (report, selection): (&Report, &Selection), window: &Window, detail: Detail) -> String {
    let is_whole = !window.ends_before(report.cycles);
    let timeline = &selection.timeline;
    let arrows = if is_whole { Arrows::new(report, timeline) } else { Arrows::none() };
    let span = Span::new(report, timeline, window, arrows.width());
    let legend = legend::Legend::new(title, (report, selection), window, &arrows, span);
    let layout = Layout::new(span, timeline, legend.height());
    let mut paint = Paint::new(layout.width, layout.height);
    legend.draw(&mut paint);
    plot(&mut paint, &layout, (report, timeline, &arrows), (detail, is_whole));
    paint.finish()
}

/// Draws the rows of a run, with all marks.
fn plot(
    paint: &mut Paint,
    layout: &Layout,
    (report, timeline, arrows): (&Report, &Timeline, &Arrows),
    (detail, is_whole): (Detail, bool),
) {
    layout.draw(paint, timeline);
    bars::draw(paint, layout, (report, timeline), detail);
    objects::draw(paint, layout, (report, timeline), detail);
    objects::copies(paint, layout, timeline, detail);
    marks::completions(paint, layout, (report, timeline), detail);
    marks::faults(paint, layout, report);
    marks::end(paint, layout, (report, timeline), is_whole);
    arrows.draw(paint, layout);
}
