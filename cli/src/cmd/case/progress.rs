// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress of a long run: on a terminal one line that is overwritten; if stderr is not a terminal, one line a minute.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Cycles between two reads of the clock.
const LOOK: u64 = 1024;

pub struct Progress {
    /// What is counted.
    what: &'static str,
    /// Calls between two reads of the clock.
    look: u64,
    begun: Instant,
    /// The number of calls of [`Progress::reach`].
    calls: u64,
    is_terminal: bool,
    /// The time of the next progress line, counted from the start.
    due: Duration,
    is_shown: bool,
}

impl Progress {
    /// Progress in cycles.
    pub fn new() -> Progress {
        Progress::of("cycles", LOOK)
    }

    /// Progress in schedules, each of which is a whole run.
    pub fn of_schedules() -> Progress {
        Progress::of("schedules", 1)
    }

    /// Progress in seeds, each of which is a whole run.
    pub fn of_seeds() -> Progress {
        Progress::of("seeds", 1)
    }

    fn of(what: &'static str, look: u64) -> Progress {
        let is_terminal = io::stderr().is_terminal();
        Progress { what, look, begun: Instant::now(), calls: 0, is_terminal, due: interval(is_terminal), is_shown: false }
    }

    /// Records that `number` items are done, and prints the progress when a line is due.
    pub fn reach(&mut self, number: u64) {
        self.calls += 1;
        if self.calls % self.look != 0 {
            return;
        }
        let passed = self.begun.elapsed();
        if passed < self.due {
            return;
        }
        self.due = passed + interval(self.is_terminal);
        let rate = number as f64 / passed.as_secs_f64();
        let line = format!("{number} {} so far, {rate:.0} a second", self.what);
        self.is_shown = self.is_terminal;
        // A failed write only loses a progress line, so its error is ignored.
        let _ = match self.is_terminal {
            true => write!(io::stderr(), "\r\x1b[K{line}"),
            false => writeln!(io::stderr(), "bcu: {line}"),
        };
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn interval(is_terminal: bool) -> Duration {
    Duration::from_secs(if is_terminal { 1 } else { 60 })
}
