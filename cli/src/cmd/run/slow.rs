// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The note on a waveform that takes long: the machine code of the unit writes the same file faster.

use crate::failure::complain;
use std::time::{Duration, Instant};

/// The time after which the rate of the run is measured. The first line of progress comes later, so the note does not break it.
const MEASURED_AFTER: Duration = Duration::from_millis(500);
/// A run of at most this many seconds gets no note.
const SHORT: f64 = 30.0;

/// Measures the start of a run of known length.
pub struct Slow {
    cycles: u64,
    begun: Option<Instant>,
    is_measured: bool,
}

impl Slow {
    /// The run has `cycles` cycles.
    pub fn new(cycles: u64) -> Slow {
        Slow { cycles, begun: None, is_measured: false }
    }

    /// Records that the run has reached cycle `number`, and prints the note when the rate is known.
    pub fn cycle(&mut self, number: u64) {
        if self.is_measured {
            return;
        }
        let passed = self.begun.get_or_insert_with(Instant::now).elapsed();
        if passed >= MEASURED_AFTER {
            self.is_measured = true;
            if let Some(note) = note(self.cycles, passed.as_secs_f64() / number.max(1) as f64) {
                complain(&note);
            }
        }
    }
}

/// The note on a run of `cycles` cycles at this rate; `None` if it is short.
fn note(cycles: u64, seconds_per_cycle: f64) -> Option<String> {
    let seconds = cycles as f64 * seconds_per_cycle;
    let time = match seconds {
        _ if seconds <= SHORT => return None,
        _ if seconds < 100.0 => format!("{seconds:.0} s"),
        _ if seconds < 6000.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    };
    Some(format!(
        "note: the waveform of {cycles} cycles takes about {time}; `--engine jit` writes the same file about 100 times as fast"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_run_has_a_note() {
        assert_eq!(note(1000, 0.02), None);
        let has = |cycles, time: &str| note(cycles, 0.02).is_some_and(|note| note.contains(&format!("takes about {time};")));
        assert!(has(2000, "40 s") && has(17_000, "6 minutes") && has(1_000_000, "6 hours"));
    }
}
