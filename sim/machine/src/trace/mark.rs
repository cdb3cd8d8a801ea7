// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Marks: the points in time that a reader of a waveform needs first.

use super::vcd_text::CYCLE_NS;
use crate::Report;

/// A marked cycle, whose name is one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub cycle: u64,
    pub name: String,
}

impl Mark {
    /// The first fault, and the cycle in which the machine detected that the run does not end.
    pub fn from_report(report: &Report) -> Vec<Mark> {
        let fault = report.faults.first().map(|fault| Mark { cycle: fault.cycle, name: fault.code.clone() });
        let name = report.verdict.name().to_string();
        let hang = report.hang.as_ref().map(|_| Mark { cycle: report.cycles.saturating_sub(1), name });
        fault.into_iter().chain(hang).collect()
    }

    pub(super) fn ns(&self) -> u64 {
        self.cycle * CYCLE_NS
    }
}
