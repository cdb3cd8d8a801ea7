// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of processes and threads.

use super::event::Track;

/// The numbers of threads that each process has. A CTA has at most 64 warps, and at most 255 copies in flight.
const THREADS: u64 = 4096;
/// The first thread of a process that is no warp.
const FIRST_OTHER: u64 = 64;
/// The process of the run as a whole. Viewers reserve process 0.
const RUN: u64 = 1;

/// The track of the run as a whole.
pub(super) fn of_run() -> Track {
    Track { pid: RUN, tid: RUN * THREADS }
}

/// The process of a CTA.
pub(super) fn process(cta: usize) -> u64 {
    RUN + 1 + cta as u64
}

/// The track of a warp.
pub(super) fn of_warp(cta: usize, warp: usize) -> Track {
    let pid = process(cta);
    Track { pid, tid: pid * THREADS + warp as u64 }
}

/// The track of copies of a CTA with the number `number`.
pub(super) fn of_copies(cta: usize, number: usize) -> Track {
    let pid = process(cta);
    Track { pid, tid: pid * THREADS + FIRST_OTHER + number as u64 }
}
