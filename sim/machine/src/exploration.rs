// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The runs of an exploration, and what they give.

use crate::check::finding::Finding;
use crate::check::schedules::Schedules;
use crate::report::{Pair, Report, Verdict};
use crate::schedule_file::Schedule;
use bcu_program::Variable;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

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
    pub schedule: Schedule,
    /// The last pair that the schedule reverses and whose operations are known; `None` without constraints.
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
    pub selection: Selection,
    /// Whether the checks of the runs are strict.
    pub strict: bool,
    /// The number of threads. The result does not depend on it.
    pub threads: NonZeroUsize,
}

/// The schedules of an exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Each run reverses a pair of an earlier run.
    Reversals,
    /// Each run but the first reverses one pair of the first run, and no more.
    Pairs,
    /// The warps have random priorities, which change `depth` - 1 times.
    Random { depth: u32, seed: u64 },
}

/// What the probability depends on with which a run with random priorities shows a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub warps: usize,
    /// The number of operations of the first run, with the exits of warps.
    pub operations: u64,
    pub depth: u32,
    /// The seed of the first run with random priorities.
    pub seed: u64,
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
    /// Why not every order was executed; `None` if every one was.
    pub gap: Option<Gap>,
    /// For random priorities, the parameters of their probability.
    pub bound: Option<Bound>,
}

/// Why an exploration has not executed every order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    Limit,
    OnlyPairs,
    /// The schedules have random priorities.
    Random,
    EarlierLaunches,
    /// The order matters, or may matter, for a reason that is no pair of operations.
    NoPairs,
    OtherPairs,
    GivenUp,
    /// A run was stopped at its limit of cycles.
    Unfinished,
}

impl Gap {
    /// The reason, a clause.
    pub fn sentence(self) -> &'static str {
        match self {
            Gap::Limit => "the limit was reached",
            Gap::OnlyPairs => "`--reverse` reverses one pair at a time",
            Gap::Random => "random priorities select the orders",
            Gap::EarlierLaunches => "only the last launch is executed in other orders",
            Gap::NoPairs => "a run stops, has faults or races, or has an instruction without a rule",
            Gap::OtherPairs => {
                "a pair cannot be reversed: it is of a copy, of another CTA's mbarrier, or of two lanes of one warp"
            }
            Gap::GivenUp => "no run follows some constraints",
            Gap::Unfinished => "a run was stopped at its limit of cycles",
        }
    }
}

impl Exploration {
    /// Whether every order was executed.
    pub fn is_complete(&self) -> bool {
        self.gap.is_none()
    }

    /// Adds a run, unless there is one with the same outcome and a schedule that is not longer.
    pub(super) fn add(&mut self, run: Explored) {
        match self.outcomes.iter_mut().find(|known| known.outcome == run.outcome) {
            Some(known) if known.schedule.constraints.len() > run.schedule.constraints.len() => *known = run,
            Some(_) => {}
            None => self.outcomes.push(run),
        }
    }
}

impl Bound {
    /// The minimum probability with which one run shows a given failure that needs `depth` operations in a certain order.
    pub fn probability(&self) -> f64 {
        let operations = (self.operations.max(1) as f64).powi(self.depth.saturating_sub(1) as i32);
        1.0 / (self.warps.max(1) as f64 * operations)
    }

    /// The minimum probability with which at least one of `runs` runs shows it.
    pub fn probability_of(&self, runs: usize) -> f64 {
        -(runs as f64 * (-self.probability()).ln_1p()).exp_m1()
    }
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
