// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How far a long run has come: on a terminal a line that is written over, elsewhere a line a minute.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Cycles between two looks at the clock.
const LOOK: u64 = 1024;

pub struct Progress {
    begun: Instant,
    cycles: u64,
    is_terminal: bool,
    /// When the next line is due, from the begin.
    due: Duration,
    is_shown: bool,
}

impl Progress {
    pub fn new() -> Progress {
        let is_terminal = io::stderr().is_terminal();
        Progress { begun: Instant::now(), cycles: 0, is_terminal, due: interval(is_terminal), is_shown: false }
    }

    /// A cycle of the run has passed.
    pub fn cycle(&mut self) {
        self.cycles += 1;
        if self.cycles % LOOK != 0 {
            return;
        }
        let passed = self.begun.elapsed();
        if passed < self.due {
            return;
        }
        self.due = passed + interval(self.is_terminal);
        let rate = self.cycles as f64 / passed.as_secs_f64();
        let line = format!("{} cycles so far, {rate:.0} a second", self.cycles);
        self.is_shown = self.is_terminal;
        // Nobody who does not see it misses it.
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
