// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The endless waits of a hung run, drawn as lines to the right of the plot. A line leads from the bars of the waiting warps to the rows of
//! the missing warps.
//!
//! Warps that wait at the same barrier for the same missing warps share a line.

use super::hang_waits::{find_circles, waits, Wait};
use super::layout::{Layout, Place};
use super::paint::{Paint, ALARM, INK};
use super::rows::{keys, Key};
use crate::report::Report;
use crate::timeline::Timeline;
use std::collections::HashMap;

/// The distance between lines, in pixels.
const LANE: f64 = 15.0;
/// The distance from the edge of the plot to the first line, in pixels.
const FIRST: f64 = 32.0;
/// The width of the border around a line in the colour of its barrier, which distinguishes lines.
const CASING: f64 = 5.5;
/// The diameter of the ring at the start of a line, in pixels.
const RING: f64 = 6.0;
/// The length of the head at the end of a line, in pixels.
const HEAD: f64 = 8.0;
/// The depth of a bracket, in pixels.
const BRACKET: f64 = 5.0;
/// The maximum number of lines side by side that remain readable.
const MOST: usize = 12;
/// The maximum number of warps at one end of a line that are joined one by one. If there are more, each run of neighbouring rows gets a
/// bracket.
const SINGLE: usize = 4;
/// Lines leave a row above its middle and enter a row below its middle, at this distance in parts of the height of the row.
const APART: f64 = 0.2;

/// The lines of a picture.
pub struct Arrows {
    waits: Vec<Wait>,
    lanes: usize,
    /// The number of waits without a line, because there is no room for it.
    pub left_out: usize,
}

impl Arrows {
    /// No lines, for a picture that does not show the end of its run.
    pub fn none() -> Arrows {
        Arrows { waits: vec![], lanes: 0, left_out: 0 }
    }

    pub fn new(report: &Report, timeline: &Timeline) -> Arrows {
        let mut waits = report.hang.as_ref().map_or(vec![], |hang| waits(hang, timeline));
        let rows: HashMap<Key, usize> = keys(timeline).into_iter().enumerate().map(|(at, key)| (key, at)).collect();
        for wait in &mut waits {
            wait.waiting.retain(|warp| rows.contains_key(warp));
            wait.missing.retain(|warp| rows.contains_key(warp));
        }
        waits.retain(|wait| !wait.waiting.is_empty() && !wait.missing.is_empty());
        find_circles(&mut waits);
        // The parallel lines are in numbered columns (`lane`). Each line gets the first column that is free at its height; short lines are
        // placed first and nearest to the plot.
        let span = |wait: &Wait| {
            let at = || wait.waiting.iter().chain(&wait.missing).filter_map(|warp| rows.get(warp).copied());
            (at().min().unwrap_or(0), at().max().unwrap_or(0))
        };
        waits.sort_by_key(|wait| {
            let (top, low) = span(wait);
            (low - top, top)
        });
        let mut occupied: Vec<Vec<(usize, usize)>> = vec![];
        for wait in &mut waits {
            let (top, low) = span(wait);
            let is_free = |lane: &Vec<(usize, usize)>| lane.iter().all(|(from, to)| low < *from || *to < top);
            wait.lane = occupied.iter().position(is_free).unwrap_or(occupied.len());
            match occupied.get_mut(wait.lane) {
                Some(lane) => lane.push((top, low)),
                None => occupied.push(vec![(top, low)]),
            }
        }
        let wait_count = waits.len();
        waits.retain(|wait| wait.lane < MOST);
        Arrows { lanes: occupied.len().min(MOST), left_out: wait_count - waits.len(), waits }
    }

    /// The width of all lines, to the right of the plot.
    pub fn width(&self) -> f64 {
        if self.lanes == 0 {
            0.0
        } else {
            FIRST + LANE * self.lanes as f64
        }
    }

    /// With `circle`: whether there are lines of circular waits. Without it: whether there are lines of other waits.
    pub fn has(&self, circle: bool) -> bool {
        self.waits.iter().any(|wait| wait.circle == circle)
    }

    /// Draws each line from the bars of its waiting warps to the rows of its missing warps.
    pub fn draw(&self, paint: &mut Paint, layout: &Layout) {
        let edge = layout.x(layout.end()) + 5.0;
        for wait in &self.waits {
            let x = edge + FIRST + LANE * wait.lane as f64;
            let (stroke, width) = look(wait.circle);
            let runs_of = |warps: &[Key], apart: f64| runs(warps, layout, apart);
            let (from, to) = (runs_of(&wait.waiting, -APART), runs_of(&wait.missing, APART));
            let ys = || from.iter().chain(&to).map(|run| run.y);
            let (top, low) = (ys().fold(f64::MAX, f64::min), ys().fold(f64::MIN, f64::max));
            let arrow_starts = from.iter().map(|run| [(run.meets(edge) + RING, run.y), (x, run.y)]);
            let arrow_ends = to.iter().map(|run| [(run.meets(edge) + HEAD, run.y), (x, run.y)]);
            paint.group(&wait.sentence(&wait.waiting, &wait.missing), |paint| {
                let bus = [(x, top), (x, low)];
                for line in arrow_starts.chain(arrow_ends).chain([bus]) {
                    paint.path(&line, wait.fill, CASING, "stroke-linecap=\"round\"");
                }
                paint.path(&bus, stroke, width, "stroke-linecap=\"square\"");
            });
            for run in &from {
                let start = run.meets(edge);
                paint.group(&wait.sentence(&run.warps, &wait.missing), |paint| {
                    run.bracket(paint, edge, (stroke, width));
                    paint.path(&[(start + RING, run.y), (x, run.y)], stroke, width, "");
                    paint.circle((start + RING / 2.0, run.y), RING / 2.0, wait.fill, stroke);
                });
            }
            for run in &to {
                let tip = run.meets(edge);
                paint.group(&wait.sentence(&wait.waiting, &run.warps), |paint| {
                    run.bracket(paint, edge, (stroke, width));
                    paint.path(&[(x, run.y), (tip + HEAD, run.y)], stroke, width, "");
                    paint.arrow((tip, run.y), HEAD, stroke);
                });
            }
        }
    }
}

/// Colour and width of a line.
pub fn look(circle: bool) -> (&'static str, f64) {
    if circle {
        (ALARM, 1.75)
    } else {
        (INK, 1.25)
    }
}

/// Rows next to each other at one end of a line.
struct Run {
    warps: Vec<Key>,
    y: f64,
    /// The upper and the lower edge of a bracket; `None` for a single warp.
    around: Option<(f64, f64)>,
}

impl Run {
    /// The x coordinate at which the line ends: `edge`, or the back of the bracket.
    fn meets(&self, edge: f64) -> f64 {
        edge + if self.around.is_some() { BRACKET } else { 0.0 }
    }

    fn bracket(&self, paint: &mut Paint, edge: f64, (stroke, width): (&str, f64)) {
        if let Some((top, low)) = self.around {
            let back = edge + BRACKET;
            paint.path(&[(edge, top), (back, top), (back, low), (edge, low)], stroke, width, "");
        }
    }
}

/// Groups the warps at one end of a line into runs of neighbouring rows. `apart` is the distance from the middle of a row, in parts of its
/// height.
fn runs(warps: &[Key], layout: &Layout, apart: f64) -> Vec<Run> {
    let mut places: Vec<(Key, Place)> = warps.iter().filter_map(|key| Some((*key, layout.row(*key)?))).collect();
    places.sort_by(|(_, a), (_, b)| a.top.total_cmp(&b.top));
    let together = |a: &(Key, Place), b: &(Key, Place)| warps.len() > SINGLE && b.1.top - a.1.top < a.1.height + 0.5;
    let run = |run: &[(Key, Place)]| {
        let warps = run.iter().map(|(warp, _)| *warp).collect();
        let (first, last) = (run[0].1, run[run.len() - 1].1);
        let (top, low) = (first.middle(), last.middle());
        let around = (run.len() > 1).then_some((top, low));
        Run { warps, y: (top + low) / 2.0 + apart * first.height, around }
    };
    places.chunk_by(together).map(run).collect()
}
