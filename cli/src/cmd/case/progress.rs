// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress of a long run: on a terminal one line that is overwritten; if stderr is not a terminal, one line a minute.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Calls between two reads of the clock.
const LOOK: u64 = 1024;

pub struct Progress {
    begun: Instant,
    /// The number of calls of [`Progress::cycle`].
    calls: u64,
    is_terminal: bool,
    /// The time of the next progress line, counted from the start.
    due: Duration,
    is_shown: bool,
}

impl Progress {
    pub fn new() -> Progress {
        let is_terminal = io::stderr().is_terminal();
        Progress { begun: Instant::now(), calls: 0, is_terminal, due: interval(is_terminal), is_shown: false }
    }

    /// Records a cycle of the run, and prints the progress when a line is due.
    pub fn cycle(&mut self, number: u64) {
        self.calls += 1;
        if self.calls % LOOK != 0 {
            return;
        }
        let passed = self.begun.elapsed();
        if passed < self.due {
            return;
        }
        self.due = passed + interval(self.is_terminal);
        let rate = number as f64 / passed.as_secs_f64();
        let line = format!("{} cycles so far, {rate:.0} a second", number);
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
