// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as a picture: one row per warp, time to the right, bars for the states of a warp, lines for releases, arrows for endless waits.
//!
//! The text is a self-contained SVG without scripts; the same run gives the same bytes. Tooltips are `<title>` elements.

mod arrows;
mod bars;
mod layout;
mod legend;
mod marks;
mod paint;
pub mod title;

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
    let legend = legend::Legend::new(title, report, timeline, &arrows, span.width());
    let layout = Layout::new(span, timeline, legend.height());
    let mut paint = Paint::new(layout.width, layout.height);
    legend.draw(&mut paint);
    layout.draw(&mut paint, timeline);
    bars::draw(&mut paint, &layout, report, timeline);
    marks::completions(&mut paint, &layout, report);
    marks::faults(&mut paint, &layout, report);
    marks::end(&mut paint, &layout, report, timeline);
    arrows.draw(&mut paint, &layout);
    paint.finish()
}
