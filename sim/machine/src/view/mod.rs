// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as a picture: one row per warp, time to the right, bars for the states of a warp, lines for releases, arrows for endless waits.
//!
//! The text is a self-contained SVG without scripts; the same run gives the same bytes. Tooltips are `<title>` elements.

mod arrows;
mod bars;
mod layout;
mod legend;
mod marks;
mod order_marks;
mod paint;
mod samples;
pub mod title;
pub mod two_orders;

use crate::report::Report;
use crate::timeline::Timeline;
use arrows::Arrows;
use layout::{Layout, Span};
use paint::Paint;
use title::Title;

/// The picture of the run with the result `report`, in which `timeline` was recorded.
pub fn svg(title: &Title, report: &Report, timeline: &Timeline) -> String {
    let arrows = Arrows::new(report, timeline);
    let span = Span::new(report, timeline, arrows.width());
    let legend = legend::Legend::new(title, report, timeline, &arrows, span);
    let layout = Layout::new(span, timeline, legend.height());
    let mut paint = Paint::new(layout.width, layout.height);
    legend.draw(&mut paint);
    plot(&mut paint, &layout, report, timeline, &arrows);
    paint.finish()
}

/// Draws the rows of a run, with all marks.
fn plot(paint: &mut Paint, layout: &Layout, report: &Report, timeline: &Timeline, arrows: &Arrows) {
    layout.draw(paint, timeline);
    bars::draw(paint, layout, report, timeline);
    marks::completions(paint, layout, report);
    marks::faults(paint, layout, report);
    marks::end(paint, layout, report, timeline);
    arrows.draw(paint, layout);
}
