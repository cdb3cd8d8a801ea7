// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instants: faults, and the end of the run.

use super::super::report::{Fault, HangCause, Report};
use super::event::Args;
use super::tracks::{of_run, of_warp, process};
use super::warps::Warps;
use super::writer::Writer;
use std::io::Write;

/// Writes faults.
pub(super) fn faults<W: Write>(faults: &[Fault], warps: &Warps, out: &mut Writer<W>) {
    for fault in faults {
        let of_known = fault.warp.filter(|warp| warps.rows().any(|row| (row.cta, row.warp) == (fault.cta, *warp)));
        // A fault of a whole CTA is shown across all of its tracks.
        let (track, scope) = match of_known {
            Some(warp) => (of_warp(fault.cta, warp), "t"),
            None => (of_warp(fault.cta, 0), "p"),
        };
        let mut args = Args::one("fault", &*fault.sentence);
        if let Some(place) = &fault.place {
            args = args.at(place);
        }
        debug_assert_eq!(track.pid, process(fault.cta));
        out.instant(track, fault.cycle, (&format!("fault: {}", fault.code), scope), args);
    }
}

/// Writes how the run has ended before cycle `end`, with the faults of its last cycle.
pub(super) fn end<W: Write>(report: Option<&Report>, end: u64, warps: &Warps, out: &mut Writer<W>) {
    let last = end.saturating_sub(1);
    let run = of_run();
    out.name(run.pid, None, "run", 0);
    out.name(run.pid, Some(run.tid), "verdict", 0);
    let Some(report) = report else {
        let args = Args::one("reason", "the unit failed, or the run could not continue");
        out.instant(run, last, ("without a report", "g"), args);
        return;
    };
    let first = report.faults.partition_point(|fault| fault.cycle < last);
    faults(&report.faults[first..], warps, out);
    if let Some(stop) = &report.stop {
        let args = Args::one("reason", &*stop.stopped.diagnostic.message);
        let is_known = warps.rows().any(|row| (row.cta, row.warp) == (stop.cta, stop.warp));
        let track = if is_known { of_warp(stop.cta, stop.warp) } else { run };
        out.instant(track, last, ("the program stops the run", "t"), args);
    }
    let never_ends = report.hang.as_ref().is_some_and(|hang| hang.cause == HangCause::NothingCanChange);
    for row in warps.rows().filter(|_| never_ends) {
        let Some(open) = &row.open else { continue };
        let name = if open.activity.waits_for_others() { "waits for ever" } else { "never ends" };
        out.instant(row.track, last, (name, "t"), Args::default());
    }
    let causes = report.hang.iter().flat_map(|hang| &hang.circle).cloned().collect::<Vec<String>>().join("; ");
    let args = Args::one("cycles", report.cycles);
    let args = if causes.is_empty() { args } else { args.with("circular_wait", causes) };
    out.instant(run, last, (report.verdict.name(), "g"), args);
}
