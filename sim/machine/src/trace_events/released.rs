// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Flows from the last arrival at a named barrier to the warps that it releases.

use super::super::sm::Sm;
use super::event::Track;
use super::warps::Warps;
use super::writer::Writer;
use super::written::Written;
use std::io::Write;

/// A completed generation of a named barrier, or a completed phase of the gateway.
struct Completed {
    cta: usize,
    number: usize,
    /// The warp whose arrival or exit was last, and its cycle.
    last: Option<(usize, u64)>,
    /// The cycle of the release.
    released: u64,
    waits: Vec<usize>,
}

/// Writes the flows of the generations that were completed since the last call.
pub(super) fn write<W: Write>(sm: &Sm, written: &mut Written, warps: &mut Warps, out: &mut Writer<W>) {
    for generation in &sm.generations[written.generations..] {
        let cta = generation.cta;
        let exited_in = |warp: usize| sm.warps.iter().rev().find(|of| (of.cta, of.warp) == (cta, warp))?.exited;
        let last = match generation.exited {
            Some(warp) => exited_in(warp).map(|cycle| (warp, cycle)),
            None => generation.arrivals.last().map(|arrival| (arrival.warp, arrival.cycle)),
        };
        let waits = generation.waits.iter().map(|wait| wait.warp).collect();
        let (number, released) = (generation.number, generation.released);
        release(sm.number, &Completed { cta, number, last, released, waits }, warps, out);
    }
    for phase in &sm.record.phases[written.phases..] {
        let last = phase.signals.last().map(|signal| (signal.warp, signal.cycle));
        let waits = phase.waits.iter().map(|wait| wait.warp).collect();
        let (cta, number, released) = (phase.cta, phase.number, phase.completed);
        release(sm.number, &Completed { cta, number, last, released, waits }, warps, out);
    }
    (written.generations, written.phases) = (sm.generations.len(), sm.record.phases.len());
}

fn release<W: Write>(sm: usize, completed: &Completed, warps: &mut Warps, out: &mut Writer<W>) {
    let Completed { cta, number, last, released, waits } = completed;
    let last = last.and_then(|(warp, cycle)| warps.alive((*cta, warp), cycle));
    let mut tracks: Vec<Track> = vec![];
    for row in warps.rows_of(sm).filter(|row| row.cta == *cta && waits.contains(&row.warp)) {
        tracks.push(row.track);
        row.open.iter_mut().for_each(|open| open.generation = (*number, true));
    }
    for track in tracks {
        if let Some(from) = last.filter(|(from, _)| *from != track) {
            out.flow(from, (track, *released), "barrier");
        }
    }
}
