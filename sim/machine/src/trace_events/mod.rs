// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as a trace in the Trace Event Format (JSON), which <https://ui.perfetto.dev> opens: what each warp and each copy does over time.
//!
//! A process is a CTA, a thread of it is a warp, or the copies of a warp that do not overlap in time. A cycle is 1 µs. Flows and instants
//! are in the middle of a cycle, so that each lies inside of a slice. An event is written when its slice ends, so the memory that the trace
//! needs does not depend on the length of the run.

mod activity;
mod copies;
mod counters;
mod event;
mod instants;
mod mbarriers;
mod names;
mod peers;
mod released;
mod tracks;
mod warps;
mod writer;
mod written;

use super::cycle::Cycle;
use super::report::Report;
use copies::Copies;
use counters::Counters;
use peers::Peers;
use std::io::{self, Write};
use warps::Warps;
use writer::Writer;
use written::Written;

/// A trace in progress: [`TraceEvents::cycle`] is an observer of every cycle for [`run`](super::run).
pub struct TraceEvents<W: Write> {
    out: Writer<W>,
    /// The number of observed cycles.
    cycles: u64,
    warps: Warps,
    copies: Copies,
    counters: Counters,
    peers: Peers,
    /// For each multiprocessor, the number of its faults, completed generations and completed phases that are written.
    written: Vec<Written>,
}

impl<W: Write> TraceEvents<W> {
    /// Starts a trace of a run of `program` on configuration `config`. The first error of the writer is returned by
    /// [`TraceEvents::finish`].
    pub fn new(out: W, program: &str, config: &str) -> TraceEvents<W> {
        TraceEvents {
            out: Writer::new(out, program, config),
            cycles: 0,
            warps: Warps::default(),
            copies: Copies::default(),
            counters: Counters::default(),
            peers: Peers::default(),
            written: vec![],
        }
    }

    /// Adds a cycle; to be called in every cycle, from the reset cycle on.
    pub fn cycle(&mut self, observed: &Cycle) {
        let cycle = observed.number;
        self.cycles = cycle + 1;
        self.written.resize(observed.sms.len(), Written::default());
        self.warps.launch(observed.sms, cycle, &mut self.out);
        self.peers.observe(observed.sms, cycle);
        // A slice ends with the events that end it, so these are first.
        for (sm, written) in observed.sms.iter().zip(&mut self.written) {
            released::write(sm, written, &mut self.warps, &mut self.out);
            instants::faults(&sm.faults[written.faults..], &self.warps, &mut self.out);
            written.faults = sm.faults.len();
        }
        self.copies.begin(observed.sms, cycle, &mut self.out);
        mbarriers::observe(observed.sms, cycle, (&mut self.warps, &self.copies));
        self.warps.cycle(observed.sms, cycle, (&self.peers, &mut self.out));
        self.copies.end(observed.sms, cycle, &mut self.out);
        self.counters.cycle(observed.sms, cycle, &mut self.out);
    }

    /// Ends the trace, and returns the writer. `report` is the report of the run, if there is one.
    ///
    /// # Errors
    /// The first error of the writer.
    pub fn finish(mut self, report: Option<&Report>) -> io::Result<W> {
        let end = self.cycles;
        instants::end(report, end, &self.warps, &mut self.out);
        self.warps.finish(end, &mut self.out);
        self.copies.finish(end, &mut self.out);
        self.out.finish()
    }
}
