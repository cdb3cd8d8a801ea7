// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of `bcu run` for a report.

use crate::failure::Outcome;
use bcu_machine::{Report, Verdict};

/// The result of a run with this number of buffers that differ from their expected contents.
pub fn outcome(report: &Report, mismatches: usize) -> Outcome {
    let good = report.verdict == Verdict::Completed && mismatches == 0;
    if good {
        Outcome::Good
    } else {
        Outcome::CheckFailed
    }
}
