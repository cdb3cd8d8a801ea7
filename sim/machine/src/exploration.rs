// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The runs of an exploration, and what they give.

use crate::check::finding::Finding;
use crate::check::schedules::Schedules;
use crate::report::{Pair, Report, Verdict};
use crate::schedule_file::Constraint;
use bcu_program::Variable;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a run of a schedule gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// The name of the verdict of the run.
    pub verdict: &'static str,
    /// Code, CTA and warp of each fault.
    faults: Vec<(String, usize, Option<usize>)>,
    /// CTA and warp of each warp that has not exited.
    waiting: Vec<(usize, usize)>,
    /// A digest of global memory.
    memory: u64,
    /// The differences to the expected contents of buffers.
    mismatches: Vec<String>,
}

/// A run of a schedule.
#[derive(Clone, Debug)]
pub struct Explored {
    pub constraints: Vec<Constraint>,
    /// The pair that the last constraint reverses; `None` for the first run.
    pub reversed: Option<Pair>,
    pub outcome: Outcome,
    pub report: Report,
    /// Global memory after the run.
    pub variables: Vec<Variable>,
    pub schedules: Schedules,
    /// The errors that a check of the run reports.
    pub errors: Vec<Finding>,
}

/// The limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of runs.
    pub runs: usize,
    /// Whether each run but the first reverses one pair of the first run, and no more.
    pub only_pairs: bool,
    /// Whether the checks of the runs are strict.
    pub strict: bool,
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// For each outcome, the run with the shortest schedule that shows it; the first run of all has the empty schedule.
    pub outcomes: Vec<Explored>,
    /// The number of runs.
    pub runs: usize,
    /// The number of runs with a new order of their pairs.
    pub orders: usize,
    /// The number of constraints that runs could not follow.
    pub given_up: usize,
    /// Whether every order was executed; false if the limit was reached, or if a pair of operations cannot be reversed by a constraint.
    pub is_complete: bool,
}

impl Outcome {
    pub(super) fn new(report: &Report, (variables, mismatches): (&[Variable], Vec<String>)) -> Outcome {
        let unfinished = report.warps.iter().filter(|warp| warp.exited.is_none());
        let waiting = unfinished.map(|warp| (warp.cta, warp.warp)).collect();
        let mut faults: Vec<_> = report.faults.iter().map(|fault| (fault.code.clone(), fault.cta, fault.warp)).collect();
        faults.sort();
        let mut digest = DefaultHasher::new();
        variables.iter().for_each(|variable| (&variable.name, variable.bytes.values()).hash(&mut digest));
        let global = report.memory.iter().filter(|word| word.cta.is_none());
        global.for_each(|word| (word.address, word.value).hash(&mut digest));
        let memory = digest.finish();
        Outcome { verdict: report.verdict.name(), faults, waiting, memory, mismatches }
    }

    /// The differences to the expected contents of buffers.
    pub fn mismatches(&self) -> impl Iterator<Item = &str> {
        self.mismatches.iter().map(String::as_str)
    }

    /// Whether the run hangs.
    pub fn hangs(&self) -> bool {
        self.verdict == Verdict::Hung.name()
    }
}
