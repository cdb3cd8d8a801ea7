// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cycles in which chosen executions take effect: an observer of a run.
//!
//! An access takes effect when it is performed. An operation of the unit takes effect when the unit has executed it, which may be long after
//! its acceptance: an arrival is held until the accesses of its warp are performed.

use super::cycle::Cycle;
use super::sm::Sm;
use super::warp::threads::At;
use crate::schedule_file::Execution;

/// The time at which an execution took effect. Of two moments, the earlier one is less, also within a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The number of moments before this one; the maximum for an execution that has not taken effect.
    rank: usize,
    /// The cycle of the effect; of an execution without an effect, the cycle of its issue.
    pub cycle: u64,
}

impl Moment {
    /// Whether the execution has taken effect.
    pub fn has_effect(&self) -> bool {
        self.rank != usize::MAX
    }
}

/// The progress of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    NotIssued,
    /// Issued in this cycle; the instruction is at no port, so it is an access in flight or waits for copies.
    Issued(u64),
    /// The instruction is, or was in this cycle for the last time, at the port of the unit; so it was accepted in this cycle.
    Accepted(u64),
    Done(Moment),
}

/// A watched execution.
#[derive(Clone, Debug)]
struct Watched {
    execution: Execution,
    /// The multiprocessor and the index of the warp, if the warp is launched.
    warp: Option<(usize, usize)>,
    progress: Progress,
}

/// Watches executions: [`Moments::cycle`] is an observer of every cycle for [`run`](super::run). Executions are counted in a run with race
/// detection or a schedule only.
#[derive(Clone, Debug)]
pub struct Moments {
    watched: Vec<Watched>,
    rank: usize,
}

impl Moments {
    /// Watches the executions of `executions`.
    pub fn new(executions: impl IntoIterator<Item = Execution>) -> Moments {
        let watch = |execution| Watched { execution, warp: None, progress: Progress::NotIssued };
        Moments { watched: executions.into_iter().map(watch).collect(), rank: 0 }
    }

    /// Records a cycle; to be called in every cycle.
    pub fn cycle(&mut self, observed: &Cycle) {
        for watched in &mut self.watched {
            watched.find(observed.sms);
            let Some((sm, index)) = watched.warp else { continue };
            let Some(effect) = observed.sms.get(sm).and_then(|sm| watched.advance(sm, index, observed.number)) else {
                continue;
            };
            watched.progress = Progress::Done(Moment { rank: self.rank, cycle: effect });
            self.rank += 1;
        }
    }

    /// When an execution took effect; `None` if it is not watched, or was not issued.
    pub fn of(&self, execution: &Execution) -> Option<Moment> {
        match self.watched.iter().find(|watched| watched.execution == *execution)?.progress {
            Progress::NotIssued => None,
            Progress::Issued(cycle) | Progress::Accepted(cycle) => Some(Moment { rank: usize::MAX, cycle }),
            Progress::Done(moment) => Some(moment),
        }
    }
}

impl Watched {
    /// Finds the warp among the warps that are launched.
    fn find(&mut self, sms: &[Sm]) {
        let Execution { cta, warp, .. } = self.execution;
        let on = |(number, sm): (usize, &Sm)| {
            Some((number, sm.warps.iter().position(|known| (known.cta, known.warp) == (cta, warp))?))
        };
        self.warp = self.warp.or_else(|| sms.iter().enumerate().find_map(on));
    }

    /// Follows the execution in cycle `cycle`; returns the cycle of its effect, once.
    fn advance(&mut self, sm: &Sm, index: usize, cycle: u64) -> Option<u64> {
        let warp = sm.warps.get(index)?;
        let Execution { function, instr, time, .. } = self.execution;
        let at = At { function, instr };
        let count = warp.executions(at);
        if self.progress == Progress::NotIssued && count >= time {
            self.progress = Progress::Issued(cycle);
        }
        if count == time && warp.port.is_some_and(|chosen| chosen.at == at) {
            self.progress = Progress::Accepted(cycle);
            return None;
        }
        match self.progress {
            Progress::Issued(_) if sm.performs(&self.execution) => Some(cycle),
            Progress::Accepted(accepted) if !sm.record.is_in_flight(index, accepted) => Some(cycle - 1),
            _ => None,
        }
    }
}
