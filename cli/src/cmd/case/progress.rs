// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress of a long run: on a terminal one line that is overwritten; if stderr is not a terminal, one line a minute.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The maximum number of calls between two reads of the clock.
const MOST_CALLS: u64 = 1024;
/// The time between two reads of the clock: a shorter one makes reads rarer, a longer one more frequent. The engines differ by a factor of
/// 10000 in the time of a cycle, and a run may become slower.
const GAP: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(100)];

/// When the clock is read.
struct Pace {
    calls: u64,
    /// The number of calls between two reads.
    between: u64,
    /// The number of calls at the next read.
    next: u64,
    /// The time of the last read, counted from the start.
    last: Duration,
}

impl Pace {
    fn new() -> Pace {
        Pace { calls: 0, between: 1, next: 1, last: Duration::ZERO }
    }

    /// Counts a call; returns whether the clock is to be read.
    fn is_due(&mut self) -> bool {
        self.calls += 1;
        self.calls >= self.next
    }

    /// Records that the clock is read, and shows `passed`.
    fn reads(&mut self, passed: Duration) {
        let gap = passed.saturating_sub(std::mem::replace(&mut self.last, passed));
        self.between = match gap {
            _ if gap < GAP[0] => (2 * self.between).min(MOST_CALLS),
            _ if gap > GAP[1] => (self.between / 4).max(1),
            _ => self.between,
        };
        self.next = self.calls + self.between;
    }
}

pub struct Progress {
    /// What is counted.
    what: &'static str,
    pace: Pace,
    begun: Instant,
    is_terminal: bool,
    /// The time of the next progress line, counted from the start.
    due: Duration,
    is_shown: bool,
}

impl Progress {
    /// Progress in cycles.
    pub fn new() -> Progress {
        Progress::of("cycles")
    }

    /// Progress in schedules, each of which is a whole run.
    pub fn of_schedules() -> Progress {
        Progress::of("schedules")
    }

    /// Progress in seeds, each of which is a whole run.
    pub fn of_seeds() -> Progress {
        Progress::of("seeds")
    }

    fn of(what: &'static str) -> Progress {
        let is_terminal = io::stderr().is_terminal();
        Progress { what, pace: Pace::new(), begun: Instant::now(), is_terminal, due: interval(is_terminal), is_shown: false }
    }

    /// Records that `number` items are done, and prints the progress when a line is due.
    pub fn reach(&mut self, number: u64) {
        if !self.pace.is_due() {
            return;
        }
        let passed = self.begun.elapsed();
        self.pace.reads(passed);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The reads of the clock in a run whose calls take these times: their number, and the longest time between two of them.
    fn reads(calls: impl Iterator<Item = Duration>) -> (u64, Duration) {
        let (mut pace, mut now, mut reads, mut longest) = (Pace::new(), Duration::ZERO, 0, Duration::ZERO);
        for call in calls {
            now += call;
            if pace.is_due() {
                longest = longest.max(now - pace.last);
                reads += 1;
                pace.reads(now);
            }
        }
        (reads, longest)
    }

    #[test]
    fn the_clock_is_read_often_in_slow_runs_and_seldom_in_fast_ones() {
        let (micro, milli) = (Duration::from_micros(1), Duration::from_millis(1));
        let (count, _) = reads(std::iter::repeat_n(micro, 1_000_000));
        assert!(count < 1100, "{count}");
        // A cycle of the whole GPU with its waveform takes half a second.
        let (count, longest) = reads(std::iter::repeat_n(500 * milli, 200));
        assert!(count == 200 && longest == 500 * milli);
        let (_, longest) = reads(std::iter::repeat_n(20 * milli, 5000));
        assert!(longest <= 400 * milli, "{longest:?}");
        // A fast start does not delay the first line of a slow run by more than a minute.
        let (_, longest) = reads(std::iter::repeat_n(micro, 10_000).chain(std::iter::repeat_n(20 * milli, 5000)));
        assert!(longest <= 21_000 * milli, "{longest:?}");
    }
}
