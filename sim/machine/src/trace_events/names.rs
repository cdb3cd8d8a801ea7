// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The names of processes and threads.

use super::super::sm::Sm;
use super::super::warp::Warp;
use super::super::WarpIdentity;
use super::tracks::{of_warp, process};
use super::writer::Writer;
use std::io::Write;

/// The places that the tracks of a warp have in the order of a viewer: the warp, then its copies.
const TRACKS_OF_WARP: u64 = 512;

/// Names the process of the CTA of a warp.
pub(super) fn name_cta<W: Write>(warp: &Warp, sm: &Sm, sms: usize, out: &mut Writer<W>) {
    let Warp { cta, grid, rank, .. } = *warp;
    let cluster = match warp.ctas.len() {
        1 => String::new(),
        size => format!(", rank {rank} of {size} in the cluster of CTA {}", warp.ctas[0]),
    };
    let of_grid = if grid > 0 { format!(", grid {grid}") } else { String::new() };
    let on = if sms > 1 { format!(", SM {}", sm.number) } else { String::new() };
    out.name(process(cta), None, &format!("CTA {cta}{of_grid}{cluster}{on}"), process(cta));
}

/// Names the thread of a warp.
pub(super) fn name_warp<W: Write>(warp: &Warp, out: &mut Writer<W>) {
    let role = WarpIdentity::new(warp.cta, warp.warp, &warp.program.name).role;
    let role = role.map_or(String::new(), |role| format!(" {role}"));
    let track = of_warp(warp.cta, warp.warp);
    out.name(track.pid, Some(track.tid), &format!("warp {}{role}", warp.warp), warp.warp as u64 * TRACKS_OF_WARP);
}

/// The name of the track of copies `lane` of a warp, and its place in the order of the viewer.
pub(super) fn of_copies(warp: usize, lane: usize) -> (String, u64) {
    let number = if lane > 0 { format!(" {}", lane + 1) } else { String::new() };
    (format!("warp {warp} copies{number}"), warp as u64 * TRACKS_OF_WARP + 1 + lane as u64)
}
