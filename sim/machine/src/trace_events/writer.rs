// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the events of a trace one after another.

use super::event::{Args, Event, Time, Track};
use serde::Serialize;
use std::io::{self, Write};

/// What the time stamps of the file mean. The format has microseconds.
const TIME: &str = "1 cycle is shown as 1 us; flows and instants are in the middle of their cycle";

#[derive(Serialize)]
struct Notes<'a> {
    time: &'static str,
    written_by: &'static str,
    program: &'a str,
    configuration: &'a str,
}

/// A file in progress. After an error, nothing more is written.
pub(super) struct Writer<W> {
    out: W,
    error: Option<io::Error>,
    has_events: bool,
    flow_count: u64,
}

impl<W: Write> Writer<W> {
    pub fn new(out: W, program: &str, configuration: &str) -> Writer<W> {
        let mut writer = Writer { out, error: None, has_events: false, flow_count: 0 };
        let notes = Notes { time: TIME, written_by: concat!("bcu ", env!("CARGO_PKG_VERSION")), program, configuration };
        writer.attempt(|out| {
            out.write_all(b"{\"displayTimeUnit\":\"ns\",\"otherData\":")?;
            serde_json::to_writer(&mut *out, &notes)?;
            out.write_all(b",\"traceEvents\":[")
        });
        writer
    }

    fn attempt(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.error.is_none() {
            self.error = write(&mut self.out).err();
        }
    }

    fn event(&mut self, event: &Event) {
        let separator: &[u8] = if std::mem::replace(&mut self.has_events, true) { b",\n" } else { b"\n" };
        self.attempt(|out| {
            out.write_all(separator)?;
            Ok(serde_json::to_writer(&mut *out, event)?)
        });
    }

    /// Names a process (`tid` is `None`) or a thread, and gives its place in the order of the viewer.
    pub fn name(&mut self, pid: u64, tid: Option<u64>, name: &str, order: u64) {
        let kinds = match tid {
            None => ["process_name", "process_sort_index"],
            Some(_) => ["thread_name", "thread_sort_index"],
        };
        let values = [Args::one("name", name), Args::one("sort_index", order)];
        for (name, args) in kinds.into_iter().zip(values) {
            self.event(&Event { ph: "M", pid, tid, name, args, ..Event::default() });
        }
    }

    /// A slice from the start of cycle `from` to the start of cycle `to`.
    pub fn slice(&mut self, Track { pid, tid }: Track, [from, to]: [u64; 2], name: &str, cat: &'static str, args: Args) {
        let (ts, dur) = (Some(Time::at(from)), Some(Time::at(to.saturating_sub(from))));
        self.event(&Event { ph: "X", pid, tid: Some(tid), ts, dur, name, cat, args, ..Event::default() });
    }

    /// The start of a slice that contains others.
    pub fn begin(&mut self, Track { pid, tid }: Track, cycle: u64, name: &str, cat: &'static str, args: Args) {
        let ts = Some(Time::at(cycle));
        self.event(&Event { ph: "B", pid, tid: Some(tid), ts, name, cat, args, ..Event::default() });
    }

    /// The end of the slice that was begun last on the track.
    pub fn end(&mut self, Track { pid, tid }: Track, cycle: u64, args: Args) {
        self.event(&Event { ph: "E", pid, tid: Some(tid), ts: Some(Time::at(cycle)), args, ..Event::default() });
    }

    /// An arrow from the middle of a cycle on one track to the middle of a cycle on another one.
    pub fn flow(&mut self, from: (Track, u64), to: (Track, u64), cat: &'static str) {
        self.flow_count += 1;
        for (ph, bp, (track, cycle)) in [("s", "", from), ("f", "e", to)] {
            let Track { pid, tid } = track;
            let (tid, ts, id) = (Some(tid), Some(Time::within(cycle)), Some(self.flow_count));
            self.event(&Event { ph, pid, tid, ts, name: "releases", cat, id, bp, ..Event::default() });
        }
    }

    /// An instant in the middle of a cycle; `scope` is `t` for the track, `p` for its process, and `g` for the trace.
    pub fn instant(&mut self, Track { pid, tid }: Track, cycle: u64, (name, scope): (&str, &'static str), args: Args) {
        let ts = Some(Time::within(cycle));
        self.event(&Event { ph: "i", pid, tid: Some(tid), ts, name, s: scope, args, ..Event::default() });
    }

    /// A new value of a counter, with its unit.
    pub fn count(&mut self, pid: u64, cycle: u64, name: &str, (unit, value): (&'static str, u64)) {
        self.event(&Event { ph: "C", pid, ts: Some(Time::at(cycle)), name, args: Args::one(unit, value), ..Event::default() });
    }

    /// Ends the file, and returns its writer or the first error.
    pub fn finish(mut self) -> io::Result<W> {
        self.attempt(|out| {
            out.write_all(b"\n]}\n")?;
            out.flush()
        });
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.out),
        }
    }
}
